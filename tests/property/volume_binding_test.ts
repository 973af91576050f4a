import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import {
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
} from "../../src/api/mod.ts";
import { newCandidates } from "../../src/controllers/persistentvolume_binder/matching.ts";
import { PrivateCache } from "../../src/controllers/persistentvolume_binder/private_cache.ts";
import { BinderRig, claim, refTo, volume } from "../unit/controllers/persistentvolume_binder/rig.ts";

const CLAIMS = ["c0", "c1"];
const VOLUMES = ["v0", "v1", "v2"];
const name = (of: readonly string[]) => fc.constantFrom(...of);

/** What may happen, in any order: users make and remove things, caches lag, requests fail. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant("sync claim" as const), name: name(CLAIMS) }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant("sync volume" as const), name: name(VOLUMES) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("show claims" as const), name: name(CLAIMS) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("show volumes" as const), name: name(VOLUMES) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("make claim" as const), name: name(CLAIMS) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("remove claim" as const), name: name(CLAIMS) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("fail a write" as const), name: name(VOLUMES) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("new manager" as const), name: name(VOLUMES) }) },
);

/** Two of them are to be retained, one refers to a claim from the beginning. */
function volumes(): PersistentVolume[] {
  return VOLUMES.map((name, i) =>
    volume({
      metadata: { name, finalizers: ["example.com/x"] },
      claimRef: i === 2 ? refTo("c0", "") : undefined,
      hostPath: { path: `/tmp/${name}` },
      persistentVolumeReclaimPolicy: i % 2 === 0 ? "Retain" : "Delete",
    })
  );
}

class History {
  rig = new BinderRig({ volumes: volumes() });
  #made = 0;
  #starts = 0;

  async take({ what, name }: { readonly what: string; readonly name: string }): Promise<void> {
    const { rig } = this;
    const { server } = rig;
    switch (what) {
      case "sync claim":
        return void await rig.syncClaim(`a/${name}`).catch(() => {});
      case "sync volume":
        return void await rig.syncVolume(name).catch(() => {});
      case "show claims":
        return server.show(PERSISTENTVOLUMECLAIMS, rig.shownClaims);
      case "show volumes":
        return server.show(PERSISTENTVOLUMES, rig.shownVolumes);
      case "make claim": {
        if (server.find(PERSISTENTVOLUMECLAIMS, `a/${name}`)) return;
        const made = claim({ metadata: { namespace: "a", name, uid: `uid-${name}-${++this.#made}` } });
        return server.store(PERSISTENTVOLUMECLAIMS, made);
      }
      case "remove claim":
        return server.remove(PERSISTENTVOLUMECLAIMS, `a/${name}`);
      case "fail a write":
        return server.fail("PUT", 409, 1);
      default:
        server.show(PERSISTENTVOLUMES, rig.shownVolumes);
        this.#startAnew();
        return void await rig.syncVolume(name).catch(() => {});
    }
  }

  /** A manager begins with what its informers show, which may be as old as it likes: some lack all claims at first. */
  #startAnew(): void {
    const { context, shownClaims, shownVolumes } = this.rig;
    shownClaims.replace(shownClaims.list().slice(0, this.#starts++ % 3), "1");
    const claims = new PrivateCache<PersistentVolumeClaim>();
    const { volumes, free } = newCandidates();
    for (const each of shownClaims.list()) claims.store(each);
    for (const each of shownVolumes.list()) volumes.store(each);
    Object.assign(context, { claims, volumes, free });
  }

  get claims(): PersistentVolumeClaim[] {
    return this.rig.server.all(PERSISTENTVOLUMECLAIMS);
  }

  get volumes(): PersistentVolume[] {
    return this.rig.server.all(PERSISTENTVOLUMES);
  }
}

/** Whether a claim has left its volume: it is gone, or has another one. */
function hasLeft(uid: string, volumeName: string, claims: readonly PersistentVolumeClaim[]): boolean {
  const own = claims.find(({ metadata }) => metadata?.uid === uid);
  return !own || Boolean(own.spec?.volumeName) && own.spec?.volumeName !== volumeName;
}

function check(before: readonly PersistentVolume[], { volumes, claims }: History, steps: string): void {
  const bound = claims.filter(({ status }) => status?.phase === "Bound");
  const names = bound.map(({ spec }) => spec?.volumeName);
  assertEquals(new Set(names).size, names.length, `${steps}: one volume, one claim`);
  for (const { metadata, spec } of bound) {
    const own = volumes.find((each) => each.metadata?.name === spec?.volumeName);
    assertEquals(own?.spec?.claimRef?.uid, metadata?.uid, `${steps}: ${metadata?.name} and its volume`);
  }
  for (const was of before) {
    const volumeName = was.metadata!.name!;
    const is = volumes.find((each) => objectKey(each) === volumeName);
    const uid = was.spec?.claimRef?.uid;
    const wasFree = was.status?.phase !== "Released" && was.status?.phase !== "Failed";
    const isGivenUp = !is || is.metadata?.deletionTimestamp || wasFree && is.status?.phase === "Released";
    if (isGivenUp && uid) assert(hasLeft(uid, volumeName, claims), `${steps}: ${volumeName} was given up`);
    if (was.spec?.persistentVolumeReclaimPolicy !== "Retain") continue;
    assert(is && !is.metadata?.deletionTimestamp, `${steps}: ${volumeName} is retained`);
    const now = is?.spec?.claimRef?.uid;
    assert(!uid || now === uid || !now && hasLeft(uid, volumeName, claims), `${steps}: ${volumeName} keeps its claim`);
  }
}

Deno.test("one claim has one volume, a retained volume stays its claim's, and nothing is given up because a cache lacks it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const history = new History();
      let taken = "";
      for (const each of steps) {
        const before = history.volumes;
        await history.take(each);
        taken += `${each.what} ${each.name}; `;
        check(before, history, taken);
      }
    }),
    { numRuns: 400 },
  );
});
