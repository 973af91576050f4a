// deno-lint-ignore-file no-console -- it is there to print
/**
 * How long a Deployment waits for its pods while the garbage collector works on another namespace's graph: ConfigMaps that are
 * each owned by all earlier ones, with `blockOwnerDeletion`, deleted in the foreground. Prints a line a Deployment.
 * Run: `deno task bench:neighbour [kubeloop|upstream] [CONFIGMAPS] [DEPLOYMENTS]`, with
 * `KUBELOOP_FLAGS=--controller-groups=none` for one thread.
 */
import { parallelize } from "../../../src/base/mod.ts";
import { CONFIGMAPS, DEPLOYMENTS, NAMESPACES, type OwnerReference, PODS } from "../../../src/api/mod.ts";
import { clientOf } from "../../cluster/cluster.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";
import { FIRST_SIX, type ManagerKind, startManager } from "../../controlplane/manager.ts";
import { eventually } from "../../controlplane/process.ts";
import { deployment } from "../../scenarios/kit.ts";
import { cpuSeconds } from "./process_figures.ts";

const [kind = "kubeloop", configMaps = "900", deployments = "10"] = Deno.args;
const FLAGS = [
  "--leader-elect-lease-duration=120s",
  "--leader-elect-renew-deadline=110s",
  "--use-service-account-credentials=false",
];
const REPLICAS = 3;

await using plane = await ControlPlane.start({
  apiserverFlags: ["--max-requests-inflight=3000", "--max-mutating-requests-inflight=3000"],
});
const { client } = await clientOf(plane.kubeconfig);
const { process } = await startManager(plane, kind as ManagerKind, { controllers: FIRST_SIX, flags: FLAGS });
for (const name of ["attacker", "neighbour"]) {
  await client.create(NAMESPACES, { metadata: { name } });
  await eventually(`namespace ${name} is ready`, () => plane.kubectl(["get", "sa", "default", "-n", name]));
}

const owners: OwnerReference[] = [];
for (let i = 0; i < Number(configMaps); i++) {
  const made = await client.create(
    CONFIGMAPS,
    { metadata: { name: `c${i}`, ownerReferences: [...owners] } },
    { namespace: "attacker" },
  );
  const { name = "", uid = "" } = made.metadata!;
  owners.push({ apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true });
}
console.log(`${configMaps} ConfigMaps exist`);
const began = performance.now();
const cpuBeforeS = await cpuSeconds(process.pid);
await parallelize(16, owners.length, async (i) => {
  const ref = { namespace: "attacker", name: owners[i].name };
  await client.delete(CONFIGMAPS, ref, { propagationPolicy: "Foreground" }).catch(() => {}); // it may be gone already
});
console.log(`deleted within ${seconds(began)} s`);

for (let i = 0; i < Number(deployments); i++) {
  const from = performance.now();
  const labels = `app=d${i}`;
  await client.create(DEPLOYMENTS, deployment(`d${i}`, { replicas: REPLICAS }), { namespace: "neighbour" });
  await eventually(`the pods of d${i} exist`, async () => {
    const { items } = await client.listMetadata(PODS, { namespace: "neighbour", labelSelector: labels });
    return items.length === REPLICAS;
  }, { withinMs: 120_000, everyMs: 20 });
  const { items } = await client.listMetadata(CONFIGMAPS, { namespace: "attacker" });
  console.log(
    `d${i} waited ${seconds(from)} s for its pods; ${items.length - 1} ConfigMaps left after ${seconds(began)} s, ` +
      `${(await cpuSeconds(process.pid) - cpuBeforeS).toFixed(1)} s of processor time`,
  );
}
await process.stop();

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(2);
}
