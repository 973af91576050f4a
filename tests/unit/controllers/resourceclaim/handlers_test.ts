import { assert, assertEquals } from "@std/assert";
import { FakeClock, LruMap, MetricsRegistry, TurnBudget } from "../../../../src/base/mod.ts";
import type {
  Pod,
  PodGroup,
  ResourceClaimConsumerReference,
  ResourceV1ResourceClaim,
} from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown, Lister } from "../../../../src/cache/mod.ts";
import {
  claimHandler,
  groupHandler,
  podHandler,
  templateHandler,
} from "../../../../src/controllers/resourceclaim/handlers.ts";
import { CountingBudget } from "../counting_budget.ts";
import { claimMetrics, counted } from "../../../../src/controllers/resourceclaim/metrics.ts";
import { claimNamePrefix } from "../../../../src/controllers/resourceclaim/new_claim.ts";
import {
  ALLOCATION,
  AT,
  byName,
  claim,
  ClaimRig,
  consumer,
  fromTemplate,
  group,
  KEEPER,
  named,
  ownedBy,
  ownedByGroup,
  pod,
  POD_CLAIM,
  type PodTraits,
  template,
} from "./rig.ts";

function setUp(rig = new ClaimRig(), budget = new TurnBudget(new FakeClock())) {
  const keys: string[] = [];
  const gone = new LruMap<string, true>(2);
  const { pods, created } = rig.show();
  const queue = { add: (key: string) => void keys.push(key) };
  const context = { queue, pods, claims: new Lister(rig.claims), groups: rig.groups, gone, created, budget };
  const heard = () => keys.splice(0);
  return {
    pods: podHandler(context),
    claims: claimHandler(context),
    templates: templateHandler(context),
    groups: groupHandler(context),
    gone,
    heard,
  };
}

const EXTENDED = { extendedResourceClaimStatus: { resourceClaimName: "e", requestMappings: [] } };

/** Pods, and what they queue when they come or change. */
const PODS_HEARD: ReadonlyArray<readonly [what: string, traits: PodTraits, keys: readonly string[]]> = [
  ["that asks for nothing", { claims: [] }, []],
  ["whose claim is to be made", {}, ["pod:a/p"]],
  ["whose claim is gone", { status: named({ x: "gone" }) }, ["pod:a/p"]],
  ["whose claim is there", { status: named({ x: "own" }) }, []],
  ["that needs no claim", { status: named({ x: null }) }, []],
  ["whose claim is another's", { status: named({ x: "free" }) }, []],
  ["whose claim a user has yet to create", { claims: [byName("gone")] }, []],
  ["whose claim has no device", { claims: [byName("empty")], nodeName: "n" }, []],
  ["whose claim is to be reserved", { claims: [byName("free")], nodeName: "n" }, ["pod:a/p"]],
  ["whose claim the scheduler will reserve", { claims: [byName("free")] }, []],
  ["that ends", { status: { phase: "Succeeded", ...named({ x: "own" }) } }, ["claim:a/own"]],
  ["that ends before it has a claim", { status: { phase: "Failed" } }, []],
  ["that ends with a claim of the scheduler", { claims: [], status: { phase: "Failed", ...EXTENDED } }, ["claim:a/e"]],
  ["that runs with a claim of the scheduler", { claims: [], status: { phase: "Running", ...EXTENDED } }, []],
  ["that goes without a node", { claims: [byName("free")], metadata: { deletionTimestamp: AT } }, ["claim:a/free"]],
  ["that goes from its node", { claims: [byName("free")], nodeName: "n", metadata: { deletionTimestamp: AT } }, []],
];

for (const [what, traits, keys] of PODS_HEARD) {
  Deno.test(`a pod ${what} queues ${keys.join(", ") || "nothing"}`, () => {
    const claims = [claim("own", ownedBy("p")), claim("free", {}, { allocation: ALLOCATION }), claim("empty")];
    const { pods, heard } = setUp(new ClaimRig().store({ claims }));
    pods.onAdd?.(pod(traits), false);
    assertEquals(heard(), keys);
    pods.onUpdate?.(pod(traits), pod(traits));
    assertEquals(heard(), keys);
  });
}

Deno.test("a pod that is gone queues its claims and is remembered, also if another has its name", () => {
  const { pods, heard, gone } = setUp();
  pods.onDelete?.(pod({ claims: [] }));
  assertEquals([heard(), gone.size], [[], 0]);
  pods.onDelete?.(new DeletedFinalStateUnknown("a/p", pod({ claims: [byName("c")], status: EXTENDED })));
  assertEquals([heard(), gone.has("p")], [["claim:a/c", "claim:a/e"], true]);
  pods.onUpdate?.(pod({ claims: [byName("c")], metadata: { uid: "old" } }), pod({ claims: [byName("d")] }));
  assertEquals([heard(), gone.has("old")], [["claim:a/c"], true]);
});

Deno.test("a claim queues pods to which it gives something to do", () => {
  const free = claim("free", {}, { allocation: ALLOCATION });
  const waiting = pod({ claims: [byName("free")], nodeName: "n" });
  const { claims, heard } = setUp(new ClaimRig().store({ claims: [free], pods: [waiting] }));
  claims.onAdd?.(free, false);
  assertEquals(heard(), ["pod:a/p"]);
  claims.onUpdate?.(claim("other"), claim("other"));
  assertEquals(heard(), []);
});

const OTHER = { apiGroup: "example.com", resource: "things", name: "t", uid: "t" };

/** For whom a claim may be reserved. */
const RESERVATIONS: Readonly<Record<string, readonly ResourceClaimConsumerReference[]>> = {
  "nobody": [],
  "a pod that lives": [consumer("lives")],
  "a pod that has ended": [consumer("ended")],
  "a pod that goes without a node": [consumer("goes")],
  "a pod that is known to be gone": [consumer("lives", "gone")],
  "a pod that was replaced": [consumer("lives", "old")],
  "a pod that no cache shows": [consumer("unknown")],
  "something else": [OTHER],
  "several, of which one has ended": [consumer("lives"), OTHER, consumer("ended")],
  "a group that lives": [{ apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "g", uid: "g" }],
};

/** What else may be said of a claim. */
const CLAIM_METADATA: Readonly<Record<string, ResourceV1ResourceClaim["metadata"]>> = {
  "of a user": {},
  "that is held": { finalizers: [KEEPER] },
  "that is held and deleted": { finalizers: [KEEPER], deletionTimestamp: AT },
  "that others keep though it is deleted": { finalizers: ["example.com/x"], deletionTimestamp: AT },
  "made for a pod that lives": ownedBy("lives"),
  "made for a pod that has ended": ownedBy("ended"),
  "made for a pod that is gone": ownedBy("unknown"),
};

for (const withGroups of [false, true]) {
  for (const [users, reservedFor] of Object.entries(RESERVATIONS)) {
    for (const [what, metadata] of Object.entries(CLAIM_METADATA)) {
      const groups = withGroups ? ", where groups count," : "";
      Deno.test(`a claim ${what}, reserved for ${users},${groups} queues itself if it has something to do`, async () => {
        const changed = claim("c", metadata, { allocation: ALLOCATION, reservedFor: [...reservedFor] });
        const rig = new ClaimRig({ withGroups });
        const done = { phase: "Succeeded" };
        const goes = { name: "goes", uid: "goes", deletionTimestamp: AT, finalizers: ["example.com/x"] };
        rig.store({
          claims: [changed],
          groups: [group()],
          pods: [
            pod({ metadata: { name: "lives", uid: "lives" } }),
            pod({ metadata: { name: "ended", uid: "ended" }, status: done }),
            pod({ metadata: goes }),
          ],
        });
        rig.gone.set("gone", true);
        const { claims, heard, gone } = setUp(rig);
        gone.set("gone", true);
        claims.onUpdate?.(changed, changed);
        const keys = heard();
        const requests = await rig.syncClaim();
        assertEquals(keys, requests.length > 0 ? ["claim:a/c"] : [], `${requests}`);
      });
    }
  }
}

Deno.test("a claim of a template that goes queues its pod, to be made again", () => {
  const { claims, heard } = setUp(new ClaimRig().store({ pods: [pod({ status: named({ x: "own" }) })] }));
  claims.onDelete?.(claim("own", ownedBy("p")));
  assertEquals(heard(), ["pod:a/p"]);
});

Deno.test("a template queues the pods that wait for it", () => {
  const rig = new ClaimRig().store({
    pods: [
      pod({ claims: [fromTemplate("x"), fromTemplate("y")] }),
      pod({ metadata: { name: "q" }, claims: [fromTemplate("x", "u")] }),
    ],
  });
  const { templates, heard } = setUp(rig);
  templates.onAdd?.(template(), false);
  assertEquals([heard(), templates.onDelete], [["pod:a/p"], undefined]);
});

const SHARING = pod({ group: "g" });
const TOLD = pod({ group: "g", status: named({ x: "own" }) });

/** Groups, and what they queue when they come or change. */
const GROUPS_HEARD: ReadonlyArray<readonly [what: string, given: PodGroup, pods: Pod[], keys: readonly string[]]> = [
  ["whose claim is to be made, and its pod", group(), [SHARING], ["podgroup:a/g", "pod:a/p"]],
  ["whose claim is gone", group({}, { status: named({ x: "gone" }) }), [], ["podgroup:a/g"]],
  ["whose claim its pod does not know", group({}, { status: named({ x: "own" }) }), [SHARING], ["pod:a/p"]],
  ["whose claim its pod knows", group({}, { status: named({ x: "own" }) }), [TOLD], []],
  ["that is being deleted", group({ deletionTimestamp: AT }), [], []],
  ["whose claim a user has yet to create", group({}, { claims: [byName("gone")] }), [], []],
];

for (const [what, given, pods, keys] of GROUPS_HEARD) {
  Deno.test(`a group ${what} queues ${keys.join(", ") || "nothing"}`, () => {
    const rig = new ClaimRig({ withGroups: true });
    rig.store({ claims: [claim("own", ownedByGroup("g"))], pods, groups: [given] });
    const { groups, heard } = setUp(rig);
    groups.onAdd?.(given, false);
    assertEquals(heard(), keys);
    groups.onUpdate?.(given, given);
    assertEquals(heard(), keys);
  });
}

Deno.test("a group that is gone queues its claims and is remembered, also if another has its name", () => {
  const { groups, heard, gone } = setUp(new ClaimRig({ withGroups: true }));
  groups.onDelete?.(group({}, { claims: [] }));
  assertEquals([heard(), gone.size], [[], 0]);
  groups.onDelete?.(new DeletedFinalStateUnknown("a/g", group({}, { claims: [byName("c")] })));
  assertEquals([heard(), gone.has("g")], [["claim:a/c"], true]);
  groups.onUpdate?.(group({ uid: "old" }, { status: named({ x: "d" }) }), group({}, { claims: [byName("e")] }));
  assertEquals([heard(), gone.has("old")], [["claim:a/d"], true]);
});

Deno.test("a shared claim that goes queues its group; its pod is queued once the group has another one", () => {
  const [lost, made] = ["own", "new"].map((name) => claim(name, ownedByGroup("g")));
  const rig = new ClaimRig({ withGroups: true });
  rig.store({ pods: [TOLD], groups: [group({}, { status: named({ x: "own" }) })], templates: [template()] });
  const { claims, groups, heard } = setUp(rig);
  claims.onDelete?.(lost);
  assertEquals(heard(), ["podgroup:a/g"]);
  rig.store({ claims: [made], groups: [group({}, { status: named({ x: "new" }) })] }).show();
  groups.onUpdate?.(group(), rig.group());
  assertEquals(heard(), ["pod:a/p"]);
});

Deno.test("a shared claim that gets a device has each pod of the group looked at once", () => {
  const shared = claim("own", ownedByGroup("g"), { allocation: ALLOCATION });
  const waiting = pod({ group: "g", nodeName: "n", status: named({ x: "own" }) });
  const rig = new ClaimRig({ withGroups: true });
  rig.store({ claims: [shared], pods: [waiting], groups: [group({}, { status: named({ x: "own" }) })] });
  const { claims, heard } = setUp(rig);
  claims.onUpdate?.(shared, shared);
  assertEquals(heard(), ["pod:a/p"]);
});

Deno.test("a template queues the groups that wait for it", () => {
  const { templates, heard } = setUp(new ClaimRig({ withGroups: true }).store({ groups: [group()] }));
  templates.onAdd?.(template(), false);
  assertEquals(heard(), ["podgroup:a/g"]);
});

Deno.test("claims are counted by what has become of them and where they are from, and passed on", () => {
  const registry = new MetricsRegistry();
  const metrics = claimMetrics(registry);
  const passed: string[] = [];
  const note = (name: string) => () => void passed.push(name);
  const handler = counted({ onAdd: note("add"), onUpdate: note("update"), onDelete: note("delete") }, metrics);
  const made = claim("a", { annotations: { [POD_CLAIM]: "x" } });
  handler.onAdd?.(made, true);
  handler.onAdd?.(claim("b", {}, { allocation: ALLOCATION }), true);
  const extended = { "resource.kubernetes.io/extended-resource-claim": "true", [POD_CLAIM]: "x" };
  handler.onAdd?.(claim("c", { annotations: extended }), true);
  const exactly = { deviceClassName: "gpu", adminAccess: true };
  const admin: ResourceV1ResourceClaim = { ...claim("d"), spec: { devices: { requests: [{ name: "r", exactly }] } } };
  handler.onAdd?.(admin, true);
  handler.onUpdate?.(made, { ...made, status: { allocation: ALLOCATION } });
  handler.onUpdate?.(admin, { ...admin, metadata: { ...admin.metadata, labels: { a: "b" } } });
  handler.onDelete?.(claim("b", {}, { allocation: ALLOCATION }));
  assertEquals(passed, ["add", "add", "add", "add", "update", "update", "delete"]);
  const shown = registry.render({ only: "resourceclaim_controller_resource_claims" }).split("\n").slice(2, -1).sort();
  const series = (allocated: boolean, adminAccess: boolean, source: string, count: number) =>
    `resourceclaim_controller_resource_claims{allocated="${allocated}",admin_access="${adminAccess}",source="${source}"} ${count}`;
  assertEquals(shown, [
    series(false, false, "extended_resource", 1),
    series(false, false, "resource_claim_template", 0),
    series(false, true, "", 1),
    series(true, false, "", 0),
    series(true, false, "resource_claim_template", 1),
  ]);
});

Deno.test("claimNamePrefix keeps something of both names", () => {
  assertEquals(claimNamePrefix("p".repeat(30), "c".repeat(25)), `${"p".repeat(30)}-${"c".repeat(25)}-`);
  assertEquals(claimNamePrefix("p".repeat(31), "c".repeat(25)), `${"p".repeat(30)}-${"c".repeat(24)}`);
  assertEquals(claimNamePrefix("p".repeat(253), "c"), `${"p".repeat(56)}-`);
  assertEquals(claimNamePrefix("p", "c".repeat(63)), `p-${"c".repeat(54)}`);
  assertEquals(
    claimNamePrefix(`${"p".repeat(27)}.${"q".repeat(35)}`, "c".repeat(63)),
    `${"p".repeat(27)}-${"c".repeat(28)}`,
  );
});

Deno.test("others have their turn while thousands of pods are queued that a claim, a group or a template concerns", async () => {
  const pods = Array.from({ length: 2_000 }, (_, i) => pod({ group: "g", metadata: { name: `p${i}`, uid: `p${i}` } }));
  const shared = pods.map((each) => ({ ...each, status: named({ x: "c" }) }));
  const concerned: readonly (readonly [string, (handlers: ReturnType<typeof setUp>) => unknown, Pod[]])[] = [
    ["group", ({ groups }) => groups.onAdd?.(group(), false), pods],
    ["template", ({ templates }) => templates.onAdd?.(template(), false), pods],
    ["claim", ({ claims }) => claims.onDelete?.(claim("c", ownedByGroup("g"))), shared],
  ];
  for (const [what, change, concernedPods] of concerned) {
    const budget = new CountingBudget();
    const handlers = setUp(new ClaimRig({ withGroups: true }).store({ pods: concernedPods }), budget);
    await change(handlers);
    assertEquals([what, handlers.heard().filter((key) => key.startsWith("pod:")).length], [what, 2_000]);
    assert(budget.turns > 100, `${budget.turns} turns for a ${what}`);
  }
});
