/** The table of the controller: what a sync of a claim writes and asks. */
import { assertEquals, assertRejects } from "@std/assert";
import { type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS, type Pod, PODS } from "../../../../src/api/mod.ts";
import { Lister } from "../../../../src/cache/mod.ts";
import type { Batch } from "../../../../src/controllers/persistentvolumeclaim_protection/context.ts";
import { LivePods } from "../../../../src/controllers/persistentvolumeclaim_protection/live_pods.ts";
import { syncClaim } from "../../../../src/controllers/persistentvolumeclaim_protection/sync.ts";
import { indexPodsByClaim } from "../../../../src/controllers/pod_volumes/mod.ts";
import { ServerRig } from "../server_rig.ts";

const OURS = "kubernetes.io/pvc-protection";
const AT = "2026-01-01T00:00:00Z";
const GOING = { finalizers: [OURS], deletionTimestamp: AT };
const EPHEMERAL = { name: "e", ephemeral: {} };

function claim(metadata: PersistentVolumeClaim["metadata"], status: PersistentVolumeClaim["status"] = {}) {
  const resources = { requests: { storage: "1Gi" } };
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "", resources, volumeMode: "Filesystem" };
  return {
    metadata: { namespace: "a", name: "c", uid: "c", ...metadata },
    spec,
    status: { phase: "Pending", ...status },
  };
}

interface PodTraits {
  readonly claimName?: string;
  readonly volumes?: NonNullable<Pod["spec"]>["volumes"];
  readonly nodeName?: string;
  readonly phase?: string;
  readonly metadata?: Pod["metadata"];
}

function pod(traits: PodTraits = {}): Pod {
  const { claimName = "c", nodeName = "n", phase = "Running", metadata } = traits;
  const volumes = traits.volumes ?? [{ name: "v", persistentVolumeClaim: { claimName } }];
  return {
    metadata: { namespace: "a", name: "p", uid: "p", ...metadata },
    spec: { containers: [], nodeName: nodeName || undefined, volumes },
    status: { phase },
  };
}

/** The claim of the pod's ephemeral volume, about to go. */
function ephemeralClaim(uid = "p"): PersistentVolumeClaim {
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }];
  return claim({ ...GOING, name: "p-e", ownerReferences });
}

class Harness {
  readonly rig = new ServerRig();
  readonly pods = this.rig.cache<Pod>();
  readonly claims = this.rig.cache<PersistentVolumeClaim>();
  tellsUnused = false;

  constructor(...claims: PersistentVolumeClaim[]) {
    indexPodsByClaim(this.pods);
    this.rig.store(PERSISTENTVOLUMECLAIMS, ...claims);
    this.rig.show(PERSISTENTVOLUMECLAIMS, this.claims);
  }

  /** Pods that the cache shows. */
  cached(...pods: Pod[]): this {
    this.live(...pods);
    this.rig.show(PODS, this.pods);
    return this;
  }

  /** Pods that only the API server knows. */
  live(...pods: Pod[]): this {
    this.rig.store(PODS, ...pods);
    return this;
  }

  batch(namespace = "a"): Batch {
    const { signal } = new AbortController();
    return { livePods: new LivePods({ client: this.rig.client, namespace }), signal };
  }

  async sync(key = "a/c", batch = this.batch()): Promise<string[]> {
    const { world, client, calls } = this.rig;
    const { tellsUnused, pods } = this;
    const from = calls.length;
    await syncClaim(key, { world, client, claims: new Lister(this.claims), pods: pods, tellsUnused }, batch);
    return calls.slice(from);
  }

  finalizers(key = "a/c"): string[] | undefined {
    return this.rig.find(PERSISTENTVOLUMECLAIMS, key)?.metadata?.finalizers;
  }
}

const LIST = "LIST pods a";
const PUT = "PUT persistentvolumeclaims a/c";

Deno.test("a claim without the finalizer gets it", async () => {
  const harness = new Harness(claim({}));
  assertEquals([await harness.sync(), harness.finalizers()], [[PUT], [OURS]]);
});

Deno.test("a claim with the finalizer, and one that is gone, need nothing", async () => {
  const harness = new Harness(claim({ finalizers: [OURS] }));
  assertEquals([await harness.sync(), await harness.sync("a/gone")], [[], []]);
});

Deno.test("a claim that nobody uses is let go, after the API server was asked", async () => {
  const harness = new Harness(claim(GOING));
  assertEquals([await harness.sync(), harness.finalizers()], [[LIST, PUT], undefined]);
});

Deno.test("claims of a batch share a list", async () => {
  const harness = new Harness(claim(GOING), claim({ ...GOING, name: "d" }));
  const batch = harness.batch();
  assertEquals(await harness.sync("a/c", batch), [LIST, PUT]);
  assertEquals(await harness.sync("a/d", batch), ["PUT persistentvolumeclaims a/d"]);
});

Deno.test("a list that fails is the misfortune of one claim", async () => {
  const harness = new Harness(claim(GOING), claim({ ...GOING, name: "d" }));
  const batch = harness.batch();
  harness.rig.fail(LIST, 403, 1);
  await assertRejects(() => harness.sync("a/c", batch), Error, "live list of pods failed");
  assertEquals(await harness.sync("a/d", batch), [LIST, "PUT persistentvolumeclaims a/d"]);
});

/** Pods, and whether they keep the claim. */
const PODS_THAT_MAY_HOLD: ReadonlyArray<readonly [what: string, pod: Pod, isKept: boolean]> = [
  ["runs", pod(), true],
  ["has succeeded", pod({ phase: "Succeeded" }), true],
  ["is being deleted", pod({ metadata: { deletionTimestamp: AT, deletionGracePeriodSeconds: 0 } }), true],
  ["has no node", pod({ nodeName: "" }), false],
  ["uses another claim", pod({ claimName: "d" }), false],
  ["uses no claim", pod({ volumes: [{ name: "v", emptyDir: {} }] }), false],
];

for (const [what, holder, isKept] of PODS_THAT_MAY_HOLD) {
  Deno.test(`a claim ${isKept ? "stays" : "goes"} whose pod ${what}`, async () => {
    const harness = new Harness(claim(GOING)).cached(holder);
    assertEquals(await harness.sync(), isKept ? [] : [LIST, PUT]);
    const unseen = new Harness(claim(GOING)).live(holder);
    assertEquals(await unseen.sync(), isKept ? [LIST] : [LIST, PUT]);
  });
}

const E_PUT = "PUT persistentvolumeclaims a/p-e";
const EPHEMERAL_PODS: ReadonlyArray<
  readonly [what: string, metadata: Pod["metadata"], owner: string, calls: string[]]
> = [
  ["lives", {}, "p", []],
  ["is ending", { deletionTimestamp: AT, deletionGracePeriodSeconds: 30 }, "p", []],
  ["only waits for its finalizers", { deletionTimestamp: AT, deletionGracePeriodSeconds: 0 }, "p", [LIST, E_PUT]],
  ["is not its owner", {}, "other", [LIST, E_PUT]],
];

for (const [what, metadata, owner, calls] of EPHEMERAL_PODS) {
  Deno.test(`the claim of an ephemeral volume whose pod ${what}`, async () => {
    const harness = new Harness(ephemeralClaim(owner)).cached(pod({ metadata, volumes: [EPHEMERAL] }));
    assertEquals(await harness.sync("a/p-e"), calls);
  });
}

const unusedOf = ({ rig }: Harness) =>
  rig.find(PERSISTENTVOLUMECLAIMS, "a/c")?.status?.conditions?.map(({ type, status, reason }) =>
    `${type}=${status} ${reason}`
  );

Deno.test("with PersistentVolumeClaimUnusedSinceTime a claim says whether a pod refers to it", async () => {
  const harness = new Harness(claim({ finalizers: [OURS] }));
  harness.tellsUnused = true;
  const status = "PUT persistentvolumeclaims/status a/c";
  assertEquals([await harness.sync(), unusedOf(harness)], [[LIST, status], ["Unused=True NoPodsUsingPVC"]]);
  harness.rig.show(PERSISTENTVOLUMECLAIMS, harness.claims);
  assertEquals(await harness.sync(), [LIST]);
  harness.cached(pod({ nodeName: "" }));
  assertEquals([await harness.sync(), unusedOf(harness)], [[status], ["Unused=False PodUsingPVC"]]);
  harness.rig.show(PERSISTENTVOLUMECLAIMS, harness.claims);
  harness.cached(pod({ phase: "Failed" }));
  assertEquals([await harness.sync(), unusedOf(harness)], [[LIST, status], ["Unused=True NoPodsUsingPVC"]]);
});

Deno.test("with PersistentVolumeClaimUnusedSinceTime a claim without finalizer is written twice, not refused", async () => {
  const harness = new Harness(claim({}));
  harness.tellsUnused = true;
  assertEquals(await harness.sync(), [LIST, "PUT persistentvolumeclaims/status a/c", PUT]);
  assertEquals([harness.finalizers(), unusedOf(harness)], [[OURS], ["Unused=True NoPodsUsingPVC"]]);
});
