/** The table of the controller: what a sync of a claim writes and tells. */
import { assertEquals, assertRejects } from "@std/assert";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
} from "../../../../src/api/mod.ts";
import { Lister } from "../../../../src/cache/mod.ts";
import { syncClaim } from "../../../../src/controllers/persistentvolume_expander/sync.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { ServerRig } from "../server_rig.ts";

const BEFORE = "volume.alpha.kubernetes.io/pre-resize-capacity";
const RESIZER = "volume.kubernetes.io/storage-resizer";
const NOW = "2026-01-01T00:00:00Z";
/** As the server writes times that are not set. */
const NEVER = { lastProbeTime: null } as unknown as { lastProbeTime: undefined };
const PENDING = {
  ...NEVER,
  type: "FileSystemResizePending",
  status: "True",
  lastTransitionTime: NOW,
  message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
};
const CLAIM_PATCH = "PATCH persistentvolumeclaims/status a/c";
const VOLUME_PATCH = "PATCH persistentvolumes v";
const CSI: PersistentVolume["spec"] = { csi: { driver: "csi.example.com", volumeHandle: "h" } };
const EBS: PersistentVolume["spec"] = { awsElasticBlockStore: { volumeID: "vol-1" } };
const FLEX: PersistentVolume["spec"] = { flexVolume: { driver: "example.com/flex" } };

interface Given {
  /** What the claim asks for, has, and how large its volume is, in Gi. */
  readonly sizes: readonly [requested: number, claimed: number, volume: number];
  readonly spec: PersistentVolume["spec"];
  readonly volumeUid?: string;
  readonly before?: string;
  readonly status?: PersistentVolumeClaim["status"];
  readonly volumeName?: string;
}

class Harness {
  readonly rig = new ServerRig();
  readonly recorder = new FakeRecorder();
  readonly #claims = this.rig.cache<PersistentVolumeClaim>();
  readonly counted: string[] = [];

  constructor({ sizes: [requested, claimed, volume], spec, volumeUid = "u", before, status, volumeName = "v" }: Given) {
    const accessModes = ["ReadWriteOnce"];
    this.rig.store(PERSISTENTVOLUMECLAIMS, {
      metadata: { namespace: "a", name: "c", uid: "u" },
      spec: {
        accessModes,
        volumeName,
        volumeMode: "Filesystem",
        resources: { requests: { storage: `${requested}Gi` } },
      },
      status: { phase: "Bound", capacity: { storage: `${claimed}Gi` }, ...status },
    });
    this.rig.store(PERSISTENTVOLUMES, {
      metadata: { name: "v", ...before ? { annotations: { [BEFORE]: before } } : {} },
      spec: {
        accessModes,
        persistentVolumeReclaimPolicy: "Retain",
        volumeMode: "Filesystem",
        capacity: { storage: `${volume}Gi` },
        claimRef: { namespace: "a", name: "c", uid: volumeUid },
        ...spec,
      },
      status: { phase: "Bound" },
    });
    this.rig.show(PERSISTENTVOLUMECLAIMS, this.#claims);
  }

  sync(key = "a/c"): Promise<void> {
    return syncClaim(key, {
      clock: this.rig.world.clock,
      client: this.rig.client,
      recorder: this.recorder,
      claims: new Lister(this.#claims),
      times: { observe: (_seconds, labels = []) => void this.counted.push(labels.join(" ")) },
    });
  }

  get claim(): PersistentVolumeClaim {
    return this.rig.find(PERSISTENTVOLUMECLAIMS, "a/c")!;
  }

  get volume(): PersistentVolume {
    return this.rig.find(PERSISTENTVOLUMES, "v")!;
  }
}

Deno.test("a claim without a volume's name, or whose volume is not there, is tried again", async () => {
  const nameless = new Harness({ sizes: [2, 1, 1], spec: CSI, volumeName: "" });
  await assertRejects(() => nameless.sync(), Error, 'failed to get PV "": ');
  const other = new Harness({ sizes: [2, 1, 1], spec: CSI, volumeName: "w" });
  await assertRejects(() => other.sync(), Error, 'failed to get PV "w": persistentvolumes "w" not found');
  assertEquals([nameless.rig.writes, other.rig.writes], [[], []]);
});

Deno.test("a claim that is gone is left alone", async () => {
  const harness = new Harness({ sizes: [2, 1, 1], spec: CSI });
  await harness.sync("a/other");
  assertEquals(harness.rig.calls, []);
});

Deno.test("a volume whose type a CSI driver has taken over is handed to that driver's resizer", async () => {
  for (const given of [{ sizes: [2, 1, 1] }, { sizes: [2, 2, 2], before: "1Gi" }] as const) {
    const harness = new Harness({ ...given, spec: EBS });
    await harness.sync();
    assertEquals(harness.rig.writes, [CLAIM_PATCH]);
    assertEquals(harness.claim.metadata?.annotations, { [RESIZER]: "ebs.csi.aws.com" });
    assertEquals(harness.recorder.lines, [
      "Normal ExternalExpanding a/c CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc",
    ]);
    assertEquals(harness.volume.metadata?.annotations?.[BEFORE], "before" in given ? given.before : undefined);
  }
});

Deno.test("a resizer that cannot be named is told and tried again", async () => {
  const harness = new Harness({ sizes: [2, 1, 1], spec: EBS });
  harness.rig.fail(CLAIM_PATCH, 409);
  const why = "error setting resizer annotation to pvc a/c, with error " +
    'patchPVCStatus failed to patch PVC "c": no luck';
  await assertRejects(() => harness.sync(), Error, why);
  assertEquals(harness.recorder.lines.slice(1), [`Warning ExternalExpanding a/c ${why}`]);
});

Deno.test("a volume that is bound to another claim is an error, and nothing is written", async () => {
  const harness = new Harness({ sizes: [2, 1, 1], spec: CSI, volumeUid: "other" });
  await assertRejects(() => harness.sync(), Error, "persistent Volume is not bound to PVC being updated : a/c");
  assertEquals([harness.rig.writes, harness.recorder.lines], [[], []]);
});

Deno.test("a claim that has what it asks for is left alone", async () => {
  const harness = new Harness({ sizes: [2, 2, 2], spec: FLEX });
  await harness.sync();
  assertEquals([harness.rig.writes, harness.recorder.lines], [[], []]);
});

Deno.test("of a CSI volume nothing is touched; that somebody else expands it is told once", async () => {
  for (const spec of [CSI, { nfs: { server: "s", path: "/" } }, { hostPath: { path: "/x" } }]) {
    const harness = new Harness({ sizes: [2, 1, 1], spec, before: "1Gi" });
    await harness.sync();
    assertEquals(harness.rig.writes, []);
    assertEquals(harness.recorder.lines, [
      "Normal ExternalExpanding a/c waiting for an external controller to expand this PVC",
    ]);
  }
});

Deno.test("a FlexVolume is said to grow, made to have grown, and its file system left to the node", async () => {
  const conditions = [
    { type: "Other", status: "True", lastTransitionTime: NOW },
    { type: "NodeResizeError", status: "True", lastTransitionTime: NOW },
  ];
  const harness = new Harness({ sizes: [2, 1, 1], spec: FLEX, status: { conditions } });
  harness.rig.fail(VOLUME_PATCH, 500, 1);
  const why = 'error updating pv for pvc a/c: error Patching PV "v" with error : no luck';
  await assertRejects(() => harness.sync(), Error, why);
  assertEquals(harness.recorder.lines, [`Warning VolumeResizeFailed a/c ${why}`]);
  assertEquals(harness.claim.metadata?.annotations, { [RESIZER]: "example.com/flex" });
  assertEquals(harness.claim.status, {
    phase: "Bound",
    capacity: { storage: "1Gi" },
    conditions: [{ ...NEVER, ...conditions[0] }, {
      ...NEVER,
      type: "Resizing",
      status: "True",
      lastTransitionTime: NOW,
    }],
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
  });
  const again = new Harness({ sizes: [2, 1, 1], spec: FLEX });
  await again.sync();
  assertEquals(again.rig.writes, [CLAIM_PATCH, VOLUME_PATCH, CLAIM_PATCH, VOLUME_PATCH]);
  assertEquals(again.volume.spec?.capacity, { storage: "2Gi" });
  assertEquals(again.volume.metadata?.annotations, { [BEFORE]: "1Gi" });
  assertEquals(again.claim.status, {
    phase: "Bound",
    capacity: { storage: "1Gi" },
    conditions: [{ ...NEVER, type: "Resizing", status: "True", lastTransitionTime: NOW }, PENDING],
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: { storage: "NodeResizePending" },
  });
  assertEquals([...harness.counted, ...again.counted], [
    "example.com/flex expand_volume fail-unknown false",
    "example.com/flex expand_volume success false",
  ]);
});

Deno.test("a FlexVolume without a file system has what it asked for at once", async () => {
  const status = { allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" } };
  const harness = new Harness({ sizes: [2, 1, 1], spec: { ...FLEX, volumeMode: "Block" }, status });
  await harness.sync();
  assertEquals(harness.rig.writes, [CLAIM_PATCH, VOLUME_PATCH, CLAIM_PATCH]);
  assertEquals(harness.claim.status, {
    phase: "Bound",
    capacity: { storage: "2Gi" },
    allocatedResources: { storage: "2Gi" },
  });
  assertEquals(harness.recorder.lines, [
    "Normal VolumeResizeSuccessful a/c ExpandVolume succeeded for volume a/c",
  ]);
});

Deno.test("a resize that the node is working on is left to it, and one that it gave up may be tried again", async () => {
  const statuses = ["NodeResizePending", "NodeResizeInProgress", "NodeResizeInfeasible"];
  const writes: string[][] = [];
  for (const storage of statuses) {
    const status = { allocatedResources: { storage: "2Gi" }, allocatedResourceStatuses: { storage } };
    const harness = new Harness({ sizes: [2, 1, 2], spec: FLEX, status });
    await harness.sync();
    assertEquals(harness.recorder.lines, []);
    writes.push(harness.rig.writes);
    if (storage !== statuses[2]) continue;
    assertEquals(harness.claim.status?.allocatedResourceStatuses, { storage: "NodeResizePending" });
    assertEquals(harness.claim.status?.conditions, [PENDING]);
  }
  assertEquals(writes, [[], [], [CLAIM_PATCH, VOLUME_PATCH]]);
});

Deno.test("once all is done, a volume forgets how large it was", async () => {
  const harness = new Harness({ sizes: [2, 2, 2], spec: FLEX, before: "1Gi" });
  await harness.sync();
  assertEquals(harness.rig.writes, [VOLUME_PATCH]);
  assertEquals(harness.volume.metadata?.annotations, undefined);
});

Deno.test("a resize goes on to the size that it was begun for, whatever is asked for meanwhile", async () => {
  const sizeWith = async (storage: string, sizes: Given["sizes"], allocated = "3Gi") => {
    const status = { allocatedResources: { storage: allocated }, allocatedResourceStatuses: { storage } };
    const harness = new Harness({ sizes, spec: FLEX, status });
    await harness.sync();
    return harness.volume.spec?.capacity?.storage;
  };
  assertEquals(await sizeWith("ControllerResizeInProgress", [5, 1, 1]), "3Gi");
  assertEquals(await sizeWith("NodeResizePending", [5, 1, 1]), "3Gi");
  assertEquals(await sizeWith("NodeResizeInfeasible", [5, 1, 1]), "3Gi");
  assertEquals(await sizeWith("ControllerResizeInfeasible", [5, 1, 1]), "5Gi");
  assertEquals(await sizeWith("ControllerResizeInfeasible", [2, 1, 2]), "3Gi");
  assertEquals(await sizeWith("ControllerResizeInProgress", [2, 1, 2]), "3Gi");
});

Deno.test("a claim that has changed meanwhile is told and tried again", async () => {
  const harness = new Harness({ sizes: [2, 1, 1], spec: FLEX });
  const stored = harness.claim;
  await harness.rig.client.patch(PERSISTENTVOLUMECLAIMS, { namespace: "a", name: "c" }, {
    type: "merge",
    body: { metadata: { labels: { changed: "yes" } } },
  });
  const why = 'error updating pvc a/c with resize in progress: patchPVCStatus failed to patch PVC "c": ' +
    'Operation cannot be fulfilled on persistentvolumeclaims "c": ' +
    "the object has been modified; please apply your changes to the latest version and try again";
  await assertRejects(() => harness.sync(), Error, why);
  assertEquals(harness.recorder.lines, [`Warning VolumeResizeFailed a/c ${why}`]);
  assertEquals(harness.claim.status, stored.status);
});
