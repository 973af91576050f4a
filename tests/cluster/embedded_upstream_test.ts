/** client-go's own behaviour as a client: upstream's programs on the embedded API server, over TLS and with RBAC. */
import { assertEquals } from "@std/assert";
import {
  CONFIGMAPS,
  DEPLOYMENTS,
  type Namespace,
  NAMESPACES,
  PODS,
  REPLICASETS,
  SERVICEACCOUNTS,
} from "../../src/api/mod.ts";
import { kubeloopCommand } from "../controlplane/manager.ts";
import { freePort, Process } from "../controlplane/process.ts";
import { DEPLOYMENT_SCENARIOS } from "../scenarios/deployment_scenarios.ts";
import { deployment, type Kit } from "../scenarios/kit.ts";
import { clusterTest } from "./cluster.ts";
import { exerciseAccess, exerciseWorkloads } from "./embedded_controllers.ts";
import { EmbeddedPlane } from "./embedded_plane.ts";

const managerFlags = ({ folder }: EmbeddedPlane): string[] => [
  `--secure-port=${freePort()}`,
  `--root-ca-file=${folder}/ca.crt`,
  "--kube-api-qps=2000",
  "--kube-api-burst=4000",
];

/** What only upstream's manager makes use of. */
const credentialFlags = ({ folder }: EmbeddedPlane): string[] => [
  `--service-account-private-key-file=${folder}/sa.key`,
  `--cluster-signing-cert-file=${folder}/ca.crt`,
  `--cluster-signing-key-file=${folder}/ca.key`,
  "--use-service-account-credentials=true",
];

/** What upstream's programs complain about on a real server too. */
const USUAL = [
  // kubeadm's clusters have a front proxy; a bare kube-apiserver has none either.
  "requestheader-client-ca-file",
  "The manifest file is empty",
  // The executable, where it is made with an older Deno.
  "This runtime cannot ask clients for certificates",
  // All controllers are asked for.
  "These controllers are not in this version and do not run",
  // Somebody else wrote first, or a cache lags behind: it is tried again.
  "the object has been modified",
  "The object might have been modified",
  "is not as new as written version",
  // Everything of a namespace that ends is refused.
  "because it is being terminated",
  // The scenarios' pods get a second to end, of which the namespace controller sees less than the whole.
  "unexpected items still remain in namespace",
  "not found",
];

function complaints({ output }: Process): string[] {
  return output.split("\n").filter((line) => /^[EWF]\d{4} /.test(line) && !USUAL.some((usual) => line.includes(usual)));
}

/** Refusals that no client provokes on a real server: of paths, methods and bodies that should have been understood. */
function oddRefusals({ refusals }: EmbeddedPlane): string[] {
  const usual = (line: string) => /^(404|409|403|429) /.test(line) && USUAL.some((text) => line.includes(text));
  return refusals.filter((line) =>
    !usual(line) && !/^(404|409) .* (already exists|AlreadyExists|not found)/.test(line)
  );
}

async function namespace(plane: EmbeddedPlane, name: string): Promise<Kit> {
  await plane.client.create<Namespace>(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const kit = plane.kit(name);
  await kit.untilAll(
    SERVICEACCOUNTS,
    "default is there",
    (all) => all.some(({ metadata }) => metadata?.name === "default"),
  );
  return kit;
}

/** Rolls out, changes, collects and ends what a namespace holds. */
async function exercise(plane: EmbeddedPlane): Promise<void> {
  for (const { name, run } of DEPLOYMENT_SCENARIOS.slice(0, 5)) await run(await namespace(plane, `deployment-${name}`));
  const kit = await namespace(plane, "collected");
  await kit.untilAll(CONFIGMAPS, "the root CA is published", (all) => all.length === 1);
  await kit.create(DEPLOYMENTS, deployment("a"));
  await kit.rolledOut("a");
  await kit.delete(DEPLOYMENTS, "a", "Foreground");
  await kit.untilGone(DEPLOYMENTS, "a");
  assertEquals([await kit.list(REPLICASETS), await kit.list(PODS)], [[], []]);
  await kit.create(DEPLOYMENTS, deployment("b"));
  await kit.rolledOut("b");
  await kit.client.delete(NAMESPACES, { name: kit.namespace });
  await kit.untilGone(NAMESPACES, kit.namespace);
}

clusterTest(
  "upstream's kube-controller-manager and kube-scheduler work on the embedded server as on a real one",
  async () => {
    await using plane = await EmbeddedPlane.start({ untaint: false });
    // It would make the usual folder where there is none, and complain.
    const plugins = `--flex-volume-plugin-dir=${plane.folder}`;
    const flags = [...managerFlags(plane), ...credentialFlags(plane), plugins];
    const manager = await plane.run("kube-controller-manager", flags);
    const scheduler = await plane.run("kube-scheduler", [`--secure-port=${freePort()}`]);
    await exercise(plane);
    await exerciseWorkloads(await namespace(plane, "workloads"));
    await exerciseAccess(plane, await namespace(plane, "access"));
    assertEquals([manager.exit, scheduler.exit], [undefined, undefined]);
    assertEquals(complaints(manager), []);
    assertEquals(complaints(scheduler), []);
    assertEquals(oddRefusals(plane), []);
  },
);

clusterTest("our own manager works on the embedded server over TLS, with upstream's scheduler", async () => {
  await using plane = await EmbeddedPlane.start({ untaint: true });
  await plane.run("kube-scheduler", [`--secure-port=${freePort()}`]);
  const kubeconfigs = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
  const given = kubeconfigs.map((name) => `--${name}=${plane.kubeconfig}`);
  const flags = [...given, "--bind-address=127.0.0.1", ...managerFlags(plane)];
  const { program, args } = kubeloopCommand(["kube-controller-manager", ...flags]);
  const manager = plane.adopt(new Process("kubeloop", program, { args }));
  await exercise(plane);
  assertEquals(manager.exit, undefined);
  assertEquals(complaints(manager), []);
  assertEquals(oddRefusals(plane), []);
});
