/** Random histories of Services, nodes, failing clouds and crashes: in the end the cloud has what the Services want. */
import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { type Clock, FakeWorld, sleep } from "../../src/base/mod.ts";
import { type LoadBalancerStatus, type Node, NODES, type Service, SERVICES } from "../../src/api/mod.ts";
import { CloudError, type CloudProvider, RetryError } from "../../src/cloud/mod.ts";
import { statusError } from "../unit/controllers/status_errors.ts";
import { BalancerRig, FINALIZER, node, service } from "../unit/controllers/service_lb/balancer_rig.ts";

const NAMES = ["web", "shop", "mail"];

type Step =
  | { readonly do: "create" | "delete" | "toOther" | "toBalancer" | "port" | "strip"; readonly name: string }
  | { readonly do: "node" | "noNode" | "exclude"; readonly name: string }
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "show" }
  | { readonly do: "slow"; readonly ms: number }
  | { readonly do: "failCluster" }
  /** The cloud fails so many calls: before or after it has done what it was asked for. */
  | { readonly do: "fail"; readonly calls: number; readonly how: "before" | "after" | "retry" }
  | { readonly do: "crash"; readonly afterWrites: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom("create", "create", "delete", "toOther", "toBalancer", "port", "strip"),
    name: fc.constantFrom(...NAMES),
  }),
  fc.record({ do: fc.constantFrom("node", "noNode", "exclude"), name: fc.constantFrom("a", "b", "c") }),
  fc.record({ do: fc.constant("wait"), seconds: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ do: fc.constant("show") }),
  fc.record({ do: fc.constant("failCluster") }),
  fc.record({ do: fc.constant("slow"), ms: fc.integer({ min: 0, max: 3_000 }) }),
  fc.record({
    do: fc.constant("fail"),
    calls: fc.integer({ min: 1, max: 4 }),
    how: fc.constantFrom("before", "after", "retry"),
  }),
  fc.record({ do: fc.constant("crash"), afterWrites: fc.integer({ min: 0, max: 5 }) }),
) as fc.Arbitrary<Step>;

/** A cloud that fails as it is told, and knows which calls are wrong. */
class HistoricCloud {
  /** Nodes of balancers, by the UIDs of their Services. */
  readonly balancers = new Map<string, readonly string[]>();
  #running = new Set<string>();
  readonly #failures: ("before" | "after" | "retry")[] = [];
  /** How long each call takes. */
  slowMs = 0;
  readonly #clock: Clock;
  /** What the controller should never have asked for. */
  readonly wrongs: string[] = [];
  /** Whether the Service with that UID wants a balancer and lives, as the controller sees it, or saw it when it began. */
  wants: (uid: string) => boolean = () => false;
  readonly provider: CloudProvider = {
    name: "fake",
    hasClusterId: true,
    loadBalancers: {
      getLoadBalancer: (_, service) => this.#call(service, (uid) => this.balancers.has(uid) ? { ingress: [] } : null),
      ensureLoadBalancer: (_, service, nodes) =>
        this.#call(service, (uid) => {
          this.balancers.set(uid, namesOf(nodes));
          return { ingress: [{ ip: "1.2.3.4" }] };
        }),
      updateLoadBalancer: async (_, service, nodes) => {
        await this.#call(service, (uid) => {
          if (!this.balancers.has(uid)) throw new CloudError("there is none");
          this.balancers.set(uid, namesOf(nodes));
          return null;
        });
      },
      ensureLoadBalancerDeleted: async (_, service) => {
        const uid = service.metadata?.uid ?? "";
        if (this.slowMs === 0 && this.wants(uid)) {
          this.wrongs.push(`the balancer of ${uid} was to be deleted, which wants it and lives`);
        }
        await this.#call(service, () => {
          this.balancers.delete(uid);
          return null;
        });
      },
    },
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  fail(calls: number, how: "before" | "after" | "retry"): void {
    for (let i = 0; i < calls; i++) this.#failures.push(how);
  }

  heal(): void {
    this.slowMs = 0;
    this.#failures.length = 0;
  }

  /** The process that called is gone: what it asked for is done, and nobody hears of it. */
  crashed(): void {
    this.#running = new Set();
  }

  async #call<T extends LoadBalancerStatus | null>({ metadata }: Service, act: (uid: string) => T): Promise<T> {
    const uid = metadata?.uid ?? "";
    const running = this.#running;
    if (running.has(uid)) this.wrongs.push(`two calls for ${uid} at a time`);
    running.add(uid);
    try {
      return this.#answer(() => act(uid));
    } finally {
      if (this.slowMs > 0) await sleep(this.#clock, this.slowMs);
      running.delete(uid);
    }
  }

  #answer<T>(act: () => T): T {
    const failure = this.#failures.shift();
    if (failure === "retry") throw new RetryError("not ready", 7_000);
    if (failure === "before") throw new CloudError("no luck");
    const result = act();
    if (failure === "after") throw new CloudError("it was done, and nobody heard of it");
    return result;
  }
}

function namesOf(nodes: readonly Node[]): string[] {
  return nodes.map(({ metadata }) => metadata?.name ?? "").sort();
}

function wants({ metadata, spec }: Service): boolean {
  return spec?.type === "LoadBalancer" && !metadata?.deletionTimestamp;
}

/** A cluster with a history. */
class History {
  readonly #world = new FakeWorld();
  readonly cloud = new HistoricCloud(this.#world.clock);
  readonly rig: BalancerRig;
  #created = 0;

  readonly #isCurrent: boolean;

  constructor(workers: number, isCurrent: boolean) {
    this.#isCurrent = isCurrent;
    this.rig = new BalancerRig(this.cloud.provider, { workers, isCurrent, world: this.#world });
    // What the controller cannot have seen yet does not count.
    this.cloud.wants = (uid) => {
      const seen = this.rig.services.indexer.list().find(({ metadata }) => metadata?.uid === uid);
      const there = this.rig.client.all(SERVICES).find(({ metadata }) => metadata?.uid === uid);
      return seen !== undefined && there !== undefined && wants(seen) && wants(there) &&
        seen.metadata?.resourceVersion === there.metadata?.resourceVersion;
    };
  }

  async take(step: Step): Promise<void> {
    const { rig, cloud } = this;
    switch (step.do) {
      case "create":
        if (!rig.find(step.name)) rig.put(service(step.name, {}, { uid: `uid-${++this.#created}` }));
        return await rig.settle();
      case "delete":
        if (rig.find(step.name)) await rig.delete(step.name);
        return;
      case "toOther":
        return await this.#change(step.name, ({ spec }) => spec!.type = "NodePort");
      case "toBalancer":
        return await this.#change(step.name, ({ spec }) => spec!.type = "LoadBalancer");
      case "port":
        return await this.#change(step.name, ({ spec }) => spec!.ports![0].port++);
      case "strip":
        if (!this.#isCurrent) return; // a Service may go before anybody sees that its finalizer was gone
        await this.#change(step.name, ({ metadata }) => metadata!.finalizers = []);
        for (let i = 0; i < 30; i++) await rig.settle(300_000);
        return;
      case "node":
        rig.put(node(step.name));
        return await rig.settle();
      case "noNode":
        rig.client.remove(NODES, step.name);
        return await rig.settle();
      case "exclude":
        rig.put(node(step.name, { labels: { "node.kubernetes.io/exclude-from-external-load-balancers": "" } }));
        return await rig.settle();
      case "wait":
        return await rig.settle(step.seconds * 1000);
      case "show":
        rig.show();
        return await rig.settle();
      case "slow":
        return void (cloud.slowMs = step.ms);
      case "failCluster":
        return rig.client.fail("patch services/status", statusError(500, "InternalError"), { times: 1 });
      case "fail":
        return cloud.fail(step.calls, step.how);
      case "crash":
        rig.writesLeft = step.afterWrites;
        if (step.afterWrites === 0) rig.kill();
        else await rig.settle(10_000);
        rig.kill();
        cloud.crashed();
        rig.writesLeft = Infinity;
        return await rig.start();
    }
  }

  async #change(name: string, change: (service: Service) => void): Promise<void> {
    const found = this.rig.find(name);
    if (found && !found.metadata?.deletionTimestamp) await this.rig.change(name, change);
  }

  /** Lets everything come to its end: from now on the cloud does what it is asked for, and each key waits 300 s at most. */
  async end(): Promise<void> {
    this.cloud.heal();
    for (let i = 0; i < 30; i++) {
      this.rig.show();
      await this.rig.resync();
      await this.rig.settle(300_000);
    }
    await this.rig.end();
  }
}

Deno.test("service-lb-controller leaves the cloud with the balancers that Services want and no others, each with the right nodes", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(STEP, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (steps, workers, isCurrent) => {
        const history = new History(workers, isCurrent);
        const { rig, cloud } = history;
        rig.put(node("a"));
        await rig.start();
        for (const step of steps) await history.take(step);
        await history.end();
        assertEquals(cloud.wrongs, []);
        const wanting = rig.client.all(SERVICES).filter(wants);
        const nodes = rig.client.all(NODES).filter(({ metadata }) => !metadata?.labels);
        assertEquals(
          Object.fromEntries(cloud.balancers),
          Object.fromEntries(wanting.map(({ metadata }) => [metadata?.uid, namesOf(nodes)])),
        );
        for (const { metadata, status } of wanting) {
          assertEquals(metadata?.finalizers, [FINALIZER]);
          assertEquals(status?.loadBalancer?.ingress?.[0].ip, "1.2.3.4");
        }
        for (const { metadata } of rig.client.all(SERVICES).filter((service) => !wants(service))) {
          assertEquals(metadata?.finalizers ?? [], [], `${metadata?.name} has a finalizer that nobody will take away`);
        }
      },
    ),
    { numRuns: 300 },
  ));
