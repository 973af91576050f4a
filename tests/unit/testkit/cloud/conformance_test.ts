/** The cases that every cloud provider must pass: a right provider does, and for each case there is a wrong one that does not. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Node, Service } from "../../../../src/api/mod.ts";
import {
  callCloud,
  type CloudCall,
  CloudError,
  type CloudProvider,
  type CloudRoute,
  describe,
  ImplementedElsewhereError,
  providerBehind,
  RetryError,
} from "../../../../src/cloud/mod.ts";
import { cloudConformance, CloudConformanceError, type CloudTestbed, objects } from "../../../../src/testkit/mod.ts";
import { FakeCloud } from "../../cloud/fake_cloud.ts";

type Answer = (call: CloudCall, signal: AbortSignal) => Promise<unknown>;
/** Answers a call in some wrong way, or passes it on to a cloud that does it right. */
type Fault = (call: CloudCall, signal: AbortSignal, right: Answer, cloud: RightCloud) => Promise<unknown>;

const withId = (node: Node, providerID: string): Node => ({ ...node, spec: { ...node.spec, providerID } });
const RUNNING = withId(objects.node("one", { metadata: { uid: "uid-one" } }), "fake://one");
const STOPPED = withId(objects.node("two", { metadata: { uid: "uid-two" } }), "fake://two");
const ABSENT = objects.node("three");

/** A cloud that does all that is asked of it, on top of the scripted one. */
class RightCloud {
  readonly fake = new FakeCloud();
  readonly targets = new Map<string, string[]>();
  changes = 0;

  constructor() {
    const metadata = { providerID: "fake://one", instanceType: "small", zone: "z", region: "r" };
    this.fake.machines.set("one", {
      metadata: { ...metadata, nodeAddresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
    });
    this.fake.machines.set("two", { isShutdown: true, metadata: { ...metadata, providerID: "fake://two" } });
  }

  answer: Answer = async (call, signal) => {
    signal.throwIfAborted();
    const { capability, method, args } = call;
    if (capability === "instances") {
      const [node] = args as [Node];
      const id = node.spec?.providerID;
      if (id !== undefined && !/^fake:\/\/\w+$/.test(id)) throw new CloudError(`${id} is none of ours`);
      const name = id?.slice("fake://".length) ?? node.metadata?.name ?? "";
      return await callCloud(this.fake.provider, { ...call, args: [objects.node(name)] }, signal);
    }
    const [, service, nodes] = args as [string, Service, Node[]];
    const uid = service?.metadata?.uid ?? "";
    if (method === "ensureLoadBalancer" || method === "updateLoadBalancer") {
      if (method === "updateLoadBalancer" && !this.targets.has(uid)) throw new CloudError("no such balancer");
      const names = nodes.map(({ metadata }) => metadata?.name ?? "").sort();
      if (this.targets.get(uid)?.join() !== names.join()) this.changes++;
      this.targets.set(uid, names);
    }
    if (method === "ensureLoadBalancerDeleted") this.targets.delete(uid);
    if (method === "createRoute") {
      const route = args[2] as CloudRoute;
      if (this.fake.routes.some(({ destinationCIDR }) => destinationCIDR === route.destinationCIDR)) {
        throw new CloudError("there is one already");
      }
    }
    return await callCloud(this.fake.provider, call, signal);
  };
}

function bedOf(
  fault: Fault = (call, signal, right) => right(call, signal),
  changed?: Partial<CloudProvider>,
): CloudTestbed {
  let cloud = new RightCloud();
  const nodes = [RUNNING, STOPPED] as const;
  return {
    open: () => {
      const here = cloud = new RightCloud();
      const description = describe(here.fake.provider);
      return { ...providerBehind(description, (call, signal) => fault(call, signal, here.answer, here)), ...changed };
    },
    balancers: {
      nodes,
      changes: () => cloud.changes,
      targets: ({ metadata }) => cloud.targets.get(metadata?.uid ?? "") ?? [],
    },
    instances: {
      running: RUNNING,
      stopped: STOPPED,
      absent: ABSENT,
      knows: ["providerID", "instanceType", "nodeAddresses", "zone", "region"],
    },
    routes: { nodes },
  };
}

/** Passes on all calls but those of one method. */
function wrong(method: string, how: Fault): Fault {
  return (call, signal, right, cloud) => call.method === method ? how(call, signal, right, cloud) : right(call, signal);
}

const NEVER = new AbortController().signal;
const says = (answer: unknown): Fault => () => Promise.resolve(answer);
const fails: Fault = () => Promise.reject(new CloudError("no luck"));
const ignoresSignal: Fault = (call, _signal, right) => right(call, NEVER);
/** Does as it is told, and adds something to the answer. */
const adds = (more: object): Fault => async (call, signal, right) => ({
  ...await right(call, signal) as object,
  ...more,
});

/** For each case a provider that is wrong in that way. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "there is no balancer before one is made": wrong("getLoadBalancer", says({ ingress: [] })),
  "a balancer that was made is found, with the same addresses": wrong(
    "getLoadBalancer",
    says({ ingress: [{ ip: "9.9.9.9" }] }),
  ),
  "a balancer has addresses that a Service can name": wrong("ensureLoadBalancer", says({ ingress: [] })),
  "ensuring again changes nothing": wrong("ensureLoadBalancer", (call, signal, right, cloud) => {
    cloud.changes++;
    return right(call, signal);
  }),
  "a balancer keeps its addresses when ports change": wrong(
    "ensureLoadBalancer",
    async (call, signal, right) => {
      await right(call, signal);
      return { ingress: [{ ip: `1.2.3.${(call.args[1] as Service).spec?.ports?.length}` }] };
    },
  ),
  "a balancer gets other nodes, and none": wrong("updateLoadBalancer", says(undefined)),
  "a balancer can be made without nodes": wrong(
    "ensureLoadBalancer",
    (call, signal, right) =>
      (call.args[2] as Node[]).length === 0 ? fails(call, signal, right, new RightCloud()) : right(call, signal),
  ),
  "giving nodes to a balancer that is not there makes none": wrong(
    "updateLoadBalancer",
    (call, signal, right) => right({ ...call, method: "ensureLoadBalancer" }, signal),
  ),
  "deleting a balancer that does not exist succeeds": wrong(
    "ensureLoadBalancerDeleted",
    async (call, signal, right) => {
      if (!await right({ ...call, method: "getLoadBalancer" }, signal)) throw new CloudError("not found");
      return await right(call, signal);
    },
  ),
  "a balancer that was deleted is gone, and can be deleted again": wrong("ensureLoadBalancerDeleted", says(undefined)),
  "Services have balancers of their own": wrong("ensureLoadBalancerDeleted", (_call, _signal, _right, cloud) => {
    cloud.fake.balancers.clear();
    return Promise.resolve();
  }),
  "a Service that was created anew gets a balancer of its own": wrong(
    "ensureLoadBalancer",
    (call, signal, right, cloud) => {
      return cloud.fake.asked("ensureLoadBalancerDeleted").length > 0
        ? Promise.resolve({ ingress: [{ ip: "1.2.3.4" }] })
        : right(call, signal);
    },
  ),
  "a balancer is not made once the call's signal has aborted": wrong("ensureLoadBalancer", ignoresSignal),
  "making a balancer can be cut short, and done again": wrong(
    "ensureLoadBalancer",
    (call, signal, right, cloud) =>
      cloud.fake.requests.length > 0 ? fails(call, signal, right, cloud) : right(call, signal),
  ),
  "nobody else is said to delete a balancer": wrong(
    "ensureLoadBalancerDeleted",
    () => Promise.reject(new ImplementedElsewhereError()),
  ),
  "a machine that runs exists, and is not stopped": wrong("instanceShutdown", says(true)),
  "a machine that is stopped exists": wrong("instanceExists", async (call, signal, right) => {
    const isStopped = await right({ ...call, method: "instanceShutdown" }, signal);
    return !isStopped && await right(call, signal);
  }),
  "a machine that is not there does not exist": wrong("instanceExists", says(true)),
  "of a machine that is not there nothing is made up": wrong("instanceMetadata", says({ providerID: "fake://x" })),
  "what is promised of a machine is known": wrong("instanceMetadata", says({ providerID: "fake://one" })),
  "what is known of a machine can be written into its Node": wrong("instanceMetadata", adds({ zone: "no label!" })),
  "a machine's provider ID stays, and begins with the provider's name": wrong(
    "instanceMetadata",
    adds({ providerID: "other://one" }),
  ),
  "a machine is found by its name while its Node has no provider ID": wrong(
    "instanceExists",
    (call, signal, right, cloud) =>
      (call.args[0] as Node).spec?.providerID ? right(call, signal) : fails(call, signal, right, cloud),
  ),
  "a machine is found by its provider ID rather than by its name": wrong(
    "instanceExists",
    ({ args, ...call }, signal, right) =>
      right({ ...call, args: [objects.node((args[0] as Node).metadata?.name ?? "")] }, signal),
  ),
  "a provider ID that cannot be read does not mean that a machine is gone": wrong(
    "instanceExists",
    (call, signal, right) => right(call, signal).catch(() => false),
  ),
  "a call that is cut short does not say that a machine is gone": wrong(
    "instanceExists",
    (call, signal, right) => signal.aborted ? Promise.resolve(false) : right(call, signal),
  ),
  "routes are listed as they were created": wrong("listRoutes", async (call, signal, right) => {
    const routes = await right(call, signal) as CloudRoute[];
    return routes.map((route) => ({ ...route, destinationCIDR: route.destinationCIDR.replace("/24", "/024") }));
  }),
  "routes to known nodes are not black holes": wrong("listRoutes", async (call, signal, right) => {
    const routes = await right(call, signal) as CloudRoute[];
    return routes.map((route) => ({ ...route, blackhole: true }));
  }),
  "no route is there twice": wrong("createRoute", (_call, _signal, _right, cloud) => {
    cloud.fake.routes.push({ targetNode: "one", destinationCIDR: "10.244.1.0/24" });
    return Promise.resolve();
  }),
  "a route that was deleted is gone, and the others are not": wrong("deleteRoute", (_call, _signal, _right, cloud) => {
    cloud.fake.routes = [];
    return Promise.resolve();
  }),
  "a route that was deleted can be created again": wrong("deleteRoute", says(undefined)),
  "no route is created once the call's signal has aborted": wrong("createRoute", ignoresSignal),
};

for (const { name, run } of cloudConformance(bedOf())) {
  Deno.test(`cloudConformance passes a right provider: ${name}`, run);
}

for (const [name, fault] of Object.entries(FAULTS)) {
  Deno.test(`cloudConformance finds a wrong provider: not ${name}`, async () => {
    const [found] = cloudConformance(bedOf(fault)).filter((testCase) => testCase.name === name);
    await assertRejects(async () => await found.run(), Error);
  });
}

const ABOUT = "a provider says what it is and does, and does not change that";

Deno.test("cloudConformance has a wrong provider for each of its cases", () => {
  assertEquals(cloudConformance(bedOf()).map(({ name }) => name), [ABOUT, ...Object.keys(FAULTS)]);
});

for (const changed of [{ name: "No Scheme" }, { routes: undefined }, { loadBalancers: {} as never }]) {
  Deno.test(`cloudConformance finds a provider that says ${JSON.stringify(changed)}`, async () => {
    const [about] = cloudConformance(bedOf(undefined, changed));
    await assertRejects(() => about.run(), CloudConformanceError);
  });
}

Deno.test("cloudConformance finds a provider that changes what it is given", async () => {
  const changing = wrong("ensureLoadBalancer", (call, signal, right) => {
    (call.args[1] as Service).metadata!.name = "mine";
    return right(call, signal);
  });
  const results = await Promise.allSettled(cloudConformance(bedOf(changing)).map(({ run }) => run()));
  assert(results.some((result) => result.status === "rejected" && result.reason instanceof TypeError));
});

Deno.test("cloudConformance asks again, and lets time pass, where the cloud is not ready yet", async () => {
  let [calls, waitedMs] = [0, 0];
  const slow = wrong("ensureLoadBalancer", (call, signal, right) => {
    if (++calls % 3 !== 0 && !signal.aborted) return Promise.reject(new RetryError("not yet", 50));
    return right(call, signal);
  });
  const bed = { ...bedOf(slow), wait: (ms: number) => void (waitedMs += ms) };
  for (const { name, run } of cloudConformance(bed)) if (name.includes("found, with")) await run();
  assertEquals([calls, waitedMs], [3, 100]);
});

Deno.test("cloudConformance tries nothing that a provider does not say it does", () => {
  const { open, instances } = bedOf();
  const names = cloudConformance({ open, instances }).map(({ name }) => name);
  assert(names.every((name) => !name.includes("balancer") && !name.includes("route")), names.join());
});
