import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { Pod, Service } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown, Indexer } from "../../../../src/cache/mod.ts";
import { PodChanges } from "../../../../src/controllers/service_pods/mod.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { takeKeys } from "../../workqueue/queue_contents.ts";

function service(name: string, selector: Record<string, string> | undefined, namespace = "a"): Service {
  return { metadata: { namespace, name }, spec: { selector } };
}

function pod(labels: Record<string, string>, { metadata, ...rest }: Pod = {}): Pod {
  return { metadata: { namespace: "a", name: "p", resourceVersion: "1", labels, ...metadata }, ...rest };
}

function ready(ip = "10.0.0.1", status = "True"): Pod["status"] {
  return { podIPs: [{ ip }], conditions: [{ type: "Ready", status }] };
}

class Rig {
  readonly world = new FakeWorld();
  readonly queue = new WorkQueue({ world: this.world });
  readonly indexer = new Indexer<Service>();
  readonly changes: PodChanges;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(batchPeriodMs = 0, ...services: Service[]) {
    const { indexer, queue, world } = this;
    for (const stored of services) indexer.add(stored);
    const cache = {
      indexer,
      hasIndexer: (name: string) => indexer.hasIndexer(name),
      addIndexers: (added: Parameters<Indexer<Service>["addIndexers"]>[0]) => indexer.addIndexers(added),
      whenSynced: () => Promise.resolve(true),
    };
    this.changes = new PodChanges({ world, services: cache, queue, batchPeriodMs });
    this.#running = this.changes.run(this.#stop.signal);
  }

  /** What one event queued, and nothing before it. */
  async queued(): Promise<string> {
    await this.world.clock.advance(0);
    return (await takeKeys(this.queue)).sort().join();
  }

  update(before: Pod, after: Pod, resourceVersion = "2"): Promise<string> {
    this.changes.handler.onUpdate?.(before, { ...after, metadata: { ...after.metadata, resourceVersion } });
    return this.queued();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

const SERVICES = [
  service("web", { app: "web" }),
  service("web-blue", { app: "web", color: "blue" }),
  service("all", {}),
  service("none", undefined),
  service("elsewhere", { app: "web" }, "b"),
];

Deno.test("PodChanges: a pod that came or went, or whose readiness, addresses or deletion changed, queues every Service that selects it or did before", async () => {
  await using rig = new Rig(0, ...SERVICES);
  const web = pod({ app: "web" }, { status: ready() });
  rig.changes.handler.onAdd?.(web, false);
  assertEquals(await rig.queued(), "a/all,a/web");
  rig.changes.handler.onDelete?.(web);
  assertEquals(await rig.queued(), "a/all,a/web");
  rig.changes.handler.onDelete?.(new DeletedFinalStateUnknown("a/p", web));
  assertEquals(await rig.queued(), "a/all,a/web");
  assertEquals(await rig.update(web, pod({ app: "web" }, { status: ready("10.0.0.1", "False") })), "a/all,a/web");
  assertEquals(await rig.update(web, pod({ app: "web" }, { status: ready("10.0.0.2") })), "a/all,a/web");
  const deleting = pod({ app: "web" }, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, status: ready() });
  assertEquals(await rig.update(web, deleting), "a/all,a/web");
  assertEquals(await rig.update(deleting, deleting), "a/all,a/web", "any update of a pod that is being deleted");
  const repainted = pod({ app: "db", color: "blue" }, { status: ready("10.0.0.2") });
  assertEquals(await rig.update(web, repainted), "a/all,a/web", "both changed: all before and after");
});

Deno.test("PodChanges: a pod whose labels or hostname alone changed queues the Services that select it now and did not before, or the other way round", async () => {
  await using rig = new Rig(0, ...SERVICES);
  const web = pod({ app: "web" });
  assertEquals(await rig.update(web, pod({ app: "web", color: "blue" })), "a/web-blue");
  assertEquals(await rig.update(pod({ app: "web", color: "blue" }), pod({ color: "blue" })), "a/web,a/web-blue");
  assertEquals(await rig.update(web, pod({ app: "web" }, { spec: { containers: [], hostname: "h" } })), "");
});

Deno.test("PodChanges: any other change queues nothing, nor does a replay of the cache", async () => {
  await using rig = new Rig(0, ...SERVICES);
  const web = pod({ app: "web" }, { status: ready() });
  assertEquals(await rig.update(web, pod({ app: "web" }, { status: { ...ready(), phase: "Running" } })), "");
  assertEquals(await rig.update(web, pod({ app: "db" }), "1"), "");
  rig.changes.handler.onDelete?.(new DeletedFinalStateUnknown<Pod>("a/p", undefined));
  assertEquals(await rig.queued(), "");
});

Deno.test("PodChanges: a pod of the initial list queues nothing: each Service is queued by its own event, and not synced before all pods are known", async () => {
  await using rig = new Rig(0, ...SERVICES);
  rig.changes.handler.onAdd?.(pod({ app: "web" }, { status: ready() }), true);
  assertEquals(await rig.queued(), "");
});

Deno.test("PodChanges: Services are looked up in steps, so that the thread is free now and then however many there are", async () => {
  const many = Array.from({ length: 5000 }, (_, i) => service(`s${i}`, { app: "web" }));
  await using rig = new Rig(0, ...many);
  let turns = 0;
  const { clock } = rig.world;
  // A clock that goes on at each look makes every step take a while.
  const { monotonicMs, nextTurn } = clock;
  let ms = 0;
  clock.monotonicMs = () => monotonicMs.call(clock) + (ms += 0.1);
  clock.nextTurn = () => (turns++, nextTurn.call(clock));
  rig.changes.handler.onAdd?.(pod({ app: "web" }), false);
  while (rig.queue.length < 5000) await nextTurn.call(clock);
  assertEquals(turns >= 5000 * 0.1 / 10, true, `${turns} turns`);
});

Deno.test("PodChanges: what is queued waits for the batch period; a Service that waits already does not wait longer", async () => {
  await using rig = new Rig(1000, ...SERVICES);
  rig.changes.handler.onAdd?.(pod({ app: "web" }), false);
  assertEquals(await rig.queued(), "");
  await rig.world.clock.advance(600);
  rig.changes.handler.onDelete?.(pod({ app: "web" }));
  await rig.world.clock.advance(399);
  assertEquals(await rig.queued(), "");
  await rig.world.clock.advance(1);
  assertEquals(await rig.queued(), "a/all,a/web");
  await rig.world.clock.advance(2000);
  assertEquals(await rig.queued(), "");
});
