import { Deferred } from "../base/mod.ts";
import type { Transport } from "../client/mod.ts";
import type { Journal } from "../controllers/mod.ts";
import type { CloudProvider } from "../cloud/mod.ts";
import { type CrashMoment, Lifeline } from "./lifeline.ts";

/** When a manager crashes. */
export interface CrashOptions {
  /** The number of the write at which it crashes, counted from 1 from now on; by default at once. */
  readonly atWrite?: number;
  /** Whether it dies `before` the server stores that write, or `after` that without getting the answer (default). */
  readonly moment?: CrashMoment;
}

/** A living manager's connection to the world. */
export interface Connection {
  readonly transport: Transport;
  readonly cloud?: CloudProvider;
  /** Whether it has not crashed. */
  isAlive(): boolean;
  readonly journal: Journal;
}

/** Options of {@link MortalManager}. */
export interface MortalManagerOptions {
  readonly transport: Transport;
  readonly cloud?: CloudProvider;
  /** Records the syncs of the living manager. */
  readonly journal: Journal;
  /** Makes a manager without state. */
  readonly build: (connection: Connection) => { run(signal: AbortSignal): Promise<unknown> };
}

interface Life {
  readonly lifeline: Lifeline;
  readonly ended: Promise<void>;
}

/**
 * A cluster's controllers as a process that can die at any moment and be restarted.
 *
 * Contract:
 * 1. From its crash on nothing of a manager reaches the API server, and nothing is noted of it.
 * 2. A manager that is started knows only what the API server tells it.
 * 3. `run` resolves when all managers that ever lived have come to rest.
 */
export class MortalManager {
  readonly #options: MortalManagerOptions;
  readonly #failed = new Deferred<never>();
  readonly #lives: Life[] = [];
  #signal: AbortSignal | undefined;
  #doom: { writesLeft: number; readonly moment: CrashMoment } | undefined;

  constructor(options: MortalManagerOptions) {
    this.#options = options;
  }

  /** The number of writes by all managers so far that reached the API server. */
  get writes(): number {
    return this.#lives.reduce((sum, { lifeline }) => sum + lifeline.writes, 0);
  }

  /**
   * Runs a manager, and those started later, until `signal` aborts.
   *
   * @throws {Error} If a manager fails without having been crashed.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.start();
    const aborted = new Deferred();
    signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    if (signal.aborted) aborted.resolve();
    await Promise.race([aborted.promise, this.#failed.promise]);
    await Promise.all(this.#lives.map(({ ended }) => ended));
    if (this.#failed.settled) await this.#failed.promise;
  }

  /**
   * Starts a manager to replace a crashed one.
   *
   * @throws {Error} If one is alive, or `run` was not called.
   */
  start(): void {
    const { build, transport, cloud, journal } = this.#options;
    if (!this.#signal) throw new Error("Cannot start a manager in a cluster that does not run");
    if (this.#alive) throw new Error("Cannot start a manager beside one that is alive: crash that one first");
    const deathBy = () => this.#deathByNextWrite();
    const lifeline = new Lifeline({ deathBy, deathByCall: deathBy });
    const death = new AbortController();
    void lifeline.whenCut.then(() => death.abort());
    const manager = build({
      transport: lifeline.around(transport),
      cloud: cloud && lifeline.aroundCloud(cloud),
      isAlive: () => !lifeline.isCut,
      journal: { record: (entry) => lifeline.isCut || journal.record(entry) },
    });
    const ended = manager.run(AbortSignal.any([this.#signal, death.signal])).then(() => {}, (error) => {
      if (!lifeline.isCut) this.#failed.reject(error);
    });
    this.#lives.push({ lifeline, ended });
  }

  /**
   * Crashes the manager; resolves when it is dead.
   *
   * @throws {Error} If none is alive.
   */
  async crash({ atWrite, moment = "after" }: CrashOptions = {}): Promise<void> {
    const alive = this.#alive;
    if (!alive) throw new Error("Cannot crash a manager that is not alive: start one first");
    if (atWrite === undefined) return alive.cut();
    this.#doom = { writesLeft: atWrite, moment };
    await alive.whenCut;
  }

  get #alive(): Lifeline | undefined {
    const last = this.#lives.at(-1)?.lifeline;
    return last?.isCut ? undefined : last;
  }

  #deathByNextWrite(): CrashMoment | undefined {
    const doom = this.#doom;
    if (!doom || --doom.writesLeft > 0) return undefined;
    this.#doom = undefined;
    return doom.moment;
  }
}
