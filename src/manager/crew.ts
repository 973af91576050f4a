import { Deferred, sleep } from "../base/mod.ts";
import { type SetAsideBoard, setAsideLines } from "../cache/mod.ts";
import type { ControllerDebug } from "../controllers/mod.ts";
import { ControllerManager, type ControllerManagerOptions } from "./controller_manager.ts";
import { SyncJournal } from "./journal/mod.ts";
import { type Answer, answer, type Question } from "./questions.ts";

/** The options that every manager gets from flags. Plain data that can be sent between threads. */
export type RunSettings = Pick<
  ControllerManagerOptions,
  "controllerOptions" | "minResyncPeriodMs" | "startIntervalMs" | "shutdownTimeoutMs"
>;

/** {@link RunSettings} as `ManagerOptions` has them. */
export function runSettings(
  { controllerOptions, minResyncPeriodMs, controllerStartIntervalMs, controllerShutdownTimeoutMs }:
    & Pick<RunSettings, "controllerOptions" | "minResyncPeriodMs">
    & { readonly controllerStartIntervalMs: number; readonly controllerShutdownTimeoutMs: number },
): RunSettings {
  return {
    controllerOptions,
    minResyncPeriodMs,
    startIntervalMs: controllerStartIntervalMs,
    shutdownTimeoutMs: controllerShutdownTimeoutMs,
  };
}

/** Options of {@link Crew}. */
export interface CrewOptions extends Omit<ControllerManagerOptions, "debug" | "journal" | "setAside" | "whenLeading"> {
  /** The group's name, if it is one. */
  readonly group?: string;
}

/** The delay before a failed start is retried. */
export const RETRY_MS = 5000;

/**
 * The controllers of one thread, and their state.
 *
 * Contract:
 * 1. `run` fills the caches; controllers work from `lead` on.
 * 2. A crew that could not start may try again, and does so at once when it is to lead: what fails on a standby may
 *    work by then.
 */
export class Crew {
  readonly #options: CrewOptions;
  readonly #debug = new Map<string, ControllerDebug>();
  readonly #setAside: SetAsideBoard = new Set();
  readonly #journal: SyncJournal;
  readonly #leads = new Deferred();

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#journal = new SyncJournal({ metrics: options.metrics, group: options.group });
  }

  lead(): void {
    this.#leads.resolve();
  }

  /** Resolves when it must lead. */
  get leads(): Deferred {
    return this.#leads;
  }

  /** A line for each object that its informers cannot read. */
  get setAside(): string[] {
    return setAsideLines(this.#setAside);
  }

  answer<Q extends Question>(question: Q): Promise<Answer<Q>> {
    return answer(question, { metrics: this.#options.metrics, debug: this.#debug, journal: this.#journal });
  }

  /**
   * Runs until `signal` aborts.
   *
   * @param options.before Awaited before each start.
   * @param options.mayTryAgain Whether to restart after this error; `wasLeading` is the state at the last start.
   * @returns Whether every controller ended in time.
   * @throws {Error} If it may not restart.
   */
  async run(
    signal: AbortSignal,
    { before, mayTryAgain }: {
      readonly before?: () => Promise<void>;
      readonly mayTryAgain: (error: unknown, wasLeading: boolean) => boolean;
    },
  ): Promise<boolean> {
    while (!signal.aborted) {
      const wasLeading = this.#leads.settled;
      try {
        await before?.();
        return await this.#manager().run(signal);
      } catch (error) {
        if (!mayTryAgain(error, wasLeading)) throw error;
      }
      const wait = new AbortController();
      const pause = sleep(this.#options.world.clock, RETRY_MS, AbortSignal.any([signal, wait.signal]));
      await Promise.race([pause, ...wasLeading ? [] : [this.#leads.promise]]);
      wait.abort();
    }
    return true;
  }

  #manager(): ControllerManager {
    return new ControllerManager({
      ...this.#options,
      debug: this.#debug,
      journal: this.#journal,
      setAside: this.#setAside,
      whenLeading: this.#leads.promise,
    });
  }
}
