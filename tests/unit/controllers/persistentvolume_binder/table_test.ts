/** One decision of the binder in each test: what is bound, lost, released, recycled or provisioned. */
import { assertEquals, assertRejects } from "@std/assert";
import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES } from "../../../../src/api/mod.ts";
import {
  BinderRig,
  boundClaim,
  boundVolume,
  BY_CONTROLLER,
  claim,
  COMPLETED,
  refTo,
  storageClass,
  volume,
} from "./rig.ts";

const BIND = [
  "PUT persistentvolumes v",
  "PUT persistentvolumes/status v",
  "PUT persistentvolumeclaims a/c",
  "PUT persistentvolumeclaims/status a/c",
];
const NO_CLASS = "no persistent volumes available for this claim and no storage class is set";
const PROVISIONER = "volume.kubernetes.io/storage-provisioner";
const BETA_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";
const MIGRATED = "pv.kubernetes.io/migrated-to";
const MADE_BY = "pv.kubernetes.io/provisioned-by";

Deno.test("a free volume is bound in four writes, and nothing is told", async () => {
  const rig = new BinderRig({ volumes: [volume()], claims: [claim()] });
  assertEquals(await rig.syncClaim(), BIND);
  const { metadata, spec, status } = rig.volume();
  assertEquals([metadata?.annotations, status?.phase], [BY_CONTROLLER, "Bound"]);
  assertEquals(spec?.claimRef, { ...refTo(), resourceVersion: spec?.claimRef?.resourceVersion });
  assertEquals(Number(spec?.claimRef?.resourceVersion) > 0, true);
  const bound = rig.claim();
  assertEquals(bound.metadata?.annotations, { ...BY_CONTROLLER, ...COMPLETED });
  assertEquals(bound.spec?.volumeName, "v");
  assertEquals(bound.status, { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
  assertEquals(rig.events, []);
  assertEquals(await rig.syncClaim(), []);
});

Deno.test("no volume is large enough, and there is no default class", async () => {
  const rig = new BinderRig({ volumes: [volume()], claims: [claim({ resources: { requests: { storage: "10Gi" } } })] });
  assertEquals(await rig.syncClaim(), []);
  assertEquals(rig.events, [`Normal FailedBinding a/c ${NO_CLASS}`]);
});

Deno.test("a claim that says it is bound and never was is pending", async () => {
  const said = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, currentVolumeAttributesClassName: "x" };
  const rig = new BinderRig({ claims: [claim({ phase: "Bound", status: said })] });
  await rig.syncClaim();
  assertEquals(rig.claim().status, { phase: "Pending" });
});

Deno.test("the smallest volume that fits is chosen", async () => {
  const sizes = { large: "10Gi", exact: "1Gi", small: "1G" };
  const volumes = Object.entries(sizes).map(([name, storage]) => volume({ metadata: { name }, capacity: { storage } }));
  const rig = new BinderRig({ volumes, claims: [claim()] });
  await rig.syncClaim();
  assertEquals(rig.claim().spec?.volumeName, "exact");
});

Deno.test("a volume that refers to the claim comes before a smaller one", async () => {
  const large = volume({ capacity: { storage: "10Gi" }, claimRef: refTo("c", ""), phase: "Pending" });
  const rig = new BinderRig({ volumes: [volume({ metadata: { name: "free" } }), large], claims: [claim()] });
  await rig.syncClaim();
  assertEquals([rig.claim().spec?.volumeName, rig.claim().status?.capacity], ["v", { storage: "10Gi" }]);
  assertEquals([rig.volume().metadata?.annotations, rig.volume().spec?.claimRef?.uid], [undefined, "uid-c"]);
});

Deno.test("a volume that refers to another claim of the same name is not its", async () => {
  const rig = new BinderRig({ volumes: [volume({ claimRef: refTo("c", "other") })], claims: [claim()] });
  assertEquals(await rig.syncClaim(), []);
  assertEquals(rig.events, [`Normal FailedBinding a/c ${NO_CLASS}`]);
});

for (const [done, left] of [[1, BIND.slice(1)], [2, BIND.slice(2)], [3, BIND.slice(3)], [4, []]] as const) {
  Deno.test(`a bind that was cut short after ${done} writes is completed`, async () => {
    const rig = new BinderRig({
      volumes: [boundVolume({ phase: done > 1 ? "Bound" : "Available" })],
      claims: [done === 4 ? boundClaim() : done === 3 ? boundClaim({ phase: "Pending", status: {} }) : claim()],
    });
    assertEquals(await rig.syncClaim(), [...left]);
    assertEquals([rig.volume().status?.phase, rig.claim().status?.phase], ["Bound", "Bound"]);
    assertEquals(rig.claim().spec?.volumeName, "v");
  });
}

Deno.test("a claim's selector must match", async () => {
  const rig = new BinderRig({
    volumes: [volume({ metadata: { labels: { a: "b" } } })],
    claims: [claim({ selector: { matchLabels: { a: "c" } } })],
  });
  assertEquals(await rig.syncClaim(), []);
});

const PATIENT = storageClass("gold", { volumeBindingMode: "WaitForFirstConsumer" });

Deno.test("a claim whose class waits for its first consumer gets no free volume", async () => {
  const rig = new BinderRig({
    volumes: [volume({ storageClassName: "gold" })],
    claims: [claim({ storageClassName: "gold" })],
    classes: [PATIENT],
  });
  assertEquals(await rig.syncClaim(), []);
  assertEquals(rig.events, [
    "Normal WaitForFirstConsumer a/c waiting for first consumer to be created before binding",
  ]);
});

Deno.test("a claim whose class waits for its first consumer gets a volume that refers to it", async () => {
  const rig = new BinderRig({
    volumes: [volume({ storageClassName: "gold", claimRef: refTo("c", "") })],
    claims: [claim({ storageClassName: "gold" })],
    classes: [PATIENT],
  });
  assertEquals(await rig.syncClaim(), BIND);
});

Deno.test("only an available volume is chosen", async () => {
  for (const phase of ["Pending", "Failed", "Released", ""]) {
    const rig = new BinderRig({ volumes: [volume({ phase })], claims: [claim()] });
    assertEquals(await rig.syncClaim(), [], phase);
  }
});

Deno.test("a claim that names a volume waits until there is one", async () => {
  const rig = new BinderRig({ claims: [claim({ volumeName: "v", phase: "" })] });
  assertEquals(await rig.syncClaim(), ["PUT persistentvolumeclaims/status a/c"]);
  assertEquals([rig.claim().status, rig.events], [{ phase: "Pending" }, []]);
});

Deno.test("a claim gets the volume that it names, whatever it selects", async () => {
  const rig = new BinderRig({
    volumes: [volume({ phase: "Pending" })],
    claims: [claim({ volumeName: "v", selector: { matchLabels: { a: "b" } } })],
  });
  assertEquals(await rig.syncClaim(), BIND);
  assertEquals([rig.claim().metadata?.annotations, rig.volume().metadata?.annotations], [COMPLETED, BY_CONTROLLER]);
});

const MISMATCHES: readonly (readonly [string, Parameters<typeof claim>[0], Parameters<typeof volume>[0]?])[] = [
  ["requested PV is too small", { resources: { requests: { storage: "2Gi" } } }],
  ["storageClassName does not match", { storageClassName: "gold" }],
  ["volumeAttributesClassName does not match", { volumeAttributesClassName: "fast" }],
  ["incompatible volumeMode", { volumeMode: "Block" }],
  ["incompatible accessMode", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }],
  ['the volume is marked for deletion "v"', {}, {
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/x"] },
  }],
];

for (const [why, wanted, offered] of MISMATCHES) {
  Deno.test(`a claim does not get the volume that it names: ${why}`, async () => {
    const rig = new BinderRig({ volumes: [volume(offered)], claims: [claim({ volumeName: "v", ...wanted })] });
    assertEquals(await rig.syncClaim(), []);
    assertEquals(rig.events, [`Warning VolumeMismatch a/c Cannot bind to requested volume "v": ${why}`]);
  });
}

Deno.test("a claim does not get the volume of another", async () => {
  const taken = 'Warning FailedBinding a/c volume "v" already bound to a different claim.';
  const volumes = [volume({ claimRef: refTo("other", "uid-other"), phase: "Bound" })];
  const rig = new BinderRig({ volumes, claims: [claim({ volumeName: "v", phase: "" })] });
  assertEquals(await rig.syncClaim(), ["PUT persistentvolumeclaims/status a/c"]);
  assertEquals([rig.claim().status?.phase, rig.events], ["Pending", [taken]]);
  const pointed = claim({ volumeName: "v", phase: "", metadata: { annotations: BY_CONTROLLER } });
  const other = new BinderRig({ volumes, claims: [pointed] });
  const why = 'invalid binding of claim "a/c" to volume "v": volume already claimed by "a/other"';
  await assertRejects(() => other.syncClaim(), Error, why);
  assertEquals([other.server.writes, other.events], [[], [taken]]);
});

Deno.test("a bound claim without a volume is lost, once", async () => {
  const lost = "Data on the volume is lost!";
  const rows = [
    [boundClaim({ volumeName: undefined }), `Bound claim has lost reference to PersistentVolume. ${lost}`],
    [boundClaim(), `Bound claim has lost its PersistentVolume. ${lost}`],
  ] as const;
  for (const [given, message] of rows) {
    const rig = new BinderRig({ claims: [given] });
    await rig.syncClaim();
    assertEquals([rig.claim().status, rig.events], [{ phase: "Lost" }, [`Warning ClaimLost a/c ${message}`]]);
    rig.show();
    assertEquals(await rig.syncClaim(), []);
    assertEquals(rig.events.length, 1);
  }
});

Deno.test("a claim that is bound to the volume of another is lost", async () => {
  const rig = new BinderRig({ volumes: [boundVolume({ claimRef: refTo("other", "o") })], claims: [boundClaim()] });
  await rig.syncClaim();
  const message = "Two claims are bound to the same volume, this one is bound incorrectly";
  assertEquals([rig.claim().status?.phase, rig.events], ["Lost", [`Warning ClaimMisbound a/c ${message}`]]);
});

Deno.test("a volume without a claim is available", async () => {
  for (const claimRef of [undefined, refTo("c", "")]) {
    const rig = new BinderRig({ volumes: [volume({ phase: "Pending", claimRef })] });
    assertEquals(await rig.syncVolume(), ["PUT persistentvolumes/status v"]);
    assertEquals(rig.volume().status?.phase, "Available");
  }
});

Deno.test("a volume whose claim is gone is released, and otherwise left as it is if it is retained", async () => {
  const rig = new BinderRig({ volumes: [boundVolume()] });
  assertEquals(await rig.syncVolume(), ["GET persistentvolumeclaims a/c", "PUT persistentvolumes/status v"]);
  assertEquals([rig.volume().status?.phase, rig.volume().spec?.claimRef?.uid], ["Released", "uid-c"]);
  rig.show();
  assertEquals(await rig.syncVolume(), []);
});

Deno.test("a volume whose claim no cache shows, but the API server, is left as it is", async () => {
  for (const policy of ["Retain", "Delete", "Recycle"]) {
    const rig = new BinderRig({ volumes: [boundVolume({ persistentVolumeReclaimPolicy: policy })] });
    rig.server.store(PERSISTENTVOLUMECLAIMS, boundClaim());
    assertEquals(await rig.syncVolume(), ["GET persistentvolumeclaims a/c"]);
    rig.shownClaims.add(boundClaim({ metadata: { uid: "an older one of that name" } }));
    assertEquals(await rig.syncVolume(), ["GET persistentvolumeclaims a/c"]);
    assertEquals(rig.volume().status?.phase, "Bound");
  }
});

Deno.test("a volume that is bound to a claim of another volume is freed as far as it was bound here", async () => {
  for (const annotations of [BY_CONTROLLER, undefined]) {
    const rig = new BinderRig({
      volumes: [boundVolume({ metadata: { annotations } })],
      claims: [boundClaim({ volumeName: "other" })],
    });
    assertEquals(await rig.syncVolume(), BIND.slice(0, 2));
    const { metadata, spec, status } = rig.volume();
    const left = annotations ? undefined : { ...refTo(), uid: undefined };
    const { uid: _uid, ...ref } = left ?? {};
    assertEquals([metadata?.annotations, status?.phase], [undefined, "Available"]);
    assertEquals(spec?.claimRef, left && ref as typeof left);
  }
});

Deno.test("volume and claim of different modes never meet", async () => {
  const rig = new BinderRig({ volumes: [boundVolume({ volumeMode: "Block" })], claims: [claim()] });
  assertEquals(await rig.syncVolume(), []);
  const why = "due to incompatible volumeMode.";
  assertEquals([rig.queued, rig.events], [[], [
    `Warning VolumeMismatch v Cannot bind PersistentVolume to requested PersistentVolumeClaim "c" ${why}`,
    `Warning VolumeMismatch a/c Cannot bind PersistentVolume "v" to requested PersistentVolumeClaim ${why}`,
  ]]);
  const fitting = new BinderRig({ volumes: [boundVolume()], claims: [claim()] });
  assertEquals([await fitting.syncVolume(), fitting.queued], [[], ["a/c"]]);
});

const released = (parts: Parameters<typeof volume>[0]) => boundVolume({ phase: "Released", ...parts });

Deno.test("the folder of a released volume is removed, then its finalizer, then the volume", async () => {
  const rig = new BinderRig({
    volumes: [released({
      hostPath: { path: "/tmp/x" },
      persistentVolumeReclaimPolicy: "Delete",
      metadata: { finalizers: ["kubernetes.io/pv-controller", "example.com/x"] },
    })],
  });
  rig.server.world.fileContents.set("/tmp/x/y", "data");
  rig.server.world.entries.set("/tmp/x", { isFolder: true, isLink: false, owner: 0, mode: 0o755 });
  const calls = await rig.syncVolume();
  assertEquals(rig.events, []);
  assertEquals(calls.slice(-4), [
    "GET persistentvolumeclaims a/c",
    "GET persistentvolumes v",
    "PUT persistentvolumes v",
    "DELETE persistentvolumes v",
  ]);
  assertEquals(rig.server.world.fileContents.size, 0);
  const { finalizers, deletionTimestamp } = rig.volume().metadata!;
  assertEquals([finalizers, typeof deletionTimestamp], [["example.com/x"], "string"]);
});

for (const source of [{ nfs: { server: "s", path: "/" } }, { local: { path: "/tmp/x" } }]) {
  const [type] = Object.keys(source);
  Deno.test(`a released volume of type ${type} that nobody can delete has failed, and is told of once`, async () => {
    const rig = new BinderRig({ volumes: [released({ ...source, persistentVolumeReclaimPolicy: "Delete" })] });
    assertEquals(await rig.syncVolume(), ["PUT persistentvolumes/status v"]);
    const what = type === "nfs" ? "no deletable volume plugin matched" : "no volume plugin matched";
    const message = `error getting deleter volume plugin for volume "v": ${what}`;
    assertEquals(rig.events, [`Warning VolumeFailedDelete v ${message}`]);
    assertEquals([rig.volume().status?.phase, rig.volume().status?.message], ["Failed", message]);
    rig.show();
    assertEquals([await rig.syncVolume(), rig.events.length], [[], 1]);
  });
}

Deno.test("a released volume of an external provisioner is left to that", async () => {
  const given: readonly Parameters<typeof released>[0][] = [
    { metadata: { annotations: { [MADE_BY]: "vendor.com/x" } }, hostPath: { path: "/tmp/x" } },
    { metadata: { annotations: { [MIGRATED]: "ebs.csi.aws.com" } } },
    {},
  ];
  for (const parts of given) {
    const rig = new BinderRig({ volumes: [released({ ...parts, persistentVolumeReclaimPolicy: "Delete" })] });
    assertEquals([await rig.syncVolume(), rig.events], [[], []]);
  }
});

Deno.test("a volume is not recycled while pods use what its claim has left behind", async () => {
  const user = (name: string, phase: string) => ({
    metadata: { namespace: "a", name, uid: name },
    spec: { containers: [], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] },
    status: { phase },
  });
  const rig = new BinderRig({
    volumes: [released({ hostPath: { path: "/tmp/x" }, persistentVolumeReclaimPolicy: "Recycle" })],
    pods: [user("q", "Running"), user("p", "Pending"), user("r", "Succeeded")],
  });
  assertEquals(await rig.syncVolume(), ["GET persistentvolumes v", "GET persistentvolumeclaims a/c"]);
  assertEquals(rig.events, ["Normal VolumeFailedRecycle v Volume is used by pods: a/p,a/q"]);
  assertEquals(rig.volume().status?.phase, "Released");
});

Deno.test("a volume that nobody can recycle has failed", async () => {
  const rig = new BinderRig({ volumes: [released({ persistentVolumeReclaimPolicy: "Recycle" })] });
  await rig.syncVolume();
  assertEquals(rig.events, ["Warning VolumeFailedRecycle v No recycler plugin found for the volume!"]);
  assertEquals(rig.volume().status?.phase, "Failed");
});

function provisioned(provisioner: string): BinderRig {
  const classes = [storageClass("gold", { provisioner })];
  return new BinderRig({ claims: [claim({ storageClassName: "gold", phase: "Lost" })], classes });
}

const WAITING = "or manually by the system administrator. If volume creation is delayed, please verify that the " +
  "provisioner is running and correctly registered.";

Deno.test("an external provisioner is asked by annotations, and the status is not touched", async () => {
  const rig = provisioned("vendor.com/v");
  assertEquals(await rig.syncClaim(), ["PUT persistentvolumeclaims a/c"]);
  assertEquals(rig.claim().metadata?.annotations, {
    [PROVISIONER]: "vendor.com/v",
    [BETA_PROVISIONER]: "vendor.com/v",
  });
  const message = `Waiting for a volume to be created either by the external provisioner 'vendor.com/v' ${WAITING}`;
  assertEquals(rig.events, [`Normal ExternalProvisioning a/c ${message}`]);
  rig.show();
  assertEquals([await rig.syncClaim(), rig.events.length], [[], 2]);
  assertEquals(rig.claim().status?.phase, "Lost");
});

Deno.test("the CSI driver is asked to provision for a class whose plug-in it has taken over", async () => {
  const rig = provisioned("kubernetes.io/aws-ebs");
  await rig.syncClaim();
  const driver = "ebs.csi.aws.com";
  assertEquals(rig.claim().metadata?.annotations, { [PROVISIONER]: driver, [BETA_PROVISIONER]: driver });
});

Deno.test("a claim says which driver has taken over from its provisioner", async () => {
  for (const key of [PROVISIONER, BETA_PROVISIONER]) {
    const annotations = { [key]: "kubernetes.io/gce-pd" };
    const rig = new BinderRig({ claims: [claim({ metadata: { annotations } })] });
    await rig.syncClaim();
    assertEquals(rig.claim().metadata?.annotations, { ...annotations, [MIGRATED]: "pd.csi.storage.gke.io" });
  }
  const stale = { [PROVISIONER]: "vendor.com/v", [MIGRATED]: "pd.csi.storage.gke.io" };
  const rig = new BinderRig({ claims: [claim({ metadata: { annotations: stale } })] });
  await rig.syncClaim();
  assertEquals(rig.claim().metadata?.annotations, { [PROVISIONER]: "vendor.com/v" });
});

const isDefault = { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } };
const AT = "2026-01-01T00:00:00Z";

Deno.test("a claim without a class gets the default class, of several the youngest, then the first by name", async () => {
  const make = (name: string, creationTimestamp: string) =>
    storageClass(name, { metadata: { name, ...isDefault, creationTimestamp } });
  const rig = new BinderRig({ claims: [claim()], classes: [make("silver", AT), make("gold", AT)] });
  assertEquals(await rig.syncClaim(), ["PUT persistentvolumeclaims a/c"]);
  assertEquals([rig.claim().spec?.storageClassName, rig.events], ["gold", []]);
  const young = make("young", "2026-01-02T00:00:00Z");
  const other = new BinderRig({ claims: [claim()], classes: [make("gold", AT), young] });
  await other.syncClaim();
  assertEquals(other.claim().spec?.storageClassName, "young");
  const ageless = make("ageless", null as unknown as string);
  const odd = new BinderRig({ claims: [claim()], classes: [ageless, make("silver", AT)] });
  await odd.syncClaim();
  assertEquals(odd.claim().spec?.storageClassName, "silver");
});

Deno.test("a claim that asks for no class keeps it that way", async () => {
  const rig = new BinderRig({
    claims: [claim({ storageClassName: "" })],
    classes: [storageClass("gold", { metadata: { name: "gold", ...isDefault } })],
  });
  assertEquals(await rig.syncClaim(), []);
});

Deno.test("a claim says what its volume held before it was made larger", async () => {
  for (const [before, expected] of [["1Gi", "1Gi"], ["nonsense", "2Gi"], ["", "2Gi"]]) {
    const annotations = { "volume.alpha.kubernetes.io/pre-resize-capacity": before };
    const volumes = [volume({ capacity: { storage: "2Gi" }, metadata: { annotations } })];
    const rig = new BinderRig({ volumes, claims: [claim()] });
    await rig.syncClaim();
    assertEquals(rig.claim().status?.capacity, { storage: expected });
  }
});

const IN_TREE = "kubernetes.io/pv-controller";
const EXTERNAL = "external-provisioner.volume.kubernetes.io/finalizer";
const FINALIZERS: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  ["kubernetes.io/gce-pd", "Delete", [IN_TREE, EXTERNAL], [EXTERNAL]],
  ["kubernetes.io/foo", "Retain", [IN_TREE], []],
  ["kubernetes.io/foo", "Recycle", [IN_TREE, EXTERNAL, "example.com/x"], ["example.com/x"]],
  ["kubernetes.io/foo", "Delete", [EXTERNAL], [IN_TREE]],
  ["kubernetes.io/foo", "Delete", [IN_TREE], [IN_TREE]],
  ["vendor.com/v", "Delete", [IN_TREE, EXTERNAL], [IN_TREE, EXTERNAL]],
];

for (const [provisioner, policy, before, after] of FINALIZERS) {
  Deno.test(`finalizers ${before} of a volume of ${provisioner} to be treated by ${policy}`, async () => {
    const annotations = { [MADE_BY]: provisioner };
    const rig = new BinderRig({
      volumes: [volume({ persistentVolumeReclaimPolicy: policy, metadata: { annotations, finalizers: [...before] } })],
    });
    const writes = await rig.syncVolume();
    assertEquals(rig.volume().metadata?.finalizers ?? [], after);
    assertEquals(writes.length <= 1, true);
    assertEquals(rig.server.find(PERSISTENTVOLUMES, "v")?.status?.phase, "Available");
  });
}
