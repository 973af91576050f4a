/** Volumes that are recycled by pods. */
import { assertEquals, assertThrows } from "@std/assert";
import {
  type Event,
  EVENTS,
  NAMESPACES,
  type PersistentVolume,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  SERVICEACCOUNTS,
} from "../../../../src/api/mod.ts";
import { recyclersOf } from "../../../../src/controllers/persistentvolume_binder/options.ts";
import {
  OWN_TEMPLATE,
  recyclerPod,
  recyclerTemplate,
} from "../../../../src/controllers/persistentvolume_binder/recycler_pod.ts";
import { BinderRig, boundClaim, boundVolume, volume } from "./rig.ts";

const KEY = "default/recycler-for-v";
const GONE = { phase: "Released", hostPath: { path: "/data" }, persistentVolumeReclaimPolicy: "Recycle" };

class RecyclingRig extends BinderRig {
  constructor() {
    super({ volumes: [boundVolume(GONE)] });
    this.server.store(NAMESPACES, { metadata: { name: "default" }, status: { phase: "Active" } });
    this.server.store(SERVICEACCOUNTS, { metadata: { namespace: "default", name: "default", uid: "account" } });
  }

  get clock() {
    return this.server.world.clock;
  }

  pod(): Pod | undefined {
    return this.server.find(PODS, KEY);
  }

  /** Begins to recycle the volume. */
  async begin(): Promise<{ readonly end: Promise<string[]> }> {
    const end = this.syncVolume();
    for (let turn = 0; turn < 100 && !this.pod(); turn++) await this.clock.advance(0);
    return { end };
  }

  /** Says how the pod is, and lets the cache show it. */
  async say(status: Pod["status"]): Promise<void> {
    this.server.store(PODS, { ...this.pod()!, status });
    this.server.show(PODS, this.pods);
    await this.clock.advance(20_000);
  }
}

Deno.test("a volume whose pod has succeeded is available again", async () => {
  const rig = new RecyclingRig();
  const { end } = await rig.begin();
  const { spec } = rig.pod()!;
  assertEquals(spec?.volumes?.slice(0, 1), [{ name: "vol", hostPath: { path: "/data", type: "" } }]);
  assertEquals([spec?.activeDeadlineSeconds, spec?.restartPolicy], [60, "Never"]);
  await rig.say({ phase: "Running" });
  await rig.say({ phase: "Succeeded" });
  const writes = (await end).filter((call) => !/^(GET|LIST) /.test(call));
  assertEquals(writes, [
    "POST pods default",
    `DELETE pods ${KEY}`,
    "PUT persistentvolumes v",
    "PUT persistentvolumes/status v",
  ]);
  assertEquals([rig.volume().status?.phase, rig.volume().spec?.claimRef], ["Available", undefined]);
  assertEquals(rig.events, ["Normal VolumeRecycled v Volume recycled"]);
});

Deno.test("a volume whose pod has failed says why", async () => {
  for (const [message, why] of [["no space", "no space"], ["", "pod failed, pod.Status.Message unknown"]]) {
    const rig = new RecyclingRig();
    const { end } = await rig.begin();
    await rig.say({ phase: "Failed", message });
    await end;
    const text = `Recycle failed: failed to recycle volume: ${why}`;
    assertEquals([rig.volume().status?.phase, rig.volume().status?.message], ["Failed", text]);
    assertEquals([rig.events, rig.pod()], [[`Warning VolumeFailedRecycle v ${text}`], undefined]);
  }
});

Deno.test("a pod that is deleted has not recycled its volume, whether or not the cache ever showed it", async () => {
  for (const isShown of [true, false]) {
    const rig = new RecyclingRig();
    const { end } = await rig.begin();
    if (isShown) await rig.say({ phase: "Running" });
    rig.server.remove(PODS, KEY);
    rig.server.show(PODS, rig.pods);
    await rig.clock.advance(60_000);
    await end;
    assertEquals(rig.volume().status?.message, "Recycle failed: failed to recycle volume: recycler pod was deleted");
  }
});

Deno.test("a pod that an earlier manager has left behind is deleted first", async () => {
  const rig = new RecyclingRig();
  const left = recyclerPod(rig.volume(), rig.context.recyclers)!;
  rig.server.store(PODS, { ...left, metadata: { ...left.metadata, uid: "old" } });
  await rig.syncVolume();
  assertEquals([rig.pod(), rig.volume().status?.message], [
    undefined,
    "Recycle failed: old recycler pod found, will retry later",
  ]);
});

Deno.test("what is told of the pod is told of its volume, once each", async () => {
  const rig = new RecyclingRig();
  const { end } = await rig.begin();
  const event = (name: string, type: string, message: string): Event => ({
    metadata: { namespace: "default", name, uid: name },
    involvedObject: { kind: "Pod", namespace: "default", name: "recycler-for-v" },
    type,
    message,
  });
  rig.server.store(EVENTS, event("a", "Normal", "Started"), event("b", "Warning", "Slow"));
  await rig.say({ phase: "Running" });
  await rig.say({ phase: "Succeeded" });
  await end;
  assertEquals(rig.events, [
    "Normal RecyclerPod v Recycler pod: Started",
    "Warning RecyclerPod v Recycler pod: Slow",
    "Normal VolumeRecycled v Volume recycled",
  ]);
});

Deno.test("a volume whose claim the API server still has is not recycled, whatever caches show", async () => {
  const rig = new RecyclingRig();
  rig.server.store(PERSISTENTVOLUMECLAIMS, boundClaim());
  const calls = await rig.syncVolume();
  assertEquals(calls.filter((call) => !call.startsWith("GET")), []);
});

Deno.test("what is being recycled is left as it is when the controller ends", async () => {
  const rig = new RecyclingRig();
  const { end } = await rig.begin();
  await rig.clock.advance(3_000);
  rig.stop.abort();
  await rig.clock.advance(10_000);
  await end;
  assertEquals([rig.volume().status?.phase, rig.events, rig.pod() !== undefined], ["Released", [], true]);
  assertEquals(rig.clock.pendingTimers, 0);
});

const options = {
  hostPath: { template: OWN_TEMPLATE, minimumSeconds: 60, secondsPerGi: 30 },
  nfs: { template: OWN_TEMPLATE, minimumSeconds: 300, secondsPerGi: 40 },
};
const SIZES: readonly (readonly [string, Partial<PersistentVolume["spec"]>, number])[] = [
  ["1Gi", { hostPath: { path: "/" } }, 60],
  ["10Gi", { hostPath: { path: "/" } }, 300],
  ["2047Mi", { hostPath: { path: "/" } }, 60],
  ["10Gi", { nfs: { server: "s", path: "/" } }, 400],
  ["1Gi", { nfs: { server: "s", path: "/" } }, 300],
];

for (const [storage, source, seconds] of SIZES) {
  Deno.test(`the pod for ${storage} on ${Object.keys(source!)} gets ${seconds} seconds, and the template stays as it is`, () => {
    const before = structuredClone(OWN_TEMPLATE);
    const pod = recyclerPod(volume({ ...source, capacity: { storage } }), options)!;
    assertEquals(pod.spec?.activeDeadlineSeconds, seconds);
    assertEquals(pod.metadata, { namespace: "default", name: "recycler-for-v", generateName: undefined });
    assertEquals(OWN_TEMPLATE, before);
  });
}

Deno.test("a template may come from a file; one that cannot recycle anything is refused at the start", () => {
  const file =
    "apiVersion: v1\nkind: Pod\nmetadata: {namespace: x}\nspec: {containers: [], volumes: [{name: a}, {name: b}]}";
  const own = recyclersOf({
    syncPeriodMs: 1,
    provisionsHostPaths: false,
    isProvisioning: true,
    minimumTimeoutNfs: 1,
    podTemplateFilepathNfs: "/pod.yaml",
    incrementTimeoutNfs: 2,
    podTemplateFilepathHostpath: "",
    minimumTimeoutHostpath: 3,
    timeoutIncrementHostpath: 4,
  }, { text: () => file });
  assertEquals(own.hostPath, { template: OWN_TEMPLATE, minimumSeconds: 3, secondsPerGi: 4 });
  const pod = recyclerPod(volume({ nfs: { server: "s", path: "/p" } }), own)!;
  assertEquals([pod.metadata?.namespace, pod.spec?.volumes], ["x", [{ name: "a", nfs: { server: "s", path: "/p" } }, {
    name: "b",
  }]]);
  const refused: readonly (readonly [string, string])[] = [
    ["", "file was empty: /f"],
    ["{", "failed decoding file: "],
    ["[]", "failed decoding file: /f holds no Pod of v1"],
    ["null", "failed decoding file: /f holds no Pod of v1"],
    ["apiVersion: v1\nkind: Secret", "failed decoding file: /f holds no Pod of v1"],
    ["apiVersion: v1\nkind: Pod", "pod specification (/f): does not contain any volume(s)"],
    [
      '{"apiVersion":"v1","kind":"Pod","spec":{"volumes":[]}}',
      "pod specification (/f): does not contain any volume(s)",
    ],
  ];
  for (const [text, why] of refused) assertThrows(() => recyclerTemplate(text, "/f"), Error, why);
});
