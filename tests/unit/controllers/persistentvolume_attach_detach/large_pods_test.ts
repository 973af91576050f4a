/** Pods with as many volumes as fit into them: others have their turn between these. */
import { assert, assertEquals } from "@std/assert";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../../src/api/mod.ts";
import { Indexer, Lister } from "../../../../src/cache/mod.ts";
import { DesiredState } from "../../../../src/controllers/persistentvolume_attach_detach/desired_state.ts";
import { notePod } from "../../../../src/controllers/persistentvolume_attach_detach/pod_volumes.ts";
import { syncClaim } from "../../../../src/controllers/persistentvolume_attach_detach/sync_claim.ts";
import { indexPodsByClaim } from "../../../../src/controllers/pod_volumes/mod.ts";
import { CSI_PLUGIN, ISCSI_PLUGIN, VolumePlugins } from "../../../../src/controllers/volumes/mod.ts";
import { CountingBudget } from "../counting_budget.ts";

const MANY = 2_000;

function setUp() {
  const pods = new Indexer<Pod>();
  const claims = new Indexer<PersistentVolumeClaim>();
  const volumes = new Indexer<PersistentVolume>();
  const desired = new DesiredState({ onChange: () => {}, onCount: () => {} });
  desired.manage("n");
  indexPodsByClaim({
    addIndexers: (indexers) => pods.addIndexers(indexers),
    hasIndexer: (name) => pods.hasIndexer(name),
  });
  const context = {
    desired,
    budget: new CountingBudget(),
    podLister: new Lister(pods),
    pods,
    claims: new Lister(claims),
    volumes: new Lister(volumes),
    plugins: new VolumePlugins([CSI_PLUGIN, ISCSI_PLUGIN]),
    drivers: { get: () => undefined },
  };
  return { pods, claims, volumes, desired, context };
}

function podWith(volumes: NonNullable<Pod["spec"]>["volumes"], name = "p"): Pod {
  return { metadata: { namespace: "a", name, uid: name }, spec: { containers: [], nodeName: "n", volumes } };
}

const disks = (count: number) =>
  Array.from({ length: count }, (_, lun) => ({ name: `v${lun}`, iscsi: { targetPortal: "p", iqn: "q", lun } }));

Deno.test("notePod: others have their turn between the thousands of volumes of a pod; few are noted at once", async () => {
  const { pods, desired, context } = setUp();
  const [large, small] = [podWith(disks(MANY)), podWith(disks(20), "q")];
  for (const pod of [large, small]) pods.add(pod);
  assertEquals(notePod(small, context), undefined);
  assertEquals([...desired.volumes()].length, 20);
  await notePod(large, context);
  assertEquals([...desired.volumes()].length, MANY);
  assert(context.budget.turns > 100, `${context.budget.turns} turns`);
});

Deno.test("notePod: a pod that changes while its volumes are noted is left to whoever notes it as it is then", async () => {
  const { pods, desired, context } = setUp();
  const pod = podWith(disks(MANY));
  pods.add(pod);
  const noting = notePod(pod, context);
  await Promise.resolve();
  pods.delete(pod);
  desired.removePod("p");
  await noting;
  assertEquals([...desired.volumes()], []);
});

Deno.test("notePod: of a pod that has changed before its first volume is noted, nothing is noted", () => {
  const { pods, desired, context } = setUp();
  const before = podWith(disks(1));
  pods.add(podWith(disks(1)));
  notePod(before, context);
  assertEquals([...desired.volumes()], []);
});

Deno.test("syncClaim: others have their turn between the thousands of pods of a claim", async () => {
  const { pods, claims, volumes, desired, context } = setUp();
  const ref = { namespace: "a", name: "c", uid: "u" };
  claims.add({ metadata: ref, spec: { volumeName: "v" }, status: { phase: "Bound" } });
  volumes.add({ metadata: { name: "v" }, spec: { claimRef: ref, csi: { driver: "d", volumeHandle: "h" } } });
  for (let i = 0; i < MANY; i++) {
    pods.add(podWith([{ name: "v", persistentVolumeClaim: { claimName: "c" } }], `p${i}`));
  }
  await context.budget.run(syncClaim("a/c", context));
  assertEquals([...desired.pods()].length, MANY);
  assert(context.budget.turns > 100, `${context.budget.turns} turns`);
});
