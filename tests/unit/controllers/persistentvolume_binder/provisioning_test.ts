/** Volumes that are made of folders of the host. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { PERSISTENTVOLUMES, type StorageClass } from "../../../../src/api/mod.ts";
import type { BinderContext } from "../../../../src/controllers/persistentvolume_binder/context.ts";
import { FolderError } from "../../../../src/controllers/mod.ts";
import { BinderRig, claim, storageClass } from "./rig.ts";

const HOST_PATH = "kubernetes.io/host-path";
const NODE = "volume.kubernetes.io/selected-node";

function rigFor(
  claimParts: Parameters<typeof claim>[0] = {},
  { classParts, context }: { classParts?: Partial<StorageClass>; context?: Partial<BinderContext> } = {},
): BinderRig {
  return new BinderRig({
    claims: [claim({ storageClassName: "gold", ...claimParts })],
    classes: [storageClass("gold", { provisioner: HOST_PATH, ...classParts })],
  }, context);
}

const made = (rig: BinderRig) => rig.server.all(PERSISTENTVOLUMES)[0];

Deno.test("a claim gets a volume of a new folder", async () => {
  const rig = rigFor();
  assertEquals(await rig.syncClaim(), [
    "PUT persistentvolumeclaims a/c",
    "GET persistentvolumes pvc-uid-c",
    "POST persistentvolumes",
  ]);
  const { metadata, spec } = made(rig);
  assertEquals(metadata?.name, "pvc-uid-c");
  assertEquals(metadata?.annotations, {
    "kubernetes.io/createdby": "hostpath-dynamic-provisioner",
    "pv.kubernetes.io/bound-by-controller": "yes",
    "pv.kubernetes.io/provisioned-by": HOST_PATH,
  });
  assert(metadata?.finalizers?.includes("kubernetes.io/pv-controller"));
  assertMatch(spec?.hostPath?.path ?? "", /^\/tmp\/hostpath_pv\/[0-9a-f-]{36}$/);
  assert(rig.server.world.entries.has(spec!.hostPath!.path));
  assertEquals([spec?.accessModes, spec?.capacity, spec?.storageClassName], [
    ["ReadWriteOnce"],
    { storage: "1Gi" },
    "gold",
  ]);
  assertEquals([spec?.claimRef?.uid, spec?.persistentVolumeReclaimPolicy], ["uid-c", "Delete"]);
  assertEquals(rig.events, [
    `Normal ProvisioningSucceeded a/c Successfully provisioned volume pvc-uid-c using ${HOST_PATH}`,
  ]);
  rig.show();
  await rig.syncClaim();
  assertEquals([rig.claim().status?.phase, rig.claim().spec?.volumeName], ["Bound", "pvc-uid-c"]);
});

Deno.test("only volumes that are to be deleted are kept until their storage is gone", async () => {
  const rig = rigFor({}, { classParts: { reclaimPolicy: "Retain" } });
  await rig.syncClaim();
  assert(!made(rig).metadata?.finalizers?.includes("kubernetes.io/pv-controller"));
});

Deno.test("a claim gets one volume, however often it is tried", async () => {
  const rig = rigFor();
  await rig.syncClaim();
  const calls = await rig.syncClaim();
  assertEquals([calls.filter((call) => call.startsWith("POST")), rig.server.all(PERSISTENTVOLUMES).length], [[], 1]);
});

const FAILURES: readonly (readonly [string, Parameters<typeof rigFor>, string])[] = [
  ["it is to hold a copy", [{ dataSource: { kind: "PersistentVolumeClaim", name: "x" } }], "with a datasource"],
  [
    "its class has mount options",
    [{}, { classParts: { mountOptions: ["a", "b"] } }],
    'Mount options are not supported by the provisioner but StorageClass "gold" has mount options [a b]',
  ],
  [
    "the flag is not set",
    [{}, { context: { provisionsHostPaths: false } }],
    `Failed to create provisioner: provisioning in volume plugin "${HOST_PATH}" is disabled`,
  ],
  [
    "its node is gone",
    [{ metadata: { annotations: { [NODE]: "n" } } }],
    'Failed to get target node: node "n" not found',
  ],
  [
    "it is a block device",
    [{ volumeMode: "Block" }],
    `Failed to provision volume with StorageClass "gold": ${HOST_PATH} does not support block volume provisioning`,
  ],
  [
    "the folder cannot be made",
    [{}, {
      context: {
        folders: {
          make: () => Promise.reject(new FolderError("mkdir: the disk is full")),
          remove: () => Promise.resolve(),
        },
      },
    }],
    'Failed to provision volume with StorageClass "gold": mkdir: the disk is full',
  ],
];

for (const [what, parts, message] of FAILURES) {
  Deno.test(`a claim gets no volume, and waits before the next try: ${what}`, async () => {
    const rig = rigFor(...parts);
    await rig.syncClaim();
    assertEquals(rig.server.all(PERSISTENTVOLUMES), []);
    assertEquals(rig.events.length, 1);
    assert(
      rig.events[0].startsWith("Warning ProvisioningFailed a/c ") && rig.events[0].endsWith(message),
      rig.events[0],
    );
    rig.show();
    await rig.syncClaim();
    assertEquals(rig.events.length, 1);
    await rig.server.world.clock.advance(501);
    await rig.syncClaim();
    assertEquals(rig.events.length, 2);
  });
}

Deno.test("a folder that no volume refers to in the end is removed", async () => {
  const rig = rigFor();
  rig.server.fail("POST persistentvolumes", 500);
  const syncing = rig.syncClaim();
  await rig.server.world.clock.advance(60_000);
  const calls = await syncing;
  assertEquals(calls.filter((call) => call === "POST persistentvolumes").length, 5);
  assertEquals([...rig.server.world.entries.keys()], ["/tmp", "/tmp/hostpath_pv"]);
  assertEquals(rig.events, [
    "Warning ProvisioningFailed a/c Error creating provisioned PV object for claim a/c: no luck. Deleting the volume.",
  ]);
});

Deno.test("nothing is done where dynamic provisioning is switched off", async () => {
  const rig = rigFor({}, { context: { isProvisioning: false } });
  assertEquals([await rig.syncClaim(), rig.events], [[], []]);
});

Deno.test("what provisioning waits for is given up at the end", async () => {
  const rig = rigFor();
  rig.server.fail("POST persistentvolumes", 500);
  const syncing = rig.syncClaim();
  await rig.server.world.clock.advance(5_000);
  rig.stop.abort();
  await rig.server.world.clock.advance(0);
  await syncing;
  assertEquals([rig.events, rig.server.world.clock.pendingTimers], [[], 0]);
});
