import { Deferred } from "../base/mod.ts";
import { LeaderElector, type LeaderElectorOptions } from "../election/mod.ts";

/** Options of {@link Candidacy}. */
export interface CandidacyOptions extends Omit<LeaderElectorOptions, "onStartedLeading" | "onStoppedLeading"> {
  /** Does a leader's work. Resolves to whether it ended cleanly. */
  lead(leading: AbortSignal): Promise<boolean>;
}

/**
 * One participation in an election: waiting, then leading, then ended.
 *
 * Contract:
 * 1. A waiting candidate ends when told to stop. A leader ends when its work has finished cleanly, and only then
 *    releases the lease.
 * 2. After work that did not end well, or `fail`, it ends at once and holds the lease until it expires: something may
 *    still be at work.
 */
export class Candidacy {
  readonly elector: LeaderElector;
  readonly #stop = new AbortController();
  readonly #failed = new Deferred<"failed">();
  #hasLed = false;

  constructor({ lead, ...options }: CandidacyOptions) {
    this.elector = new LeaderElector({
      ...options,
      onStartedLeading: async (leading) => {
        this.#hasLed = true;
        if (await lead(leading)) return this.#stop.abort();
        this.fail();
        await new Promise(() => {});
      },
      onStoppedLeading: () => {},
    });
  }

  /** Whether it leads, or has led. */
  get hasLed(): boolean {
    return this.#hasLed;
  }

  /** Aborts when it ends. */
  get ended(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends by sentence 2 of the contract. */
  fail(): void {
    this.#failed.resolve("failed");
  }

  /** Ends whatever runs beside it. */
  end(): void {
    this.#stop.abort();
  }

  /** Participates until it ends. While waiting, it ends when `signal` aborts. */
  async run(signal: AbortSignal): Promise<Awaited<ReturnType<LeaderElector["run"]>> | "failed"> {
    const stopWaiting = () => this.#hasLed || this.#stop.abort();
    signal.addEventListener("abort", stopWaiting, { once: true });
    if (signal.aborted) stopWaiting();
    try {
      return await Promise.race([this.elector.run(this.#stop.signal), this.#failed.promise]);
    } finally {
      signal.removeEventListener("abort", stopWaiting);
    }
  }
}
