import type { MetricsRegistry } from "../base/mod.ts";
import { type ElectionRecorder, LeadershipLostError, LeaseLock, LeaseReleases, SharedFence } from "../election/mod.ts";
import { Candidacy } from "./candidacy.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ProcessParts, Shift } from "./process_parts.ts";
import { exitCodeOf } from "./exit_code.ts";
import type { Workforce } from "./workforce.ts";

/** Off upstream. Here a stop releases the lease unless it is set to false, so that the next leader need not wait. */
const RELEASE_GATE = "ControllerManagerReleaseLeaderElectionLockOnExit";

/** Options of {@link Term}. */
export interface TermOptions extends Shift {
  readonly parts: ProcessParts;
  readonly metrics: MetricsRegistry;
  /** The name of the lease. */
  readonly lease: string;
  /** The log message for a lost lease. */
  readonly lost: string;
  readonly recorder: ElectionRecorder;
  /** Runs once the lease is held, before the controllers work; resolves to the exit code, 0 if they may. */
  begin?(leading: AbortSignal): Promise<number>;
  /** Runs beside the controllers; resolves to whether it ended cleanly. If not, everything ends. */
  beside?(): Promise<boolean>;
}

/**
 * Controllers that work while this process holds a lease, from the candidacy to the end.
 *
 * Contract:
 * 1. Controllers write nothing unless that very lease is held.
 * 2. A stop drains the controllers, then releases the lease. Losing the lease stops all writes and ends the term at
 *    once. So does an unclean end of the work beside the controllers.
 */
export class Term {
  readonly #options: TermOptions;
  readonly #fence = new SharedFence();
  readonly #candidacy: Candidacy;
  readonly #releases: LeaseReleases;
  readonly clients: ManagerClients;
  #workforce: Workforce | undefined;
  #running: Promise<number> | undefined;
  #signal: AbortSignal | undefined;
  #isAbandoned = false;

  constructor(options: TermOptions) {
    this.#options = options;
    const { parts: { process, metrics }, lease: name, recorder } = options;
    const { world, options: { election, gates }, identity } = process;
    const { enabled: _, resourceName: __, resourceNamespace: namespace, ...durations } = election;
    const clients = this.clients = process.clients(() => this.mayWrite(), options.metrics);
    this.#releases = new LeaseReleases({
      world,
      client: clients.controllers.client("leader-election-watch"),
      namespace,
      name,
      onSeen: (seen) => this.#candidacy.elector.observe(seen),
    });
    this.#candidacy = new Candidacy({
      world,
      metrics,
      ...durations,
      lock: new LeaseLock({ client: clients.election, namespace, name, identity }),
      releaseOnCancel: gates.set.get(RELEASE_GATE) ?? true,
      whenReleased: () => this.#releases.next(),
      sharedFence: this.#fence,
      recorder,
      lead: (leading) => this.#lead(leading),
    });
  }

  /** Whether its controllers may write. */
  mayWrite(): boolean {
    return this.#candidacy.elector.mayWrite();
  }

  /** Why its lease is unhealthy, if it is held. */
  check(): string | undefined {
    return this.#candidacy.elector.check()?.message;
  }

  /** Aborts when it ends. */
  get ended(): AbortSignal {
    return this.#candidacy.ended;
  }

  /** Resolves when its controllers are working. */
  get started(): Promise<void> {
    return this.#workforce!.started;
  }

  /** @throws {Error} Names the group whose thread cannot be started. */
  start(): void {
    const { parts, rows, isMigrated, metrics } = this.#options;
    const { clients } = this;
    const mayWrite = () => this.mayWrite();
    this.#workforce = parts.startWorkforce({ rows, isMigrated }, { clients, metrics, fence: this.#fence, mayWrite });
  }

  /**
   * Waits for the lease, then leads. Call `start` first.
   *
   * @returns The exit code.
   */
  async run(signal: AbortSignal): Promise<number> {
    const { parts: { process: { world, options } }, lost } = this.#options;
    const candidacy = this.#candidacy;
    const background = this.#releases.run(candidacy.ended);
    this.#signal = signal;
    if (options.warmStandby) {
      void this.#work(signal).then((code) => code > 0 && !signal.aborted && candidacy.fail());
    }
    try {
      if (await candidacy.run(signal) === "stopped") {
        await this.#running;
        return 0;
      }
      if (this.#isAbandoned) return 1;
      if (candidacy.elector.isLeader) world.log.error("Ending without releasing the lease");
      else if (candidacy.hasLed) world.log.error(lost);
      return 1;
    } finally {
      candidacy.end();
      this.#workforce?.end();
      await background;
    }
  }

  /** Ends it at once, without releasing the lease. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#candidacy.fail();
    this.#candidacy.end();
  }

  async #lead(leading: AbortSignal): Promise<boolean> {
    const { begin, beside, parts: { process: { world } } } = this.#options;
    const signal = this.#signal!;
    const candidacy = this.#candidacy;
    leading.addEventListener("abort", () => {
      if (leading.reason instanceof LeadershipLostError) candidacy.fail();
    }, { once: true });
    if (begin && await begin(leading) !== 0) return false;
    if (leading.aborted || signal.aborted) return true;
    this.#workforce!.lead();
    const ends = [this.#work(signal), ...beside ? [exitCodeOf(beside(), world, signal)] : []];
    const codes = await Promise.all(ends.map(async (end) => {
      const code = await end;
      if (code !== 0) candidacy.fail();
      return code;
    }));
    return codes.every((code) => code === 0);
  }

  #work(signal: AbortSignal): Promise<number> {
    const { world } = this.#options.parts.process;
    return this.#running ??= exitCodeOf(this.#workforce!.run(signal), world, signal);
  }
}
