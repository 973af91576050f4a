/** What counts for quotas: the rows of the specification's table, one pod, service or claim at a time. */
import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  CONFIGMAPS,
  formatTime,
  type KubeObject,
  PERSISTENTVOLUMECLAIMS,
  PODS,
  Quantity,
  RESOURCECLAIMS,
  SECRETS,
  SERVICES,
} from "../../../../src/api/mod.ts";
import { quotaEvaluator } from "../../../../src/rules/mod.ts";
import { calculateUsage } from "../../../../src/controllers/resourcequota/usage.ts";
import { container, type Hard, kind, type Loose, pod, quota, sync } from "./fixtures.ts";
import { stepsOf } from "../../base/steps.ts";

const zeroes = (names: readonly string[]): Hard => Object.fromEntries(names.map((name) => [name, "100Gi"]));

/** What the status says of these names, where these pods are there. */
async function usedBy(names: readonly string[], pods: readonly Loose[], spec: Loose = {}): Promise<string | undefined> {
  return (await sync(quota(zeroes(names), { spec, status: null }), [kind(PODS, pods)])).used;
}

const of = (scopeName: string, operator: string, values?: string[]): Loose => ({
  scopeSelector: { matchExpressions: [{ scopeName, operator, values }] },
});
const ofClass = (name: string, priorityClassName?: string) => pod(name, [container()], { spec: { priorityClassName } });

Deno.test("syncQuota adds up running pods and leaves out those that have ended", async () => {
  const each = () => [container({ cpu: "100m", memory: "1Gi" })];
  const pods = [pod("x", each()), pod("y", each()), pod("z", each(), { status: { phase: "Failed" } })];
  const { status } = await sync(quota({ cpu: "3", memory: "100Gi", pods: "5" }, { status: null }), [kind(PODS, pods)]);
  assertEquals(status, {
    hard: { cpu: "3", memory: "100Gi", pods: "5" },
    used: { cpu: "200m", memory: "2Gi", pods: "2" },
  });
});

Deno.test("syncQuota counts only pods of the scope", async () => {
  const burstable = pod("x", [container({ cpu: "1" })]);
  const bestEffort = pod("y");
  assertEquals(await usedBy(["pods", "cpu"], [burstable], { scopes: ["BestEffort"] }), "cpu=0,pods=0");
  assertEquals(await usedBy(["pods", "cpu"], [burstable, bestEffort], { scopes: ["BestEffort"] }), "cpu=0,pods=1");
});

const CLASSES: readonly (readonly [operator: string, values: string[] | undefined, used: string])[] = [
  ["In", ["high"], "pods=1"],
  ["NotIn", ["high"], "pods=2"],
  ["DoesNotExist", undefined, "pods=1"],
  ["Exists", undefined, "pods=2"],
];

for (const [operator, values, used] of CLASSES) {
  Deno.test(`syncQuota counts pods whose priority class fulfils ${operator} ${values ?? ""}`, async () => {
    const pods = [ofClass("x", "high"), ofClass("y", "low"), ofClass("z")];
    assertEquals(await usedBy(["pods"], pods, of("PriorityClass", operator, values)), used);
  });
}

Deno.test("syncQuota ends a kind silently at a scope that cannot be understood", async () => {
  for (const scope of [of("PriorityClass", "Like", ["high"]), of("PriorityClass", "In", ["not a label"])]) {
    const { used, error } = await sync(quota({ pods: "1", secrets: "1" }, { spec: scope, status: null }), [
      kind(PODS, [ofClass("x", "high")]),
      kind(SECRETS, []),
    ]);
    assertEquals([used, error], ["pods=0,secrets=0", undefined]);
  }
});

Deno.test("syncQuota counts the larger of what runs first and what runs then", async () => {
  const initContainers = [container({ cpu: "4", memory: "1Gi" })];
  const each = container({ cpu: "1", memory: "2Gi" });
  const pods = [pod("x", [each, each], { spec: { initContainers } })];
  assertEquals(await usedBy(["requests.cpu", "requests.memory"], pods), "requests.cpu=4,requests.memory=4Gi");
});

Deno.test("syncQuota adds overhead to requests and to limits that are set", async () => {
  const pods = [
    pod("x", [container({ cpu: "1" }, { memory: "1Gi" })], { spec: { overhead: { cpu: "10m", memory: "0" } } }),
  ];
  const names = ["requests.cpu", "limits.cpu", "limits.memory"];
  assertEquals(await usedBy(names, pods), "limits.cpu=0,limits.memory=1Gi,requests.cpu=1010m");
});

Deno.test("syncQuota takes what is set for a pod as a whole in place of its containers' sum", async () => {
  const pods = [pod("x", [container({ cpu: "4" })], { spec: { resources: { requests: { cpu: "1" } } } })];
  assertEquals(await usedBy(["cpu"], pods), "cpu=1");
});

Deno.test("syncQuota counts a pod stuck beyond its grace as an object only", async () => {
  const world = new FakeWorld();
  const stuck = (agoMs: number) => ({
    deletionTimestamp: formatTime(world.clock.wallMs() - agoMs),
    deletionGracePeriodSeconds: 30,
  });
  const names = zeroes(["pods", "count/pods", "cpu"]);
  for (const [agoMs, used] of [[40_000, "count/pods=1,cpu=0,pods=0"], [20_000, "count/pods=1,cpu=1,pods=1"]] as const) {
    const pods = [pod("x", [container({ cpu: "1" })], stuck(agoMs))];
    assertEquals((await sync(quota(names, { status: null }), [kind(PODS, pods)], { world })).used, used);
  }
});

Deno.test("syncQuota counts what a container runs with during a resize, and no more where that is infeasible", async () => {
  const containerStatuses = [{
    name: "c",
    resources: { requests: { cpu: "500m" } },
    allocatedResources: { cpu: "300m" },
  }];
  const resizing = (cpu: string, conditions: Loose[] = []) => [
    pod("x", [container({ cpu })], { status: { containerStatuses, conditions } }),
  ];
  const infeasible = [{ type: "PodResizePending", reason: "Infeasible", status: "True" }];
  assertEquals(await usedBy(["cpu"], resizing("200m")), "cpu=500m");
  assertEquals(await usedBy(["cpu"], resizing("700m")), "cpu=700m");
  assertEquals(await usedBy(["cpu"], resizing("700m", infeasible)), "cpu=500m");
});

Deno.test("syncQuota counts services by what they take of nodes and load balancers", async () => {
  const ports = [{ port: 1, nodePort: 30000 }, { port: 2 }];
  const names = zeroes(["services", "services.loadbalancers", "services.nodeports"]);
  const used = async (spec: Loose, scopes?: string[]) =>
    (await sync(quota(names, { status: null, spec: { scopes } }), [kind(SERVICES, [{ spec }])])).used;
  const balanced = { type: "LoadBalancer", ports };
  const none = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 1 }, { port: 2 }] };
  assertEquals(await used(balanced), "services=1,services.loadbalancers=1,services.nodeports=2");
  assertEquals(await used(none), "services=1,services.loadbalancers=1,services.nodeports=0");
  assertEquals(await used({ ...none, ports }), "services=1,services.loadbalancers=1,services.nodeports=1");
  assertEquals(await used(balanced, ["BestEffort"]), "services=0,services.loadbalancers=0,services.nodeports=0");
});

Deno.test("syncQuota counts what is asked for in claims, in whole bytes, and what was allocated", async () => {
  const gold = "gold.storageclass.storage.k8s.io/requests.storage";
  const names = zeroes(["persistentvolumeclaims", "requests.storage", gold]);
  const used = async (storage: string, allocated?: string) => {
    const claim = {
      spec: { storageClassName: "gold", resources: { requests: { storage } } },
      status: allocated ? { allocatedResources: { storage: allocated } } : {},
    };
    return (await sync(quota(names, { status: null }), [kind(PERSISTENTVOLUMECLAIMS, [claim])])).used;
  };
  assertEquals(await used("10Gi", "15Gi"), `${gold}=15Gi,persistentvolumeclaims=1,requests.storage=15Gi`);
  assertEquals(await used("10Gi", "5Gi"), `${gold}=10Gi,persistentvolumeclaims=1,requests.storage=10Gi`);
  assertEquals(await used("1500m"), `${gold}=2,persistentvolumeclaims=1,requests.storage=2`);
});

Deno.test("syncQuota counts the most devices that a claim may be given", async () => {
  const devices = (deviceClass: string) => `${deviceClass}.deviceclass.resource.k8s.io/devices`;
  const used = async (request: Loose, names: string[]) => {
    const claim = { spec: { devices: { requests: [request] } } };
    return (await sync(quota(zeroes(names.map(devices)), { status: null }), [kind(RESOURCECLAIMS, [claim])])).used;
  };
  const any = { exactly: { deviceClassName: "gpu", allocationMode: "All" } };
  assertEquals(await used(any, ["gpu"]), `${devices("gpu")}=32`);
  const one = (deviceClassName: string, count: number) => ({ deviceClassName, allocationMode: "ExactCount", count });
  const firstAvailable = [one("a", 2), one("a", 3), one("b", 1)];
  assertEquals(await used({ firstAvailable }, ["a", "b"]), `${devices("a")}=3,${devices("b")}=1`);
});

Deno.test("calculateUsage keeps the format of the first amount that is not zero", async () => {
  const pods = [
    pod("x", [container({ memory: "0" })]),
    pod("y", [container({ memory: "512Mi" })]),
    pod("z", [container({ memory: "1Gi" })]),
  ];
  assertEquals(await usedBy(["memory"], pods), "memory=1536Mi");
});

Deno.test("calculateUsage takes back what a kind added that then failed", () => {
  const broken = { spec: { resources: { requests: { storage: "lots" } } } };
  const fine = { spec: { resources: { requests: { storage: "1Gi" } } } };
  const { used, errors } =
    stepsOf(calculateUsage([kind(PERSISTENTVOLUMECLAIMS, [fine, broken]), kind(CONFIGMAPS, [{}])], {
      namespace: "a",
      names: ["requests.storage", "configmaps", "count/things.example.com"],
      scopes: [],
      nowMs: 0,
    })).result;
  assertEquals([...used].map(([name, amount]) => `${name}=${amount}`), ["configmaps=1"]);
  assertEquals(errors.length, 1);
});

Deno.test("calculateUsage takes back what a kind that failed added to names of others", () => {
  const one = new Map([["pods", Quantity.of(1n)]]);
  const failing = {
    ...kind(SECRETS, [{ metadata: { name: "x" } }, {}]),
    evaluator: {
      ...quotaEvaluator(SECRETS),
      usage({ metadata }: KubeObject) {
        if (metadata) return one;
        throw new Error("broken");
      },
    },
  };
  const query = { namespace: "a", names: ["pods", "secrets"], scopes: [], nowMs: 0 };
  const { used } = stepsOf(calculateUsage([failing, kind(PODS, [])], query)).result;
  assertEquals([...used].map(([name, amount]) => `${name}=${amount}`), ["pods=0"]);
});

Deno.test("calculateUsage takes a step for each object, and checks a scope's values once for all of them", () => {
  const many = 500;
  let reads = 0;
  const values = new Proxy(Array.from({ length: 1000 }, (_, i) => `class-${i}`), {
    get(list, key, receiver) {
      reads++;
      return Reflect.get(list, key, receiver);
    },
  });
  const scopes = [{ scopeName: "PriorityClass", operator: "In", values }];
  const pods = Array.from({ length: many }, () => ({ spec: { containers: [], priorityClassName: "class-999" } }));
  const query = { namespace: "a", names: ["pods"], scopes, nowMs: 0 };
  const { result: { used }, steps } = stepsOf(calculateUsage([kind(PODS, pods)], query));
  assertEquals([...used].map(([name, amount]) => `${name}=${amount}`), [`pods=${many}`]);
  assertEquals(steps >= many, true, `${steps} steps`);
  assertEquals(reads < 20 * values.length, true, `the values were read ${reads} times`);
});
