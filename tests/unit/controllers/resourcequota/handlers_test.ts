/** What makes a quota be measured anew. */
import { assertEquals } from "@std/assert";
import {
  CONFIGMAPS,
  DEPLOYMENTS,
  type KubeObject,
  PERSISTENTVOLUMECLAIMS,
  PODS,
  type Resource,
  type ResourceQuota,
  SERVICES,
} from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { Evaluators } from "../../../../src/controllers/resourcequota/evaluators.ts";
import {
  type ObjectChange,
  objectHandler,
  quotaHandler,
  replenish,
} from "../../../../src/controllers/resourcequota/handlers.ts";
import { container, type Loose, pod, quota } from "./fixtures.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

function quotas() {
  const queued: string[] = [];
  const queue = (name: string) => ({
    add: (key: string, cause?: string) => void queued.push(`${name} ${key}: ${cause}`),
  });
  const evaluators = new Evaluators();
  const handler = quotaHandler({ primary: queue("primary"), priority: queue("priority") }, {
    measures: (name) => evaluators.measures(name),
  });
  return { handler, queued };
}

const FIRST: readonly (readonly [what: string, quota: ResourceQuota, queue: string])[] = [
  ["without a status", quota({ pods: "1" }, { status: null }), "priority"],
  ["whose limits are not in its status", quota({ pods: "2" }, { status: { hard: { pods: "1" } } }), "priority"],
  ["without a usage that could be measured", quota({ pods: "1" }, { status: { used: {} } }), "priority"],
  ["without one usage of two", quota({ pods: "1", secrets: "1" }, { status: { used: { pods: "0" } } }), "priority"],
  ["without a usage that nobody measures", quota({ "count/x.y": "1" }, { status: { used: {} } }), "primary"],
  ["whose limits are only spelt otherwise", quota({ cpu: "1" }, { status: { hard: { cpu: "1000m" } } }), "primary"],
  ["with all its usage", quota({ pods: "1" }), "primary"],
];

for (const [what, first, queue] of FIRST) {
  Deno.test(`quotaHandler puts a quota ${what} into the ${queue} queue`, () => {
    const { handler, queued } = quotas();
    handler.onAdd!(first, true);
    assertEquals(queued, [`${queue} a/q: resourcequota/a/q added at 1`]);
  });
}

Deno.test("quotaHandler ignores all of an update but a change of limits", () => {
  const { handler, queued } = quotas();
  const before = quota({ pods: "1" });
  handler.onUpdate!(before, before);
  handler.onUpdate!(before, quota({ pods: "1" }, { status: { used: { pods: "1" } } }));
  handler.onUpdate!(before, quota({ pods: "1" }, { spec: { scopes: ["BestEffort"] } }));
  handler.onUpdate!(quota({ cpu: "1" }), quota({ cpu: "1000m" }));
  assertEquals(queued, []);
  handler.onUpdate!(before, quota({ pods: "2" }, { resourceVersion: "2", status: { hard: { pods: "1" } } }));
  assertEquals(queued, ["priority a/q: resourcequota/a/q updated at 2"]);
});

Deno.test("quotaHandler queues a quota that is gone, also one whose deletion was missed", () => {
  const { handler, queued } = quotas();
  handler.onDelete!(new DeletedFinalStateUnknown<ResourceQuota>("a/q", undefined));
  assertEquals(queued, ["primary a/q: resourcequota/a/q deleted"]);
});

/** What an event of a resource's objects leads to. */
function seen(resource: Resource): { handler: ReturnType<typeof objectHandler>; changes: string[] } {
  const changes: string[] = [];
  const add = ({ resource, object, what }: ObjectChange) =>
    void changes.push(`${resource.plural} ${object.metadata?.name} ${what}`);
  return { handler: objectHandler(resource, { changes: { add }, nowMs: () => NOW_MS }), changes };
}

const updated = (resource: Resource, before: Loose, object: Loose): boolean => {
  const { handler, changes } = seen(resource);
  const versioned = (of: Loose, resourceVersion: string): KubeObject => ({
    ...of,
    metadata: { ...of.metadata, resourceVersion },
  });
  handler.onUpdate?.(versioned(before, "1"), versioned(object, "2"));
  return changes.length > 0;
};

const running = (resources?: Loose, kind = "containerStatuses") =>
  pod("p", [container()], { status: { [kind]: [{ name: "c", resources }] } });
const graceless = { deletionTimestamp: "2025-12-31T23:59:00Z", deletionGracePeriodSeconds: 30 };

const UPDATES: readonly (readonly [what: string, resource: Resource, before: Loose, now: Loose, matters: boolean])[] = [
  ["pod that ended", PODS, pod("p"), pod("p", [], { status: { phase: "Succeeded" } }), true],
  [
    "pod that had ended before",
    PODS,
    pod("p", [], { status: { phase: "Failed" } }),
    pod("p", [], { status: { phase: "Failed" } }),
    false,
  ],
  ["pod with another label", PODS, pod("p"), pod("p", [container()], { labels: { a: "b" } }), false],
  ["pod that got a deadline", PODS, pod("p"), pod("p", [], { spec: { activeDeadlineSeconds: 5 } }), true],
  ["pod that is beyond its grace by now", PODS, pod("p"), pod("p", [], graceless), true],
  ["pod whose container came to run", PODS, running(), running({ requests: { cpu: "1" } }), true],
  ["pod whose container was resized", PODS, running({ limits: { cpu: "1" } }), running({ limits: { cpu: "2" } }), true],
  [
    "pod whose init container was resized",
    PODS,
    running({ requests: { cpu: "1" } }, "initContainerStatuses"),
    running({ requests: { cpu: "2" } }, "initContainerStatuses"),
    true,
  ],
  [
    "pod whose resources are only spelt otherwise",
    PODS,
    running({ requests: { cpu: "1" } }),
    running({ requests: { cpu: "1000m" }, limits: {} }),
    false,
  ],
  ["pod whose container's status is gone", PODS, running({ requests: { cpu: "1" } }), pod("p"), false],
  ["pod with a container status of another name", PODS, pod("p"), running({ requests: { cpu: "1" } }), false],
  ["service of another type", SERVICES, { spec: { type: "NodePort" } }, { spec: { type: "ClusterIP" } }, true],
  [
    "service of a type that counts alike",
    SERVICES,
    { spec: { type: "ExternalName" } },
    { spec: { type: "ClusterIP" } },
    false,
  ],
  ["service with another port", SERVICES, { spec: { type: "NodePort" } }, {
    spec: { type: "NodePort", ports: [{ port: 1 }] },
  }, false],
  ["claim, whatever changed", PERSISTENTVOLUMECLAIMS, {}, {}, true],
  ["object of any other kind", DEPLOYMENTS, { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, false],
];

for (const [what, resource, before, now, matters] of UPDATES) {
  Deno.test(`objectHandler looks at the update of a ${what}: ${matters}`, () =>
    assertEquals(updated(resource, before, now), matters));
}

Deno.test("objectHandler looks at deletions, also missed ones, and at no creation", () => {
  const { handler, changes } = seen(CONFIGMAPS);
  assertEquals([handler.onAdd, handler.onUpdate], [undefined, undefined]);
  const object = (name: string) => ({ metadata: { namespace: "a", name } });
  handler.onDelete!(object("x"));
  handler.onDelete!(new DeletedFinalStateUnknown<KubeObject>("a/y", object("y")));
  handler.onDelete!(new DeletedFinalStateUnknown<KubeObject>("a/z", undefined)); // whose namespace is not known for sure
  assertEquals(changes, ["configmaps x deleted", "configmaps y deleted"]);
});

Deno.test("replenish queues the quotas of the namespace whose status limits the kind", () => {
  const queued: string[] = [];
  const all = [
    quota({ pods: "1" }, { name: "of-pods" }),
    quota({ "requests.cpu": "1", secrets: "1" }, { name: "of-both" }),
    quota({ secrets: "1" }, { name: "of-secrets" }),
    quota({ pods: "1" }, { name: "not-yet", status: null }),
  ];
  const context = {
    quotas: { list: ({ namespace }: { namespace?: string } = {}) => namespace === "a" ? all : [] },
    evaluators: new Evaluators(),
    primary: { add: (key: string, cause?: string) => void queued.push(`${key}: ${cause}`) },
  };
  replenish({ resource: PODS, object: pod("p", [], { resourceVersion: "9" }), what: "deleted" }, context);
  assertEquals(queued, ["a/of-pods: pod/a/p deleted at 9", "a/of-both: pod/a/p deleted at 9"]);
  replenish({ resource: PODS, object: pod("p", [], { namespace: "b" }), what: "deleted" }, context);
  replenish({ resource: DEPLOYMENTS, object: pod("p"), what: "deleted" }, context); // of a kind that is not known
  assertEquals(queued.length, 2);
});
