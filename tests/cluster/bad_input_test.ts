/** What goes wrong at start: one clear line, exit code 1, no stack trace. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { kubeloopCommand, startManager } from "../controlplane/manager.ts";
import { Authority } from "../controlplane/pki.ts";
import { eventually, freePort } from "../controlplane/process.ts";
import { Cluster, clusterTest } from "./cluster.ts";

async function run(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const command = kubeloopCommand(["kube-controller-manager", "--secure-port=0", ...args]);
  const { code, stderr } = await new Deno.Command(command.program, {
    args: command.args,
    env: { KUBECONFIG: "", KUBERNETES_SERVICE_HOST: "" },
  }).output();
  return { code, lines: new TextDecoder().decode(stderr).trim().split("\n") };
}

clusterTest("a certificate or server that cannot be used ends the start with one line", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const { plane } = cluster;
  const other = await Authority.create("other");
  const user = await plane.authority.client("admin", ["system:masters"]);
  const cases = {
    "expired certificate": await plane.writeKubeconfig("expired", {
      user: await plane.authority.client("admin", ["system:masters"], { validForMs: -60_000 }),
    }),
    "certificate of another authority": await plane.writeKubeconfig("foreign", { user: await other.client("admin") }),
    "server of another authority": await plane.writeKubeconfig("ca", { user, ca: other.cert }),
    "nobody listening": await plane.writeKubeconfig("refused", { user, server: `https://127.0.0.1:${freePort()}` }),
  };
  await Promise.all(
    Object.entries(cases).map(async ([name, kubeconfig]) => {
      const { code, lines } = await run(`--kubeconfig=${kubeconfig}`, "--leader-elect=false");
      assertEquals(code, 1, `${name}: ${lines.join("\n")}`);
      assert(!lines.some((line) => /^\s+at /.test(line)), `${name} prints no stack: ${lines.join("\n")}`);
      assertMatch(lines.at(-1)!, /^E\d{4} .*healthz.*/, name);
    }),
  );
});

clusterTest(
  "a user who may do nothing keeps the manager waiting, with a line that says why, until the right is given",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { plane } = cluster;
    const kubeconfig = await plane.writeKubeconfig("weak", { user: await plane.authority.client("weak") });
    const { process } = await startManager(plane, "kubeloop", {
      kubeconfig,
      flags: ["--leader-elect=false", "--authentication-tolerate-lookup-failure=true"],
      waitForLease: false,
    });
    await eventually(
      "it says what is forbidden",
      () => /namespaces is forbidden: User \\?"weak\\?" cannot (list|watch) resource/.test(process.output),
    );
    assertEquals(process.exit, undefined);
    await plane.kubectl(["create", "clusterrolebinding", "weak", "--clusterrole=cluster-admin", "--user=weak"]);
    await eventually("it works once it may", () => plane.kubectl(["get", "serviceaccount", "default"]), {
      withinMs: 90_000,
    });
    assertEquals((await process.stop()).code, 0);
  },
);
