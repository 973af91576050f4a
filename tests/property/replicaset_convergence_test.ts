import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import {
  groupResource,
  type KubeObject,
  objectKey,
  type Pod,
  PODS,
  type ReplicaSet,
  REPLICASETS,
} from "../../src/api/mod.ts";
import { type EventHandler, type Indexer, Lister } from "../../src/cache/mod.ts";
import { ownerHandler, podHandler } from "../../src/controllers/replicaset/handlers.ts";
import { REPLICASET_KIND } from "../../src/controllers/replicaset/kind.ts";
import { statusError } from "../unit/controllers/status_errors.ts";
import { pod, replicaSet, ReplicaSetHarness } from "../unit/controllers/replicaset/fixtures.ts";

/** What may happen, in any order: the caches lag, requests fail, pods come to their end. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant("sync" as const) },
  { weight: 6, arbitrary: fc.constant("deliver" as const) },
  { weight: 1, arbitrary: fc.constant("fail create" as const) },
  { weight: 1, arbitrary: fc.constant("fail delete" as const) },
);

/** A harness whose caches hear of the server's changes one by one, when told to. */
class LaggingHarness extends ReplicaSetHarness {
  readonly #pending: (() => void)[] = [];

  constructor(owner: ReplicaSet, ...pods: Pod[]) {
    super(owner, ...pods);
    const { queue, expectations, guard } = this;
    const options = { kind: REPLICASET_KIND, owners: new Lister(this.owners), queue, expectations, guard };
    const handlers = { pod: podHandler(options), owner: ownerHandler(options) };
    this.client.onChange = ({ of, object, isGone }) => {
      this.#pending.push(() => {
        if (of === groupResource(REPLICASETS)) change(this.owners, handlers.owner, object as ReplicaSet, false);
        else change(this.pods, handlers.pod, object as Pod, isGone);
      });
    };
  }

  get isBehind(): boolean {
    return this.#pending.length > 0;
  }

  deliver(): void {
    this.#pending.shift()?.();
  }
}

function change<T extends KubeObject>(
  indexer: Indexer<T>,
  handler: EventHandler<T>,
  object: T,
  isGone: boolean,
): void {
  const before = indexer.get(objectKey(object));
  if (isGone) indexer.delete(object);
  else indexer.add(object);
  if (isGone) handler.onDelete?.(object);
  else if (before) handler.onUpdate?.(before, object);
  else handler.onAdd?.(object, false);
}

Deno.test("a ReplicaSet comes to its number of pods from any number, and never passes it on the way, however its caches lag", async () => {
  const numbers = fc.integer({ min: 0, max: 12 });
  await fc.assert(
    fc.asyncProperty(numbers, numbers, fc.array(step, { maxLength: 80 }), async (from, replicas, steps) => {
      const pods = Array.from({ length: from }, (_, i) => pod(`p${i}`));
      const harness = new LaggingHarness(replicaSet({ replicas }), ...pods);
      const count = () => harness.client.all(PODS).length;
      const sync = () => harness.sync().catch(() => {}); // what failed is tried again by a later step
      for (const next of steps) {
        if (next === "sync") await sync();
        else if (next === "deliver") harness.deliver();
        else harness.client.fail(next.slice(5), statusError(500, "InternalError"), { times: 1 });
        assert(
          count() >= Math.min(from, replicas) && count() <= Math.max(from, replicas),
          `${count()} pods on the way`,
        );
      }
      for (let i = 0; i < 60; i++) {
        while (harness.isBehind) harness.deliver();
        await sync();
      }
      assertEquals(count(), replicas);
      assertEquals(harness.status?.replicas, replicas);
      harness.queue.shutDown();
    }),
  );
});
