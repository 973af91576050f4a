import { assertEquals, assertRejects } from "@std/assert";
import { type PersistentVolume, PERSISTENTVOLUMES } from "../../../../src/api/mod.ts";
import { guard, guardedHandler } from "../../../../src/controllers/protection/mod.ts";
import { ServerRig } from "../server_rig.ts";

const OURS = "kubernetes.io/pv-protection";
const AT = "2026-01-01T00:00:00Z";

function volume(finalizers: string[] | undefined, { isDeleting = false, phase = "Released" } = {}): PersistentVolume {
  const spec = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x", type: "" } };
  return {
    metadata: { name: "v", uid: "u", finalizers, ...isDeleting ? { deletionTimestamp: AT } : {} },
    spec: { ...spec, persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
    status: { phase },
  };
}

/** What the server has after the volume was looked at: its finalizers, or that it is gone. */
async function look(before: PersistentVolume, rig = new ServerRig()): Promise<string[] | "gone"> {
  rig.store(PERSISTENTVOLUMES, before);
  await guard(rig.find(PERSISTENTVOLUMES, "v")!, {
    world: rig.world,
    client: rig.client,
    resource: PERSISTENTVOLUMES,
    finalizer: OURS,
    isUsed: ({ status }) => status?.phase === "Bound",
  });
  const after = rig.find(PERSISTENTVOLUMES, "v");
  return after ? after.metadata?.finalizers ?? [] : "gone";
}

Deno.test("guard adds the finalizer after those of others, unless the object is being deleted", async () => {
  assertEquals(await look(volume(undefined)), [OURS]);
  assertEquals(await look(volume(["example.com/x"])), ["example.com/x", OURS]);
  assertEquals(await look(volume(["example.com/x"], { isDeleting: true })), ["example.com/x"]);
});

Deno.test("guard writes nothing where the finalizer is right", async () => {
  const rig = new ServerRig();
  assertEquals(await look(volume([OURS]), rig), [OURS]);
  assertEquals(await look(volume([OURS], { isDeleting: true, phase: "Bound" }), rig), [OURS]);
  assertEquals(rig.calls, []);
});

Deno.test("guard removes nothing but its finalizer, as often as it is there", async () => {
  assertEquals(await look(volume([OURS], { isDeleting: true })), "gone");
  const finalizers = ["example.com/y", OURS, "example.com/x", OURS];
  assertEquals(await look(volume(finalizers, { isDeleting: true })), ["example.com/y", "example.com/x"]);
});

Deno.test("guard rejects if the object was changed meanwhile, and says so as the server does", async () => {
  const rig = new ServerRig();
  rig.fail("PUT persistentvolumes v", 409, 1);
  await assertRejects(() => look(volume(undefined), rig), Error, "no luck");
  assertEquals(rig.find(PERSISTENTVOLUMES, "v")?.metadata?.finalizers, undefined);
});

Deno.test("guard asks nobody whether an object is used that is not being deleted", async () => {
  const rig = new ServerRig();
  rig.store(PERSISTENTVOLUMES, volume([OURS]));
  const isUsed = () => {
    throw new Error("asked");
  };
  const options = { world: rig.world, client: rig.client, resource: PERSISTENTVOLUMES, finalizer: OURS, isUsed };
  await guard(rig.find(PERSISTENTVOLUMES, "v")!, options);
});

Deno.test("guardedHandler queues what lacks the finalizer, or is held up by it", () => {
  const queued: string[] = [];
  const queue = { add: (key: string, cause: unknown) => void queued.push(`${key}: ${cause}`) };
  const handler = guardedHandler<PersistentVolume>({ kind: "persistentvolume", finalizer: OURS, queue });
  handler.onAdd?.(volume(undefined), false);
  handler.onAdd?.(volume([OURS]), false);
  handler.onUpdate?.(volume([OURS]), volume([OURS], { isDeleting: true }));
  handler.onUpdate?.(volume([OURS]), volume(["example.com/x"], { isDeleting: true }));
  assertEquals(queued, ["v: persistentvolume/v added", "v: persistentvolume/v updated"]);
});
