import { assertEquals } from "@std/assert";
import { parseJson } from "../../../../src/base/mod.ts";
import { claimOf, DeviceRig, rule, slice, taint, tolerated, user } from "./rig.ts";

Deno.test("device eviction: of a tainted device its user is evicted at once, others are not", async () => {
  await using rig = new DeviceRig();
  rig.slices.set(slice({ d: [taint(rig)], e: [] }));
  rig.addUser("p");
  rig.addUser("other", { device: "e" });
  await rig.seconds(1);
  assertEquals(rig.calls, ["PATCH p", "DELETE p p"]);
  assertEquals(rig.events, ["p: Marking for deletion"]);
});

Deno.test("device eviction: a pod without a node is left alone until it has one", async () => {
  await using rig = new DeviceRig();
  rig.slices.set(slice({ d: [taint(rig)] }));
  rig.addUser("p", { nodeName: "" });
  await rig.seconds(20);
  assertEquals(rig.calls, []);
  rig.pods.set(user("p"));
  await rig.seconds(1);
  assertEquals(rig.deleted, ["p"]);
});

/** What is tolerated, and after how many seconds the pod is gone; `undefined`: never. */
const TOLERATIONS = [
  ["for a minute", [tolerated(60)], 60],
  ["for a minute and for an hour", [tolerated(3600), tolerated(60)], 60],
  ["for good", [tolerated()], undefined],
  ["for good and for a minute", [tolerated(60), tolerated()], undefined],
  ["without effect", [tolerated(60, { effect: undefined })], 0],
  ["of another effect", [tolerated(60, { effect: "NoSchedule" })], 0],
  ["of another key", [tolerated(60, { key: "example.com/other" })], 0],
  ["of any key", [tolerated(60, { key: undefined })], 60],
  ["of another value", [tolerated(60, { operator: "Equal", value: "x" })], 0],
  ["by an operator that there is not", [tolerated(60, { operator: "Near" })], 0],
  ["for less than no time", [tolerated(-60)], 0],
  ["for 292 years", [tolerated(9_223_372_036)], undefined],
  ["for longer than durations can be", [tolerated(9_223_372_037)], undefined],
  ["for longer than numbers can be", [tolerated(parseJson("9223372036854775807") as number)], undefined],
  ["for far less than no time", [tolerated(parseJson("-9223372036854775808") as number)], 0],
] as const;

for (const [what, tolerations, goneAfter] of TOLERATIONS) {
  const when = goneAfter === undefined ? "stays" : `goes after ${goneAfter} s`;
  Deno.test(`device eviction: a taint that is tolerated ${what}: the pod ${when}`, async () => {
    await using rig = new DeviceRig();
    rig.slices.set(slice({ d: [taint(rig)] }));
    rig.addUser("p", { tolerations: [...tolerations] });
    if (goneAfter) {
      await rig.seconds(goneAfter - 1);
      assertEquals(rig.deleted, []);
      await rig.seconds(2);
    } else await rig.seconds(600);
    assertEquals(rig.deleted, goneAfter === undefined ? [] : ["p"]);
  });
}

Deno.test("device eviction: of many taints the earliest counts, and time that has passed counts too", async () => {
  await using rig = new DeviceRig();
  const hot = { key: "example.com/hot" };
  rig.slices.set(slice({ d: [taint(rig, { agoSeconds: -30 }), taint(rig, { ...hot, agoSeconds: 50 })] }));
  rig.addUser("p", { tolerations: [tolerated(60, { key: undefined })] });
  await rig.seconds(9);
  assertEquals(rig.deleted, []);
  await rig.seconds(2);
  assertEquals(rig.deleted, ["p"]);
});

Deno.test("device eviction: a taint from the year 1 or 9999 is one", async () => {
  await using rig = new DeviceRig();
  rig.slices.set(
    slice({
      d: [taint(rig, { timeAdded: "0001-01-02T00:00:00Z" })],
      e: [taint(rig, { timeAdded: "9999-12-31T23:59:59Z" })],
    }),
  );
  rig.addUser("p", { tolerations: [tolerated(9_000_000_000)] });
  rig.addUser("q", { device: "e" });
  await rig.seconds(60);
  assertEquals(rig.deleted, ["p"], "285 years after the year 1 have passed long ago");
});

const CALLED_OFF: Readonly<Record<string, (rig: DeviceRig) => void>> = {
  "the taint goes": (rig) => rig.slices.set(slice({ d: [] })),
  "a new generation lacks it": (rig) => rig.slices.set(slice({ d: [] }, { name: "new", generation: 2 })),
  "the slice goes": (rig) => rig.slices.remove("s"),
  "the claim goes": (rig) => rig.claims.remove("a/p"),
  "the claim loses its device": (rig) => rig.claims.set({ ...claimOf("p"), status: {} }),
  "the claim is reserved for others": (rig) => {
    const { status, ...claim } = claimOf("p");
    rig.claims.set({ ...claim, status: { ...status, reservedFor: [{ resource: "pods", name: "p", uid: "other" }] } });
  },
};

for (const [what, change] of Object.entries(CALLED_OFF)) {
  Deno.test(`device eviction: an eviction is called off when ${what}`, async () => {
    await using rig = new DeviceRig();
    rig.slices.set(slice({ d: [taint(rig)] }));
    rig.addUser("p", { tolerations: [tolerated(60)] });
    await rig.seconds(30);
    change(rig);
    await rig.seconds(120);
    assertEquals([rig.deleted, rig.events], [[], ["p: Cancelling deletion"]]);
  });
}

Deno.test("device eviction: a pod that goes before its time is told nothing, nor is one of its name", async () => {
  await using rig = new DeviceRig();
  rig.slices.set(slice({ d: [taint(rig)] }));
  rig.addUser("p", { tolerations: [tolerated(60)] });
  rig.addUser("q", { tolerations: [tolerated(60)] });
  await rig.seconds(30);
  rig.pods.remove("a/p");
  rig.pods.set(user("q", { uid: "another" }));
  await rig.seconds(120);
  assertEquals([rig.calls, rig.events], [[], []]);
});

Deno.test("device eviction: a pod that was replaced on the server alone is left alone", async () => {
  await using rig = new DeviceRig();
  rig.live.set("a/p", user("p", { uid: "another" }));
  rig.live.set("a/q", undefined);
  rig.live.set("a/r", { ...user("r"), metadata: { ...user("r").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
  rig.slices.set(slice({ d: [taint(rig)] }));
  for (const name of ["p", "q", "r"]) rig.addUser(name);
  await rig.seconds(5);
  assertEquals([rig.calls, rig.events], [[], []]);
  const total = "device_taint_eviction_controller_pod_deletions_total 1";
  assertEquals(rig.metrics.render().includes(total), true, "one that is ending anyway counts");
});

Deno.test("device eviction: what fails is tried again, and counts once", async () => {
  await using rig = new DeviceRig();
  rig.refusals.push(500, 500);
  rig.slices.set(slice({ d: [taint(rig)] }));
  rig.addUser("p");
  await rig.seconds(5);
  assertEquals(rig.deleted, ["p"]);
  assertEquals(rig.metrics.render().includes("pod_deletions_total 1\n"), true);
});

Deno.test("device eviction: a pod that lingers is not evicted twice, whatever changes", async () => {
  await using rig = new DeviceRig();
  rig.removesDeleted = false;
  rig.slices.set(slice({ d: [taint(rig)] }));
  rig.addUser("p");
  await rig.seconds(1);
  rig.slices.set(slice({ d: [] }));
  await rig.seconds(1);
  rig.slices.set(slice({ d: [taint(rig)] }));
  rig.claims.set(claimOf("p"));
  await rig.seconds(5);
  assertEquals([rig.deleted, rig.events], [["p"], ["p: Marking for deletion"]]);
});

Deno.test("device eviction: claims from templates have to be the pod's own, of groups only where these count", async () => {
  const controlledBy = (kind: string, name: string, uid: string, apiVersion = "v1") => ({
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
  });
  const group = controlledBy("PodGroup", "g", "gu", "scheduling.k8s.io/v1alpha2");
  for (const withGroups of [false, true]) {
    await using rig = new DeviceRig({ gates: withGroups ? ["DRAWorkloadResourceClaims"] : [] });
    rig.slices.set(slice({ d: [taint(rig)] }));
    for (const name of ["own", "foreign", "shared", "untold"]) {
      const pod = user(name);
      const spec = {
        ...pod.spec!,
        resourceClaims: [{ name: "r", resourceClaimTemplateName: "t" }],
        schedulingGroup: { podGroupName: "g" },
      };
      const status = name === "untold" ? {} : { resourceClaimStatuses: [{ name: "r", resourceClaimName: name }] };
      rig.pods.set({ ...pod, spec, status });
      const { metadata, ...claim } = claimOf(name);
      const owner = name === "own" ? controlledBy("Pod", name, name) : name === "shared" ? group : {};
      rig.claims.set({ ...claim, metadata: { ...metadata, ...owner } });
    }
    const { status, ...shared } = claimOf("shared");
    const reservedFor = [{ apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "g", uid: "gu" }];
    rig.claims.set({ ...shared, metadata: { ...shared.metadata, ...group }, status: { ...status, reservedFor } });
    await rig.seconds(5);
    assertEquals(rig.deleted.sort(), withGroups ? ["own", "shared"] : ["own"]);
  }
});

Deno.test("device eviction: rules say how far they are, at most every ten seconds", async () => {
  await using rig = new DeviceRig();
  rig.removesDeleted = true;
  rig.addUser("p", { tolerations: [tolerated(60)] });
  rig.addUser("q", { namespace: "b", device: "e", tolerations: [tolerated(60)] });
  const now = taint(rig).timeAdded;
  const since = { ...rule("r"), spec: { ...rule("r").spec, taint: { ...rule("r").spec.taint, timeAdded: now } } };
  rig.rules.set(since);
  await rig.seconds(1);
  assertEquals(rig.said.get("r"), "True PodsPendingEviction 2 pods need to be evicted in 2 different namespaces.");
  await rig.seconds(61);
  assertEquals(rig.deleted.sort(), ["p", "q"]);
  await rig.seconds(12);
  assertEquals(rig.said.get("r"), "False Completed 2 pods evicted since starting the controller.");
});

Deno.test("device eviction: a rule without effect counts, and another effect reports that it evicts nothing", async () => {
  await using rig = new DeviceRig();
  rig.slices.set(slice({ d: [], e: [] }));
  rig.addUser("p");
  rig.addUser("tolerant", { tolerations: [tolerated()] });
  rig.rules.set(rule("none", "None"));
  rig.rules.set(rule("other", "NoSchedule"));
  rig.rules.set(rule("nobody", "NoExecute", { pool: "q" }));
  await rig.seconds(2);
  assertEquals(
    rig.said.get("none"),
    "False NoEffect 2 published devices selected. 2 allocated devices selected. 1 pod would be evicted in 1 namespace if " +
      "the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
  );
  assertEquals(rig.said.get("other"), "False OtherEffect Eviction only happens for the NoExecute effect.");
  assertEquals([rig.said.get("nobody"), rig.deleted], ["False NotStarted", []]);
});

Deno.test("device eviction: timers of pods that have gone are not kept", async () => {
  await using rig = new DeviceRig();
  rig.slices.set(slice({ d: [taint(rig)] }));
  for (let i = 0; i < 500; i++) rig.addUser(`p${i}`, { tolerations: [tolerated(1e9)] });
  await rig.seconds(5);
  for (let i = 0; i < 500; i++) rig.pods.remove(`a/p${i}`);
  await rig.seconds(15);
  assertEquals(rig.world.clock.pendingTimers <= 1, true, "only the one that looks at the time is left");
});
