/** `kubeloop why` against a manager on a real API server, in one thread and with controller groups. */
import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { DEPLOYMENTS, PODS } from "../../src/api/mod.ts";
import { objects } from "../../src/testkit/mod.ts";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { type Manager, startManager, THREE_GROUPS } from "../controlplane/manager.ts";
import { Authority } from "../controlplane/pki.ts";
import { eventually } from "../controlplane/process.ts";
import { adminToken } from "./admin_token.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs `kubeloop why` in an empty folder, so that nobody's kubeconfig is found. */
async function why(plane: ControlPlane, args: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", MAIN, "why", ...args],
    cwd: plane.folder,
    env: { HOME: plane.folder, KUBECONFIG: "" },
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), errors: decoder.decode(stderr) };
}

/** A kubeconfig of somebody whom `manager` lets ask: by certificate, and by token where its runtime asks nobody for one. */
async function adminKubeconfig(plane: ControlPlane, { process }: Manager): Promise<string> {
  // What follows that line says whether it asks.
  await eventually("the manager serves", () => /Serving securely[^\n]*\n./.test(process.output));
  if (!process.output.includes("This runtime cannot ask clients for certificates")) return plane.kubeconfig;
  const config = JSON.parse(await Deno.readTextFile(plane.kubeconfig));
  config.users[0].user = { token: await adminToken(plane) };
  const path = `${plane.folder}/token-admin.conf`;
  await Deno.writeTextFile(path, JSON.stringify(config));
  return path;
}

for (const [how, groups] of [["in one thread", "none"], ["in groups", THREE_GROUPS]]) {
  clusterTest(`kubeloop why follows a rollout back to the edit, ${how}`, async () => {
    await using cluster = await Cluster.start({ nodes: 2 });
    const { plane, client } = cluster;
    const manager = await startManager(plane, "kubeloop", {
      flags: [`--controller-groups=${groups}`],
    });
    const server = `--server=${manager.healthzUrl.replace("/healthz", "")}`;
    const credentials = `--kubeconfig=${await adminKubeconfig(plane, manager)}`;
    const namespace = "why";
    await cluster.namespace(namespace);
    await client.create(DEPLOYMENTS, objects.deployment("web", { metadata: { namespace }, replicas: 2 }));
    const ref = { namespace, name: "web" };
    const pods = async () => (await client.list(PODS, { namespace })).items;
    // Nothing is under way at the edit: a sync that is would act on it before its event has given it a cause.
    await eventually("the journal tells that the rollout is over", async () => {
      const { status } = await client.get(DEPLOYMENTS, ref);
      assert(status?.conditions?.some(({ reason }) => reason === "NewReplicaSetAvailable"));
      const { out } = await why(plane, ["deploy", "web", "-n", namespace, server, credentials]);
      return out.includes("wrote update deployment/why/web status");
    });
    const old = new Set((await pods()).map((pod) => pod.metadata?.name));
    const body = { spec: { template: { metadata: { annotations: { edited: "yes" } } } } };
    const edited = await client.patch(DEPLOYMENTS, ref, { type: "merge", body });
    const fresh = await eventually("a new pod", async () => {
      const found = (await pods()).find((pod) => !old.has(pod.metadata?.name));
      assert(found);
      return found;
    });
    const name = fresh.metadata!.name!;
    const edit = `because deployment/${namespace}/web updated at ${edited.metadata?.resourceVersion}: by somebody else`;
    const told = await eventually("the journal tells of it", async () => {
      const ended = await why(plane, [`pod/${name}`, "-n", namespace, server, credentials]);
      assertEquals([ended.code, ended.errors], [0, ""]);
      assertStringIncludes(ended.out, edit);
      return ended.out;
    });
    for (
      const pattern of [
        /replicaset-controller synced replicaset\/why\/web-\w+: done, waited .* ms, took .* ms/,
        new RegExp(`wrote create pod/why/${name}, now at \\d+`),
        /because replicaset\/why\/web-\w+ (added|updated) at \d+/,
        /deployment-controller synced deployment\/why\/web: done/,
      ]
    ) assertMatch(told, pattern);
    assertMatch(told, groups === "none" ? /\[\d+\]/ : /\[workloads\/\d+\]/);

    const json = await why(plane, ["deploy", "web", "-n", namespace, server, credentials, "--output", "json"]);
    assertEquals(JSON.parse(json.out).object, { kind: "deployment", key: "why/web" });

    // The account's token comes from another group than the Deployment's pods.
    const account = await why(plane, ["sa/default", "-n", namespace, server, credentials]);
    assertMatch(account.out, /serviceaccount-controller synced namespace\/why/);

    const refused = async (...args: string[]) => {
      const { code, out, errors } = await why(plane, args);
      assertEquals([code, out, errors.trim().split("\n").length], [1, "", 1], errors);
      return errors;
    };
    assertStringIncludes(
      await refused("pod/none", "-n", namespace, server, credentials),
      "nothing is known of pod/why/none",
    );
    assertMatch(await refused("pod/x", server), /does not accept|forbidden/);
    assertStringIncludes(await refused("pod/x", "--server=https://127.0.0.1:1"), "no manager answers at");
    const strangers = `${plane.folder}/strangers.crt`;
    await Deno.writeTextFile(strangers, (await Authority.create()).cert);
    const untrusted = await refused("pod/x", server, `--certificate-authority=${strangers}`);
    assertMatch(untrusted, /certificate/);
    assertFalse(untrusted.includes("no manager answers"), untrusted);
    assertStringIncludes(
      await refused("pod/x", `--server=${plane.server}`, credentials, "--insecure-skip-tls-verify"),
      "/debug/why",
    );
  });
}
