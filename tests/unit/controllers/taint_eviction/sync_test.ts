import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { type Node, NODES, type ObjectReference, type Pod, PODS, type Taint } from "../../../../src/api/mod.ts";
import {
  Indexer,
  Lister,
  NAMESPACE_INDEX,
  namespaceOf,
  NODE_NAME_INDEX,
  nodeNameOf,
} from "../../../../src/cache/mod.ts";
import { EvictionMetrics } from "../../../../src/controllers/evictions/mod.ts";
import { WakingTime } from "../../../../src/controllers/nodes/mod.ts";
import { evictPod } from "../../../../src/controllers/taint_eviction/actions.ts";
import type { TaintEvictionContext } from "../../../../src/controllers/taint_eviction/context.ts";
import { METRICS } from "../../../../src/controllers/taint_eviction/controller.ts";
import { nodeHandler, podHandler } from "../../../../src/controllers/taint_eviction/handlers.ts";
import { syncNode, syncPod } from "../../../../src/controllers/taint_eviction/sync.ts";
import { EvictionTimers } from "../../../../src/controllers/taint_eviction/timers.ts";
import { statusError } from "../status_errors.ts";
import { RecordedClient } from "../recorded_client.ts";

const TAINT: Taint = { key: "k", effect: "NoExecute" };
const OTHER: Taint = { key: "l", effect: "NoExecute" };

class Rig {
  readonly world = new FakeWorld();
  readonly metrics = new MetricsRegistry();
  readonly client = new RecordedClient(this.world);
  readonly nodes = new Indexer<Node>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  readonly pods = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: namespaceOf, [NODE_NAME_INDEX]: nodeNameOf } });
  /** Messages. */
  readonly events: string[] = [];
  readonly queued: string[] = [];
  readonly failures: unknown[] = [];
  readonly context: TaintEvictionContext;
  readonly #time = new WakingTime(this.world.clock);

  constructor() {
    const { world, client, events } = this;
    const recorder = {
      event: (_object: object | ObjectReference, _type: string, _reason: string, message: string) =>
        void events.push(message),
    };
    const evicting = { world, client, recorder, metrics: new EvictionMetrics(this.metrics, METRICS) };
    const timers = new EvictionTimers({
      clock: world.clock,
      time: this.#time,
      evict: (eviction, dueMs) => evictPod(eviction, dueMs, evicting).catch((error) => void this.failures.push(error)),
    });
    this.context = {
      world,
      recorder,
      nodes: new Lister(this.nodes),
      pods: new Lister(this.pods),
      podIndexer: this.pods,
      changed: new Set(),
      tainted: new Map(),
      timers,
    };
  }

  /** Gives the node `n` these taints, as its watch tells, and looks. */
  async taint(...taints: Taint[]): Promise<void> {
    const before = this.nodes.get("n");
    const [node] = this.client.store(NODES, { metadata: { name: "n" }, spec: { taints } } as Node);
    this.nodes.add(node);
    const handler = nodeHandler({ add: (name) => void this.queued.push(name) }, this.context);
    if (before) handler.onUpdate!(before, node);
    else handler.onAdd!(node, false);
    for (const name of this.queued.splice(0)) await syncNode(name, this.context);
    await this.world.clock.advance(0);
  }

  /** Has a pod on the node, or changes it, as its watch tells, and looks. */
  async pod(
    name: string,
    tolerations?: NonNullable<Pod["spec"]>["tolerations"],
    more: Partial<Pod> = {},
  ): Promise<void> {
    const before = this.pods.get(`a/${name}`);
    const metadata = { namespace: "a", name, uid: `uid-${name}`, generation: 3, ...more.metadata };
    const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }], tolerations, ...more.spec };
    const [pod] = this.client.store(PODS, { ...more, metadata, spec } as Pod);
    this.pods.add(pod);
    if (before) this.#handler.onUpdate!(before, pod);
    else this.#handler.onAdd!(pod, false);
    await this.look();
  }

  async removePod(name: string): Promise<void> {
    const pod = this.pods.get(`a/${name}`)!;
    this.pods.delete(pod);
    this.#handler.onDelete!(pod);
    await this.look();
  }

  async look(): Promise<void> {
    for (const item of this.queued.splice(0)) await syncPod(item, this.context);
    await this.world.clock.advance(0);
  }

  async pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      await this.world.clock.advance(1_000);
      this.#time.nowMs();
    }
  }

  get deleted(): string[] {
    return this.client.writes.filter((text) => text.startsWith("delete")).map((text) => text.split("/")[1]);
  }

  readonly #handler = podHandler({ add: (item) => void this.queued.push(item) });
}

const tolerating = (tolerationSeconds?: number, key = "k") => [{ key, operator: "Exists", tolerationSeconds }];

Deno.test("syncPod: a pod on a tainted node that it does not tolerate is told to end and deleted", async () => {
  const rig = new Rig();
  await rig.taint(TAINT);
  await rig.pod("p");
  assertEquals(rig.client.calls.map(({ text }) => text), ["get pods a/p", "patch pods/status a/p", "delete pods a/p"]);
  assertEquals(rig.client.calls[1].body, {
    metadata: { uid: "uid-p" },
    status: {
      "$setElementOrder/conditions": [{ type: "DisruptionTarget" }],
      conditions: [{
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
        observedGeneration: 3,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      }],
    },
  });
  assertEquals(rig.events, ["Marking for deletion Pod a/p"]);
  assertEquals(rig.metrics.render().includes("taint_eviction_controller_pod_deletions_total 1"), true);
});

Deno.test("syncPod: pods without a node, on nodes without taints, and that tolerate all stay", async () => {
  const rig = new Rig();
  await rig.pod("p", undefined, { spec: { nodeName: "", containers: [{ name: "c", image: "i" }] } });
  await rig.pod("q");
  await rig.taint(TAINT, { key: "x", effect: "NoSchedule" });
  await rig.pod("r", tolerating());
  assertEquals([rig.deleted, rig.events], [["q"], ["Marking for deletion Pod a/q"]]);
});

Deno.test("syncNode: a pod that tolerates its node's taint for seconds is deleted after them", async () => {
  const rig = new Rig();
  await rig.pod("p", tolerating(100));
  await rig.taint(TAINT);
  await rig.pass(99);
  assertEquals([rig.deleted, rig.events], [[], []]);
  await rig.pass(1);
  assertEquals(rig.deleted, ["p"]);
});

Deno.test("syncPod: other seconds change nothing while a pod waits, others tolerations do", async () => {
  const rig = new Rig();
  await rig.taint(TAINT);
  await rig.pod("p", tolerating(10));
  await rig.pod("q", tolerating(100));
  await rig.pod("r", tolerating(100));
  await rig.pod("s", tolerating(100));
  await rig.pass(1);
  await rig.pod("p", tolerating(100));
  await rig.pod("q", tolerating(1));
  await rig.pod("r", []);
  await rig.pod("s", tolerating());
  await rig.pass(20);
  assertEquals(rig.deleted, ["r", "p"]);
  assertEquals(rig.events.slice(0, 2), ["Cancelling deletion of Pod a/r", "Marking for deletion Pod a/r"]);
  assertEquals(rig.events.includes("Cancelling deletion of Pod a/s"), true);
});

Deno.test("syncNode: taints that go call evictions off, and begin them anew when they come back", async () => {
  const rig = new Rig();
  await rig.pod("p", tolerating(100));
  await rig.taint(TAINT);
  await rig.pass(60);
  await rig.taint();
  assertEquals(rig.events, ["Cancelling deletion of Pod a/p"]);
  await rig.taint(TAINT);
  await rig.pass(99);
  assertEquals(rig.deleted, []);
  await rig.pass(1);
  assertEquals(rig.deleted, ["p"]);
});

Deno.test("syncNode: a second taint with a time comes and goes", async () => {
  const rig = new Rig();
  await rig.pod("p", [...tolerating(), ...tolerating(60, "l")]);
  await rig.taint(TAINT);
  assertEquals(rig.context.timers.size, 0);
  await rig.taint(TAINT, OTHER);
  assertEquals(rig.context.timers.size, 1);
  await rig.taint(TAINT);
  assertEquals([rig.context.timers.size, rig.events], [0, ["Cancelling deletion of Pod a/p"]]);
});

Deno.test("syncNode: a taint that gets another time alone is looked at, and changes nothing", async () => {
  const rig = new Rig();
  await rig.pod("p", tolerating(10));
  await rig.taint({ ...TAINT, timeAdded: "2026-01-01T00:00:00Z" });
  await rig.pass(5);
  await rig.taint({ ...TAINT, timeAdded: "2026-01-01T00:00:05Z" });
  await rig.pass(5);
  assertEquals(rig.deleted, ["p"]);
});

Deno.test("syncNode: when a node goes, what waits for it stays; when the pod goes, it does not", async () => {
  const rig = new Rig();
  await rig.pod("p", tolerating(10));
  await rig.pod("q", tolerating(10));
  await rig.taint(TAINT);
  await rig.removePod("q");
  assertEquals(rig.events, ["Cancelling deletion of Pod a/q"]);
  const node = rig.nodes.get("n")!;
  rig.nodes.delete(node);
  nodeHandler({ add: () => {} }, rig.context).onDelete!(node);
  await syncNode("n", rig.context);
  assertEquals([rig.context.tainted.size, rig.context.timers.size], [0, 1]);
  await rig.pass(10);
  assertEquals(rig.deleted, ["p"]);
});

Deno.test("syncPod: another pod of that name is not evicted in the place of the first", async () => {
  const rig = new Rig();
  await rig.taint(TAINT);
  await rig.pod("p", tolerating(10));
  await rig.pass(9);
  await rig.pod("p", tolerating(10), { metadata: { namespace: "a", name: "p", uid: "second" } });
  await rig.pass(9);
  assertEquals([rig.deleted, rig.events], [[], ["Cancelling deletion of Pod a/p"]]);
  await rig.pass(1);
  assertEquals(rig.deleted, ["p"]);
});

Deno.test("syncPod: taints that have gone before a pod is looked at evict nobody", async () => {
  const rig = new Rig();
  await rig.taint(TAINT);
  const before = rig.nodes.get("n")!;
  const [node] = rig.client.store(NODES, { metadata: { name: "n" }, spec: {} } as Node);
  rig.nodes.add(node);
  nodeHandler({ add: () => {} }, rig.context).onUpdate!(before, node);
  await rig.pod("p");
  assertEquals([rig.deleted, rig.events], [[], []]);
});

Deno.test("evictPod tries five times, and tells once", async () => {
  const rig = new Rig();
  await rig.taint(TAINT);
  rig.client.fail("delete pods a/p", statusError(500, "InternalError"), { times: 4 });
  await rig.pod("p");
  await rig.pass(1);
  assertEquals(rig.deleted, Array(5).fill("p"));
  assertEquals([rig.events, rig.failures], [["Marking for deletion Pod a/p"], []]);
  assertEquals(
    rig.client.writes.filter((text) => text.startsWith("patch")).length,
    1,
    "it says already that it is to end",
  );
  const failure = statusError(500, "InternalError");
  rig.client.fail("delete pods a/q", failure);
  await rig.pod("q");
  await rig.pass(1);
  assertEquals([rig.failures, rig.context.timers.size], [[failure], 0]);
});

Deno.test("evictPod leaves a pod alone that is gone, or another one by now", async () => {
  const rig = new Rig();
  await rig.taint(TAINT);
  rig.client.fail("get pods a/gone", statusError(404, "NotFound"), { times: 1 });
  await rig.pod("gone");
  assertEquals([rig.client.writes, rig.failures], [[], []]);
});

Deno.test("evictPod does not say again what a pod says already", async () => {
  const rig = new Rig();
  await rig.taint(TAINT);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
  };
  await rig.pod("p", undefined, { status: { conditions: [condition] } });
  assertEquals(rig.client.writes, ["delete pods a/p"]);
});
