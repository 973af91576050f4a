/** Which PodGroups are let go, and when. */
import { assertEquals, assertRejects } from "@std/assert";
import { type Pod, type PodGroup, PODGROUPS } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { DeletedFinalStateUnknown, Indexer } from "../../../../src/cache/mod.ts";
import { ACTIVE_POD_INDEX, activeGroupOf } from "../../../../src/controllers/podgroup_protection/groups_of_pods.ts";
import { groupHandler, podHandler } from "../../../../src/controllers/podgroup_protection/handlers.ts";
import { syncGroup } from "../../../../src/controllers/podgroup_protection/sync.ts";
import { statusErrorOf } from "../../../../src/client/mod.ts";
import { statusError } from "../status_errors.ts";

const GUARD = "scheduling.k8s.io/podgroup-protection";
const DELETED = "2026-01-01T00:00:00Z";

function group({ isDeleted = true, finalizers = ["a", GUARD, "b"] } = {}): PodGroup {
  const metadata = { name: "g", namespace: "n", resourceVersion: "5", finalizers };
  return {
    metadata: isDeleted ? { ...metadata, deletionTimestamp: DELETED } : metadata,
    spec: { schedulingPolicy: { basic: {} } },
  };
}

function pod(
  phase: string | undefined,
  { podGroupName = "g", uid = "1" }: Record<string, string | undefined> = {},
): Pod {
  return {
    metadata: { name: `p-${phase}`, namespace: "n", uid },
    spec: { containers: [], schedulingGroup: podGroupName === "" ? undefined : { podGroupName } },
    status: { phase },
  };
}

/** Syncs a group, and gives what was written. */
async function written(cached: PodGroup | undefined, pods: readonly Pod[], error?: Error): Promise<PodGroup[]> {
  const writes: PodGroup[] = [];
  const indexer = new Indexer<Pod>({ indexers: { [ACTIVE_POD_INDEX]: activeGroupOf } });
  for (const each of pods) indexer.add(each);
  await syncGroup("n/g", {
    world: new FakeWorld(),
    groups: { get: (namespace, name) => namespace === "n" && name === "g" ? cached : undefined },
    pods: indexer,
    client: {
      update: (resource, object) => {
        assertEquals(resource.plural, PODGROUPS.plural);
        if (error) return Promise.reject(error);
        writes.push(object as unknown as PodGroup);
        return Promise.resolve(object);
      },
    },
  });
  return writes;
}

const TABLE: ReadonlyArray<
  readonly [title: string, cached: PodGroup | undefined, pods: readonly Pod[], goes: boolean]
> = [
  ["a new group without the guard", group({ isDeleted: false, finalizers: [] }), [], false],
  ["a new group without the guard, with pods", group({ isDeleted: false, finalizers: [] }), [pod("Running")], false],
  ["a group that is not deleted", group({ isDeleted: false }), [], false],
  ["a deleted group without pods", group(), [], true],
  ["a deleted group with a running pod", group(), [pod("Running")], false],
  ["a deleted group with a pod that nobody scheduled", group(), [pod("Pending")], false],
  ["a deleted group with a pod of no phase", group(), [pod(undefined)], false],
  ["a deleted group whose pods have ended", group(), [pod("Succeeded"), pod("Failed")], true],
  ["a deleted group with one active and one ended pod", group(), [pod("Running"), pod("Failed")], false],
  ["a deleted group without the guard", group({ finalizers: ["a"] }), [], false],
  ["pods without a group", group(), [pod("Running", { podGroupName: "" })], true],
  ["pods of another group", group(), [pod("Running", { podGroupName: "h" })], true],
  ["a group that is gone", undefined, [pod("Failed")], false],
];

for (const [title, cached, pods, goes] of TABLE) {
  Deno.test(`PodGroup protection: ${title} ${goes ? "goes" : "is left alone"}`, async () => {
    const writes = await written(cached, pods);
    const { metadata, ...rest } = cached ?? {};
    assertEquals(writes, goes ? [{ ...rest, metadata: { ...metadata, finalizers: ["a", "b"] } } as PodGroup] : []);
  });
}

Deno.test("PodGroup protection: a write that fails fails the sync", async () => {
  const error = await assertRejects(() => written(group(), [], statusError(409, "Conflict")));
  assertEquals(statusErrorOf(error)?.code, 409);
});

/** What handlers queue. */
function queued() {
  const keys: string[] = [];
  const queue = { add: (key: string) => void keys.push(key) };
  const taken = () => keys.splice(0);
  return { taken, groups: groupHandler(queue), pods: podHandler(queue) };
}

Deno.test("PodGroup protection: groups are queued that wait to be let go", () => {
  const { groups, taken } = queued();
  groups.onAdd?.(group(), false);
  groups.onUpdate?.(group({ isDeleted: false }), group());
  assertEquals(taken(), ["n/g", "n/g"]);
  groups.onAdd?.(group({ isDeleted: false }), false);
  groups.onAdd?.(group({ finalizers: [] }), false);
  groups.onUpdate?.(group(), group({ finalizers: [] }));
  assertEquals(taken(), []);
});

Deno.test("PodGroup protection: groups are queued whose pods end or go", () => {
  const { pods, taken } = queued();
  pods.onAdd?.(pod("Running"), false);
  pods.onUpdate?.(pod("Pending"), pod("Running"));
  pods.onAdd?.(pod("Failed", { podGroupName: "" }), false);
  pods.onDelete?.(new DeletedFinalStateUnknown<Pod>("n/p", undefined));
  assertEquals(taken(), []);
  pods.onAdd?.(pod("Failed"), false);
  pods.onUpdate?.(pod("Running"), pod("Succeeded"));
  pods.onDelete?.(pod("Running"));
  pods.onDelete?.(new DeletedFinalStateUnknown("n/p", pod("Running")));
  assertEquals(taken(), Array(4).fill("n/g"));
  pods.onUpdate?.(pod("Running", { podGroupName: "before", uid: "1" }), pod("Running", { uid: "2" }));
  assertEquals(taken(), ["n/before"]);
});
