/** The rows of the specification's table about nodes; one call of the cloud for a Service at a time; crashes. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { type LoadBalancerStatus, type Node, NODES, type Service } from "../../../../src/api/mod.ts";
import { CloudError, type CloudProvider, ImplementedElsewhereError } from "../../../../src/cloud/mod.ts";
import { FakeCloud } from "../../cloud/fake_cloud.ts";
import { BalancerRig, FINALIZER, node, service } from "./balancer_rig.ts";

const EXCLUDE = "node.kubernetes.io/exclude-from-external-load-balancers";
const TAINT = { key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" };

/** Two Services and some nodes, all balancers made, and everything so far forgotten. */
async function started(...nodes: Node[]) {
  const cloud = new FakeCloud();
  const rig = new BalancerRig(cloud.provider);
  rig.put(service("web"), service("shop"), ...nodes);
  await rig.start();
  cloud.requests.length = 0;
  rig.said();
  return {
    cloud,
    rig,
    /** The nodes that balancers were given, by Service. */
    given: () =>
      Object.fromEntries(cloud.requests.splice(0).map(({ method, about, nodes }) => [`${method} ${about}`, nodes])),
  };
}

const updates = (...nodes: string[]) => ({ "updateLoadBalancer web": nodes, "updateLoadBalancer shop": nodes });

const CHANGES: Readonly<
  Record<string, readonly [change: (rig: BalancerRig) => void, nodes: readonly string[] | undefined]>
> = {
  "a new node": [(rig) => rig.put(node("c")), ["a", "b", "c"]],
  "a node that is gone": [(rig) => rig.client.remove(NODES, "b"), ["a"]],
  "a node that is excluded": [(rig) => rig.put(node("b", { labels: { [EXCLUDE]: "" } })), ["a"]],
  'a node that is excluded by "true"': [(rig) => rig.put(node("b", { labels: { [EXCLUDE]: "true" } })), ["a"]],
  'a node that is excluded by "maybe"': [(rig) => rig.put(node("b", { labels: { [EXCLUDE]: "maybe" } })), ["a"]],
  'a node that is not excluded by "false"': [
    (rig) => rig.put(node("b", { labels: { [EXCLUDE]: "false" } })),
    undefined,
  ],
  "another provider ID": [(rig) => rig.put(node("b", {}, { providerID: "fake://other" })), ["a", "b"]],
  "a node that is not ready": [
    (rig) => rig.put({ ...node("b"), status: { conditions: [{ type: "Ready", status: "False" }] } }),
    undefined,
  ],
  "other labels and taints": [
    (rig) => rig.put(node("b", { labels: { a: "b" } }, { taints: [{ key: "k", effect: "NoExecute" }] })),
    undefined,
  ],
  "the autoscaler's taint": [(rig) => rig.put(node("b", {}, { taints: [TAINT] })), undefined],
  "the autoscaler's taint, and then a new node": [
    (rig) => rig.put(node("b", {}, { taints: [TAINT] }), node("c")),
    ["a", "c"],
  ],
  "a node that begins to be deleted, and then a new one": [
    (rig) => rig.put(node("b", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] }), node("c")),
    ["a", "c"],
  ],
};

for (const [what, [change, nodes]] of Object.entries(CHANGES)) {
  Deno.test(`${what} ${nodes ? `gives the balancers ${nodes.join(", ")}` : "is told to no balancer"}`, async () => {
    const { rig, given } = await started(node("a"), node("b"));
    change(rig);
    await rig.settle();
    assertEquals(given(), nodes ? updates(...nodes) : {});
    const events = ["shop", "web"].map((name) =>
      `Normal UpdatedLoadBalancer a/${name} Updated load balancer with new hosts`
    );
    assertEquals(rig.said().events.sort(), nodes ? events : []);
    await rig.end();
  });
}

Deno.test("balancers are told once what their nodes are", async () => {
  const { rig, given } = await started(node("a"));
  rig.put(node("b"));
  await rig.settle();
  given();
  rig.put(node("c", { labels: { [EXCLUDE]: "" } })); // it comes, and is no target
  await rig.settle();
  assertEquals(given(), {});
  await rig.end();
});

Deno.test("a provider ID that comes late is told to all balancers", async () => {
  const { rig, given } = await started(node("a", {}, { providerID: "" }));
  rig.put(node("a", {}, { providerID: "fake://a" }));
  await rig.settle();
  assertEquals(given(), updates("a"));
  await rig.end();
});

Deno.test("a balancer whose last node goes is told so, and the user too", async () => {
  const { rig, given } = await started(node("a"));
  rig.client.remove(NODES, "a");
  await rig.settle();
  assertEquals(given(), updates());
  assertEquals(rig.said().events.every((line) => line.startsWith("Warning UnAvailableLoadBalancer")), true);
  await rig.end();
});

Deno.test("clouds see of a node nothing that changes with its heartbeat", async () => {
  const seen: Node[] = [];
  const { provider } = new FakeCloud();
  const rig = new BalancerRig({
    ...provider,
    loadBalancers: {
      ...provider.loadBalancers!,
      ensureLoadBalancer: (name, service, nodes, signal) => {
        seen.push(...nodes);
        return provider.loadBalancers!.ensureLoadBalancer(name, service, nodes, signal);
      },
    },
  });
  rig.put(service("web"), { ...node("a"), status: { conditions: [{ type: "Ready", status: "True" }], images: [] } });
  await rig.start();
  assertEquals(seen.map(({ status }) => Object.keys(status ?? {})), [["addresses", "nodeInfo"]]);
  await rig.end();
});

Deno.test("a balancer that cannot be given nodes is ensured at once; one that is gone is left to its Service", async () => {
  const { rig, cloud, given } = await started(node("a"));
  cloud.failures.set("updateLoadBalancer", new CloudError("no luck"));
  cloud.balancers.delete("uid-of-shop");
  rig.put(node("b"));
  await rig.settle();
  assertEquals(Object.keys(given()).sort(), [
    "ensureLoadBalancer web",
    "getLoadBalancer shop",
    "getLoadBalancer web",
    "updateLoadBalancer shop",
    "updateLoadBalancer web",
  ]);
  const [failed] = rig.said().events;
  const why = "[a b] [node names limited, total number of nodes: 2], error: no luck";
  assertEquals(failed, `Warning UpdateLoadBalancerFailed a/web Error updating load balancer with new hosts ${why}`);
  assertEquals(
    ["loadbalancer_sync_total", "nodesync_error_total"].map((name) => rig.metric(`service_controller_${name}`)),
    [2, 1],
  );
  await rig.end();
});

Deno.test("a balancer of which nobody knows whether it is gone is ensured", async () => {
  const { rig, cloud, given } = await started(node("a"));
  cloud.failures.set("updateLoadBalancer", new CloudError("no luck"));
  cloud.failures.set("getLoadBalancer", new CloudError("no luck either"));
  rig.put(node("b"));
  await rig.settle();
  assertEquals(given()["ensureLoadBalancer web"], ["a", "b"]);
  await rig.end();
});

Deno.test("an event names twenty nodes at most", async () => {
  const { rig, cloud } = await started();
  cloud.failures.set("updateLoadBalancer", new CloudError("no luck"));
  rig.client.onChange = () => {};
  rig.put(...Array.from({ length: 30 }, (_, i) => node(`n${10 + i}`)));
  rig.show();
  await rig.settle();
  const [event] = rig.said().events.filter((line) => line.startsWith("Warning UpdateLoadBalancerFailed a/web"));
  const names = Array.from({ length: 20 }, (_, i) => `n${10 + i}`).join(" ");
  assert(event.includes(`[${names} <10 more>] [node names limited, total number of nodes: 30]`), event);
  await rig.end();
});

Deno.test("nodes of a balancer that somebody else sees to are told without a word", async () => {
  const { rig, cloud, given } = await started(node("a"));
  cloud.failures.set("updateLoadBalancer", new ImplementedElsewhereError());
  rig.put(node("b"));
  await rig.settle();
  assertEquals([Object.keys(given()).length, rig.said().events], [2, []]);
  await rig.end();
});

Deno.test("a Service whose balancer is gone is given no nodes any more", async () => {
  const { rig, given } = await started(node("a"));
  await rig.delete("web");
  given();
  rig.put(node("b"));
  await rig.settle();
  assertEquals(given(), { "updateLoadBalancer shop": ["a", "b"] });
  await rig.end();
});

/** A cloud whose calls end when a test says so, and which counts those for one Service at a time. */
class SlowCloud {
  readonly waiting: (() => void)[] = [];
  readonly calls: string[] = [];
  most = 0;
  readonly #running = new Map<string, number>();
  readonly provider: CloudProvider = {
    name: "slow",
    hasClusterId: true,
    loadBalancers: {
      getLoadBalancer: () => Promise.resolve(null),
      ensureLoadBalancer: (_, service, nodes) => this.#call("ensure", service, nodes),
      updateLoadBalancer: async (_, service, nodes) => void await this.#call("update", service, nodes),
      ensureLoadBalancerDeleted: async (_, service) => void await this.#call("delete", service, []),
    },
  };

  async #call(what: string, { metadata }: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus> {
    const name = metadata?.name ?? "";
    this.calls.push(`${what} ${name} ${nodes.map(({ metadata }) => metadata?.name).join()}`.trim());
    const running = (this.#running.get(name) ?? 0) + 1;
    this.#running.set(name, running);
    this.most = Math.max(this.most, running);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.#running.set(name, this.#running.get(name)! - 1);
    return { ingress: [{ ip: "1.2.3.4" }] };
  }

  release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

Deno.test("nodes that change while a balancer is made are given to it afterwards, and other balancers get them at once", async () => {
  const cloud = new SlowCloud();
  const rig = new BalancerRig(cloud.provider, { workers: 2 });
  rig.put(node("a"), service("shop"));
  await rig.start();
  cloud.release();
  await rig.settle();
  rig.put(service("web"));
  await rig.settle();
  rig.put(node("b"));
  await rig.settle();
  assertEquals(cloud.calls, ["ensure shop a", "ensure web a", "update shop a,b"]);
  cloud.release();
  await rig.settle();
  assertEquals(cloud.calls.slice(3), ["update web a,b"]);
  assertEquals(cloud.most, 1);
  cloud.release();
  await rig.end();
});

Deno.test("a Service that changes while its balancer gets nodes is ensured afterwards, and nobody waits for it", async () => {
  const cloud = new SlowCloud();
  const rig = new BalancerRig(cloud.provider);
  rig.put(node("a"), service("web", {}, { finalizers: [FINALIZER] }));
  await rig.start();
  cloud.release();
  await rig.settle();
  rig.put(node("b"));
  await rig.settle();
  await rig.change("web", ({ metadata }) => metadata!.annotations = { a: "b" });
  rig.put(service("shop"));
  await rig.settle();
  assertEquals(cloud.calls, ["ensure web a", "update web a,b", "ensure shop a,b"]);
  cloud.release();
  await rig.settle(1_001);
  assertEquals(cloud.calls.slice(3), ["ensure web a,b"]);
  assertEquals(cloud.most, 1);
  cloud.release();
  await rig.end();
});

/** All that users do to one Service in its life, with a step after each of which the controller may be gone. */
async function life(rig: BalancerRig): Promise<void> {
  await rig.change("web", ({ spec }) => spec!.ports![0].port = 81);
  rig.put(node("b"));
  await rig.settle();
  await rig.change("web", ({ spec }) => spec!.type = "NodePort");
  await rig.change("web", ({ spec }) => spec!.type = "LoadBalancer");
}

Deno.test("after a crash at any write another controller leaves each Service with one balancer, and none without its Service", async () => {
  const wants = ["keep", "web"];
  for (const ending of ["kept", "deleted"]) {
    for (let writes = 1;; writes++) {
      assertLess(writes, 100);
      const cloud = new FakeCloud();
      const rig = new BalancerRig(cloud.provider);
      rig.writesLeft = writes;
      rig.put(node("a"), service("web"), service("keep"));
      await rig.start();
      await life(rig);
      if (ending === "deleted") await rig.delete("web");
      const crashed = rig.isDead;
      rig.writesLeft = Infinity;
      if (crashed) await rig.start();
      await rig.settle(60_000);
      const expected = ending === "deleted" ? ["keep"] : wants;
      assertEquals(
        [...cloud.balancers.keys()].sort(),
        expected.map((name) => `uid-of-${name}`),
        `${ending}, write ${writes}`,
      );
      for (const name of expected) {
        assertEquals(rig.find(name)?.metadata?.finalizers, [FINALIZER]);
        assertEquals(rig.find(name)?.status?.loadBalancer?.ingress?.[0].ip, "1.2.3.4");
      }
      if (ending === "deleted") assertEquals(rig.find("web"), undefined);
      await rig.end();
      if (!crashed) break;
    }
  }
});

Deno.test("a controller that ends lets the cloud's calls go, and says nothing of it", async () => {
  const { provider } = new FakeCloud();
  const rig = new BalancerRig({
    ...provider,
    loadBalancers: {
      ...provider.loadBalancers!,
      ensureLoadBalancer: (_name, _service, _nodes, signal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    },
  });
  rig.put(service("web"), node("a"));
  await rig.start();
  await rig.end();
  assertEquals(rig.said().events, ["Normal EnsuringLoadBalancer a/web Ensuring load balancer"]);
  assertEquals(rig.world.clock.pendingTimers, 0);
});

Deno.test("the controller is not built for a cloud without balancers", async () => {
  const rig = new BalancerRig(new FakeCloud({ capabilities: ["instances"] }).provider);
  await rig.start().catch(() => {});
  const said = rig.world.log.lines.map(({ message }) => message);
  assert(said.includes("the cloud provider does not support external load balancers"), said.join());
});
