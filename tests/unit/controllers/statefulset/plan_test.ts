import { assertEquals, assertThrows } from "@std/assert";
import type { Pod, StatefulSetUpdateStrategy } from "../../../../src/api/mod.ts";
import {
  firstUnavailable,
  maxUnavailableOf,
  planCondemned,
  planSlot,
  planUpdate,
  type View,
} from "../../../../src/controllers/statefulset/plan.ts";
import { identityOf } from "../../../../src/controllers/statefulset/identity.ts";
import { placePods, type Slot } from "../../../../src/controllers/statefulset/slots.ts";
import { countReplicas, needsWrite } from "../../../../src/controllers/statefulset/status.ts";
import { storageMatches } from "../../../../src/controllers/statefulset/storage.ts";
import { NOW_MS } from "../fake_times.ts";
import { pod, revisionNameOf, statefulSet, template } from "./fixtures.ts";

const DELETING = "2026-01-01T00:00:00Z";
const ORDERED: View = { isOrdered: true, minReadySeconds: 0, nowMs: NOW_MS };
const PARALLEL: View = { ...ORDERED, isOrdered: false };
const TEMPLATES = {
  current: { template: template("i:1"), revision: revisionNameOf("i:1") },
  update: { template: template("i:2"), revision: revisionNameOf("i:2") },
};
const going = (ordinal: number) => pod(ordinal, { deletionTimestamp: DELETING });
const unready = (ordinal: number, traits = {}) => pod(ordinal, { readyFor: null, ...traits });

/** What is done for a pod, and whether an ordered set stops at it. */
const SLOTS: readonly { name: string; found?: Pod; isStale?: boolean; ordered: string; parallel: string }[] = [
  { name: "a missing pod", ordered: "create, stop", parallel: "create repair" },
  { name: "a missing pod whose claim is still to go", isStale: true, ordered: "stop", parallel: "stop" },
  { name: "a healthy pod", found: pod(0), ordered: "repair", parallel: "repair" },
  { name: "a failed pod", found: pod(0, { phase: "Failed" }), ordered: "delete, stop", parallel: "delete, stop" },
  {
    name: "a failed pod that is going",
    found: pod(0, { phase: "Failed", deletionTimestamp: DELETING }),
    ordered: "stop",
    parallel: "stop",
  },
  { name: "a pod that is going", found: going(0), ordered: "stop", parallel: "repair" },
  { name: "an unready pod", found: unready(0), ordered: "stop", parallel: "repair" },
  {
    name: "a pending pod",
    found: unready(0, { phase: "Pending" }),
    ordered: "completeClaims, stop",
    parallel: "completeClaims repair",
  },
];

for (const { name, found, isStale = false, ...expected } of SLOTS) {
  Deno.test(`planSlot() for ${name}`, () => {
    const textOf = (view: View) => {
      const { actions, stops } = planSlot({ found }, { ...view, hasStaleClaim: () => isStale });
      return [...actions.length > 0 ? [actions.join(" ")] : [], ...stops ? ["stop"] : []].join(", ");
    };
    assertEquals({ ordered: textOf(ORDERED), parallel: textOf(PARALLEL) }, expected);
  });
}

Deno.test("planSlot() waits for a pod that has not been ready for minReadySeconds", () => {
  const view = { ...ORDERED, minReadySeconds: 30, hasStaleClaim: () => false };
  assertEquals(planSlot({ found: pod(0, { readyFor: 29 }) }, view).stops, true);
  assertEquals(planSlot({ found: pod(0, { readyFor: 30 }) }, view).stops, false);
});

Deno.test("planCondemned() deletes one pod at a time in order, and an unwell one only if it is the first of all", () => {
  const sick = unready(4);
  const plan = (target: Pod, view: View, firstUnavailable?: Pod) =>
    planCondemned(target, { ...view, firstUnavailable });
  assertEquals(plan(pod(4), ORDERED), { isDeleted: true, stops: true });
  assertEquals(plan(going(4), ORDERED), { isDeleted: false, stops: true });
  assertEquals(plan(going(4), PARALLEL), { isDeleted: false, stops: false });
  assertEquals(plan(sick, ORDERED, unready(3)), { isDeleted: false, stops: true });
  assertEquals(plan(sick, ORDERED, sick), { isDeleted: true, stops: true });
  assertEquals(plan(sick, PARALLEL, unready(3)), { isDeleted: true, stops: true });
});

Deno.test("placePods() fills what is missing, condemns what is out of range, and ignores what has no number", () => {
  const set = statefulSet({ replicas: 2, ordinals: { start: 1 } });
  const pods = [pod(0), pod(2), pod(5), pod("web-99999999999")];
  const { slots, condemned } = placePods(set, pods, TEMPLATES);
  assertEquals(slots.map(({ name, found }) => [name, found !== undefined]), [["web-1", false], ["web-2", true]]);
  assertEquals(condemned.map(({ metadata }) => metadata?.name), ["web-5", "web-0"]);
});

const STRATEGIES: readonly {
  name: string;
  updateStrategy: StatefulSetUpdateStrategy;
  current: number;
  keeps: number;
}[] = [
  {
    name: "below the partition",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    current: 3,
    keeps: 2,
  },
  {
    name: "where an update without partition has not come",
    updateStrategy: { type: "RollingUpdate" },
    current: 1,
    keeps: 1,
  },
  { name: "nowhere with OnDelete", updateStrategy: { type: "OnDelete" }, current: 3, keeps: 0 },
];

for (const { name, updateStrategy, current, keeps } of STRATEGIES) {
  Deno.test(`placePods() makes missing pods as they were ${name}`, () => {
    const status = { replicas: 0, currentReplicas: current };
    const { slots } = placePods(
      statefulSet({ updateStrategy, status, ordinals: { start: 7 }, podManagementPolicy: "Parallel" }),
      [],
      TEMPLATES,
    );
    const images = slots.map((slot) => slot.pod.spec?.containers[0].image);
    assertEquals(images, [0, 1, 2].map((i) => i < keeps ? "i:1" : "i:2"));
    assertEquals(slots.map(({ revision }) => revision === TEMPLATES.current.revision), [0, 1, 2].map((i) => i < keeps));
  });
}

Deno.test("identityOf() reads numbers of 32 bits", () => {
  const read = (name: string) => Object.values(identityOf(name));
  assertEquals([read("web-0"), read("a-b-007")], [["web", 0], ["a-b", 7]]);
  assertEquals([read("web-2147483647"), read("web-2147483648")], [["web", 2147483647], ["web", -1]]);
  assertEquals([read("web"), read("web-x"), read("-1")], [["", -1], ["", -1], ["", 1]]);
});

Deno.test("storageMatches() objects to a pod without a number", () => {
  assertEquals([storageMatches(statefulSet(), pod("web-x")), storageMatches(statefulSet(), pod(0))], [false, true]);
});

Deno.test("placePods() looks at no more missing pods than one sync can come to, however many are wanted", () => {
  const replicas = 2 ** 31 - 1;
  const place = (podManagementPolicy: string, ...pods: Pod[]) =>
    placePods(statefulSet({ replicas, podManagementPolicy }), pods, TEMPLATES).slots.map(({ ordinal }) => ordinal);
  assertEquals(place("OrderedReady", pod(0), pod(70), pod(2), pod(9)), [0, 1, 2, 9, 70]);
  const parallel = place("Parallel", pod(20_000));
  assertEquals([parallel.length, parallel.at(-1)], [10_001, 20_000]);
});

Deno.test("firstUnavailable() is the unwell pod with the lowest number, wanted ones before the others", () => {
  const place = (...pods: Pod[]) => placePods(statefulSet({ replicas: 2 }), pods, TEMPLATES);
  const name = (...pods: Pod[]) => firstUnavailable(place(...pods), ORDERED)?.metadata?.name;
  assertEquals(name(pod(0), unready(1), unready(5)), "web-1");
  assertEquals(name(pod(0), pod(1), unready(5), going(3)), "web-3");
  assertEquals(name(pod(0), pod(1)), undefined);
});

const rolled = (...pods: Pod[]): readonly Slot[] =>
  placePods(statefulSet({ replicas: pods.length }), pods, TEMPLATES).slots;
const old = (ordinal: number) => pod(ordinal);
const fresh = (ordinal: number, traits = {}) => pod(ordinal, { image: "i:2", ...traits });

function update(slots: readonly Slot[], updateStrategy: StatefulSetUpdateStrategy, maxUnavailable?: number): string[] {
  const view = { ...ORDERED, revision: TEMPLATES.update.revision, maxUnavailable };
  return planUpdate(statefulSet({ updateStrategy }), slots, view).map(({ name }) => name);
}

const from = (partition: number) => ({ type: "RollingUpdate", rollingUpdate: { partition } });

Deno.test("planUpdate() deletes the outdated pod with the highest number, and waits for those above it", () => {
  assertEquals(update(rolled(old(0), old(1), old(2)), from(0)), ["web-2"]);
  assertEquals(update(rolled(old(0), old(1), fresh(2)), from(0)), ["web-1"]);
  assertEquals(update(rolled(old(0), old(1), fresh(2, { readyFor: null })), from(0)), []);
  assertEquals(update(rolled(old(0), old(1), going(2)), from(0)), []);
  assertEquals(update(rolled(old(0), unready(1), fresh(2)), from(0)), ["web-1"], "an outdated pod need not be well");
  assertEquals(update(rolled(fresh(0), fresh(1)), from(0)), []);
});

Deno.test("planUpdate() stops at the partition, and does nothing with OnDelete", () => {
  assertEquals(update(rolled(old(0), old(1), fresh(2)), from(2)), []);
  assertEquals(update(rolled(old(0), old(1), old(2)), from(7)), []);
  assertEquals(update(rolled(old(0), old(1)), { type: "OnDelete" }), []);
});

Deno.test("planUpdate() deletes as many as may be unavailable, where the feature is on", () => {
  const five = [old(0), old(1), old(2), old(3), old(4)];
  assertEquals(update(rolled(...five), from(0), 2), ["web-4", "web-3"]);
  assertEquals(update(rolled(unready(0), ...five.slice(1)), from(0), 2), ["web-4"]);
  assertEquals(update(rolled(unready(0), unready(1), ...five.slice(2)), from(0), 2), []);
  assertEquals(update(rolled(...five.slice(0, 4), fresh(4)), from(3), 2), ["web-3"]);
});

Deno.test("maxUnavailableOf() is a number or a percentage rounded down, at least one", () => {
  const most = (replicas: number, maxUnavailable?: number | string) =>
    maxUnavailableOf(
      statefulSet({ replicas, updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } } }),
    );
  assertEquals([most(10), most(25, "10%"), most(5, "50%"), most(5, "10%"), most(5, 0), most(5, 3)], [1, 2, 2, 1, 1, 3]);
  assertThrows(() => most(5, "many"), Error, "invalid value for IntOrString");
});

Deno.test("countReplicas() counts what exists, what serves, and what is of which revision", () => {
  const options = { minReadySeconds: 30, current: revisionNameOf("i:1"), update: revisionNameOf("i:2"), nowMs: NOW_MS };
  const unknown = pod(5, { phase: "" });
  const pods = [old(0), fresh(1, { readyFor: 10 }), unready(2), going(3), pod(4, { phase: "Failed" }), unknown];
  assertEquals(countReplicas(pods, options), {
    replicas: 5,
    readyReplicas: 3,
    availableReplicas: 2,
    currentReplicas: 3,
    updatedReplicas: 1,
  });
});

Deno.test("needsWrite() is true for a newer generation or other numbers, not for another collision count", () => {
  const status = {
    observedGeneration: 3,
    replicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    currentReplicas: 1,
    updatedReplicas: 1,
    currentRevision: "a",
    updateRevision: "a",
  };
  const set = statefulSet({ status });
  assertEquals(needsWrite(set, { ...status, collisionCount: 2 }), false);
  assertEquals(needsWrite(set, { ...status, observedGeneration: 2 }), false);
  for (
    const change of [
      { observedGeneration: 4 },
      { replicas: 2 },
      { readyReplicas: 0 },
      { availableReplicas: 0 },
      { currentRevision: "b" },
      { updateRevision: "b" },
      { updatedReplicas: 0 },
      { currentReplicas: 0 },
    ]
  ) {
    assertEquals(needsWrite(set, { ...status, ...change }), true);
  }
});
