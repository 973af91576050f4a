/** What goes wrong at start: one clear line, exit code 1, no stack trace. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { KUBELOOP_PERMISSIONS } from "../controlplane/manager.ts";
import { Authority } from "../controlplane/pki.ts";
import { freePort } from "../controlplane/process.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

async function run(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...KUBELOOP_PERMISSIONS, MAIN, "kube-controller-manager", "--secure-port=0", ...args],
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
    "forbidden": await plane.writeKubeconfig("weak", { user: await plane.authority.client("weak") }),
  };
  for (const [name, kubeconfig] of Object.entries(cases)) {
    const { code, lines } = await run(`--kubeconfig=${kubeconfig}`, "--leader-elect=false");
    assertEquals(code, 1, `${name}: ${lines.join("\n")}`);
    assert(!lines.some((line) => /^\s+at /.test(line)), `${name} prints no stack: ${lines.join("\n")}`);
    assertStringIncludes(lines.at(-1)!, "E", name);
  }
});
