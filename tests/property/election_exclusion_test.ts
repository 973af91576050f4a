import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { Lease, LeaseSpec } from "../../src/api/mod.ts";
import { deepCopy, FakeClock, MemoryLogger, SeededRandom } from "../../src/base/mod.ts";
import { LeaderElector, LeaseLock } from "../../src/election/mod.ts";
import { FakeLeaseApi } from "../unit/election/lease_api.ts";
import { ProcessClock } from "../unit/election/process_clock.ts";

/** One thing that goes wrong, and how long until the next one. */
const fault = fc.record({
  process: fc.nat({ max: 2 }),
  what: fc.constantFrom("freeze", "suspend", "wall", "stop", "delete", "edit", "none"),
  ms: fc.integer({ min: 0, max: 40_000 }),
  thenMs: fc.integer({ min: 0, max: 20_000 }),
});
/** How requests fare: chances in percent, and the longest delay of each way. */
const network = fc.record({
  refused: fc.integer({ min: 0, max: 40 }),
  lost: fc.integer({ min: 0, max: 40 }),
  delayMs: fc.integer({ min: 0, max: 9000 }),
  seed: fc.integer(),
});
type Network = { refused: number; lost: number; delayMs: number; seed: number };

/** What somebody makes of the Lease by hand. */
const EDITS: readonly Partial<LeaseSpec>[] = [
  { holderIdentity: "" },
  { holderIdentity: "stranger" },
  { leaseDurationSeconds: 1 },
  { renewTime: "2026-01-01T00:00:00.000000Z" },
];
/** At most so long a watch takes to show a change to a process that runs. */
const WATCH_MS = 50;
/** A renewal that was under way when the wall clock was set is over by then. */
const SETTLED_MS = 15_000;

interface Process {
  readonly clock: ProcessClock;
  readonly elector: LeaderElector;
  stop: AbortController;
  /** Changes by strangers that its watch has yet to show: until then it cannot know, and may write. */
  unseen: number;
  /** The watch shows changes in their order. */
  seen: Promise<void>;
  /** When its clocks may be tampered with again. */
  settledMs: number;
}

class Simulation {
  readonly clock = new FakeClock();
  readonly api = new FakeLeaseApi();
  readonly processes: Process[];
  readonly broken: string[] = [];
  leaderships = 0;
  #calm = false;
  #ended = false;
  readonly #watchDelayMs: () => number;
  readonly #running: Promise<void>[];

  constructor(count: number, { refused, lost, delayMs, seed }: Network, releaseOnCancel: boolean) {
    const random = new SeededRandom(seed);
    const chance = (percent: number) => !this.#calm && random.float() * 100 < percent;
    const travel = () => this.#sleep(this.#calm ? 10 : random.float() * delayMs);
    this.api.onWrite = (before, after) => {
      this.#checkWrite(before, after);
      this.#show();
    };
    this.#watchDelayMs = () => random.float() * WATCH_MS;
    this.processes = Array.from({ length: count }, (_, i) => {
      const clock = new ProcessClock(this.clock, { startMs: i * 1e6 });
      const client = this.api.client({
        before: async () => {
          await travel();
          if (chance(refused)) throw new TypeError("connection refused");
        },
        after: async () => {
          await travel();
          await clock.awake();
          if (chance(lost)) throw new TypeError("connection reset");
        },
      });
      const elector = new LeaderElector({
        world: { clock, random, log: new MemoryLogger() },
        lock: new LeaseLock({ client, namespace: "kube-system", name: "lock", identity: `p${i}` }),
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2000,
        releaseOnCancel,
        onStartedLeading: () => void this.leaderships++,
        onStoppedLeading: () => {},
      });
      const stop = new AbortController();
      return { clock, elector, stop, unseen: 0, seen: Promise.resolve(), settledMs: -Infinity };
    });
    this.#running = this.processes.map((process) => this.#keepRunning(process));
  }

  /** Moves from timer to timer, looking for two who may write after each. */
  async run(ms: number): Promise<void> {
    const endMs = this.clock.monotonicMs() + ms;
    while (this.clock.monotonicMs() < endMs) {
      await this.clock.advance(Math.min(this.clock.nextTimerInMs ?? Infinity, endMs - this.clock.monotonicMs()));
      const writers = this.writers;
      if (writers.length > 1) this.broken.push(`${writers} may write at ${this.clock.monotonicMs()}`);
    }
  }

  get writers(): string[] {
    return this.processes.flatMap(({ elector, unseen }, i) => elector.mayWrite() && unseen === 0 ? [`p${i}`] : []);
  }

  strike(process: Process, { what, ms }: { readonly what: string; readonly ms: number }): void {
    const { clock, stop } = process;
    const nowMs = this.clock.monotonicMs();
    if (what === "freeze") clock.freeze(ms);
    // A clock that is set back hides as much of a suspension from any process: there is nothing else to see it by.
    if ((what === "suspend" || what === "wall") && nowMs > process.settledMs) {
      if (what === "suspend") clock.suspend(ms);
      else clock.wallSkewMs = ms - 20_000;
      process.settledMs = nowMs + ms + SETTLED_MS;
    }
    if (what === "stop") stop.abort();
    if (what === "delete" && this.api.lease) {
      this.api.lease = undefined;
      this.#show({ isStrange: true });
    }
    if (what === "edit" && this.api.lease) {
      this.api.put({ ...this.api.lease.spec, ...EDITS[ms % EDITS.length] });
      this.#show({ isStrange: true });
    }
  }

  /** What the Lease is now reaches all watches, in a while. */
  #show({ isStrange = false } = {}): void {
    const lease: Lease | undefined = this.api.lease && deepCopy(this.api.lease);
    for (const process of this.processes) {
      if (isStrange) process.unseen++;
      process.seen = process.seen.then(async () => {
        await this.#sleep(this.#watchDelayMs());
        await process.clock.awake();
        process.elector.observe(lease);
        if (isStrange) process.unseen--;
      });
    }
  }

  calm(): void {
    this.#calm = true;
  }

  async end(): Promise<void> {
    this.#ended = true;
    for (const { stop } of this.processes) stop.abort();
    await this.run(60_000);
    await Promise.all(this.#running);
    await Promise.all(this.processes.map(({ seen }) => seen));
  }

  /** As a supervisor would: an elector that ended starts again. */
  async #keepRunning(process: Process): Promise<void> {
    while (!this.#ended) {
      await process.elector.run(process.stop.signal);
      process.stop = new AbortController();
      if (!this.#ended) await this.#sleep(500);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.setTimer(ms, resolve));
  }

  #checkWrite(before: LeaseSpec | undefined, after: LeaseSpec): void {
    if (!before) return;
    const kept = after.leaseTransitions === before.leaseTransitions;
    if (after.holderIdentity === "") {
      if (!kept) this.broken.push("a release changed the transitions");
    } else if (after.holderIdentity === before.holderIdentity) {
      if (!kept || after.acquireTime !== before.acquireTime) this.broken.push("a renewal changed who acquired when");
    } else if (after.leaseTransitions !== (before.leaseTransitions ?? 0) + 1) {
      this.broken.push("a takeover did not count one transition");
    }
  }
}

Deno.test("LeaderElector: of all electors of one Lease at most one has a true mayWrite() at any time, whatever fails, and one leads once all is well", async () => {
  let leaderships = 0;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { minLength: 1, maxLength: 12 }),
      network,
      fc.integer({ min: 2, max: 3 }),
      fc.boolean(),
      async (faults, conditions, count, releaseOnCancel) => {
        const simulation = new Simulation(count, conditions, releaseOnCancel);
        for (const fault of faults) {
          simulation.strike(simulation.processes[fault.process % count], fault);
          await simulation.run(fault.thenMs);
        }
        simulation.calm();
        await simulation.run(120_000);
        assertEquals(simulation.broken, []);
        assertEquals(simulation.writers.length, 1, "one leads in the end");
        leaderships += simulation.leaderships;
        runs++;
        await simulation.end();
        assertEquals(simulation.broken, []);
      },
    ),
    {
      numRuns: 60,
      examples: [
        // Heard of its deletion before the answer to what had made it the leader.
        [
          [
            { process: 0, what: "freeze", ms: 0, thenMs: 9146 },
            { process: 0, what: "delete", ms: 0, thenMs: 0 },
          ],
          { refused: 29, lost: 11, delayMs: 3854, seed: -12 },
          3,
          false,
        ],
        // A renew time that a candidate had seen before: for it nothing had changed since.
        [
          [
            { process: 0, what: "stop", ms: 0, thenMs: 15988 },
            { process: 0, what: "edit", ms: 16571, thenMs: 0 },
            { process: 0, what: "none", ms: 0, thenMs: 2000 },
          ],
          { refused: 18, lost: 37, delayMs: 0, seed: -11 },
          3,
          false,
        ],
        // Met the new leader when it wanted to release, and then renewed on the new leader's Lease.
        [
          [
            { process: 1, what: "freeze", ms: 18069, thenMs: 13699 },
            { process: 1, what: "stop", ms: 0, thenMs: 10194 },
            { process: 0, what: "freeze", ms: 0, thenMs: 11568 },
            { process: 0, what: "freeze", ms: 15411, thenMs: 4612 },
          ],
          { refused: 13, lost: 15, delayMs: 172, seed: 861836987 },
          2,
          true,
        ],
      ],
    },
  );
  assert(
    leaderships > runs * 1.2,
    `leadership must change hands for this to prove anything: ${leaderships} in ${runs} runs`,
  );
});
