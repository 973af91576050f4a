import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { FakeWorld } from "../../src/base/mod.ts";
import { ItemExponentialLimiter, runWorkers, WorkQueue } from "../../src/workqueue/mod.ts";

const key = fc.constantFrom("a", "b", "c", "d");
/** What happens from outside, in order. */
const step = fc.oneof(
  fc.record({ add: key }),
  fc.record({ addAfter: key, ms: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ advance: fc.integer({ min: 0, max: 200 }) }),
);
/** How each run goes, in order of the runs. */
const run = fc.record({ takesMs: fc.integer({ min: 0, max: 100 }), fails: fc.boolean() });

/** What the queue owes, by its contract: keys to run now, and keys to run from a time on. */
class Model {
  readonly #nowMs: () => number;
  /** Since when each key is owed a run. */
  readonly #dirty = new Map<string, number>();
  readonly #waiting = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(name: string, delayMs = 0): void {
    this.#settle(name);
    if (delayMs <= 0) this.#dirty.set(name, this.#dirty.get(name) ?? this.#nowMs());
    else this.#waiting.set(name, Math.min(this.#waiting.get(name) ?? Infinity, this.#nowMs() + delayMs));
  }

  /** A run of `name` starts; since when it was owed, or `undefined` if nothing asked for it. */
  start(name: string): number | undefined {
    this.#settle(name);
    const sinceMs = this.#dirty.get(name);
    this.#dirty.delete(name);
    return sinceMs;
  }

  get owed(): string[] {
    for (const name of this.#waiting.keys()) this.#settle(name);
    return [...this.#dirty.keys(), ...this.#waiting.keys()];
  }

  #settle(name: string): void {
    const dueMs = this.#waiting.get(name) ?? Infinity;
    if (dueMs > this.#nowMs()) return;
    this.#waiting.delete(name);
    this.#dirty.set(name, Math.min(this.#dirty.get(name) ?? Infinity, dueMs));
  }
}

Deno.test("WorkQueue as a BaseQueue: no key is lost, none runs twice at once, and no delay is cut short", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(run, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, runs, workers) => {
        const world = new FakeWorld();
        const nowMs = () => world.clock.monotonicMs();
        const model = new Model(nowMs);
        const endedMs = new Map<string, number>();
        const queue = new WorkQueue({ world, limiter: new ItemExponentialLimiter({ baseMs: 1, maxMs: 50 }) });
        const stop = new AbortController();
        const active = new Set<string>();
        const broken: string[] = [];
        // No two things happen at one instant, or the model could not tell which came first.
        let instants = 0;
        const apart = (ms: number) => ms > 0 ? ms + ++instants * 1e-5 : 0;
        let started = 0;
        const sync = async (name: string) => {
          if (active.has(name)) broken.push(`${name} runs twice at once`);
          const sinceMs = model.start(name);
          if (sinceMs === undefined) broken.push(`${name} runs although nothing asked for it by now`);
          // With a worker for each key, only the key's own run before can hold it up.
          const startMs = Math.max(sinceMs ?? 0, endedMs.get(name) ?? 0);
          if (workers === 4 && nowMs() - startMs > 1e-6) broken.push(`${name} runs ${nowMs() - startMs} ms late`);
          active.add(name);
          const { takesMs, fails } = runs[started++] ?? { takesMs: 0, fails: false };
          if (takesMs > 0) await new Promise<void>((resolve) => world.clock.setTimer(apart(takesMs), resolve));
          active.delete(name);
          endedMs.set(name, nowMs());
          if (!fails) return;
          model.add(name, Math.min(2 ** queue.numRequeues(name), 50));
          throw new Error("failed");
        };
        const running = runWorkers(queue, { workers, world, signal: stop.signal, sync, onError: () => "retry" });
        for (const each of steps) {
          if ("add" in each) {
            model.add(each.add);
            queue.add(each.add);
          } else if ("addAfter" in each) {
            const delayMs = apart(each.ms);
            model.add(each.addAfter, delayMs);
            queue.addAfter(each.addAfter, delayMs);
          } else await world.clock.advance(apart(each.advance));
        }
        await world.clock.advance(60_000);
        assertEquals(broken, []);
        assertEquals(model.owed, []);
        assertEquals([queue.length, queue.delayed, active.size], [0, 0, 0]);
        stop.abort();
        await running;
        assertEquals(world.clock.pendingTimers, 0);
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("WorkQueue: shutdown loses nothing that was queued, and drain ends when all is done", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(key), fc.array(key), fc.integer({ min: 1, max: 4 }), async (before, during, workers) => {
      const queue = new WorkQueue({ world: new FakeWorld() });
      for (const name of before) queue.add(name);
      const taken = queue.length > 0 ? await queue.get() : undefined;
      for (const name of during) queue.add(name);
      const owed = new Set(during);
      for (const name of before) if (name !== taken?.key) owed.add(name);
      let drained = false;
      const drain = queue.shutDownWithDrain().then(() => drained = true);
      queue.add("late");
      const seen: string[] = [];
      const worker = async () => {
        for (let item = await queue.get(); item; item = await queue.get()) {
          assert(!drained);
          seen.push(item.key);
          queue.done(item.key);
        }
      };
      const others = Array.from({ length: workers }, worker);
      if (taken) queue.done(taken.key);
      // Whoever was processing a key goes on getting: the others may have seen the shutdown before it was queued again.
      await Promise.all([...others, worker(), drain]);
      assertEquals(seen.sort(), [...owed].sort());
    }),
  );
});
