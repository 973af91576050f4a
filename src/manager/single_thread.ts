import { Deferred } from "../base/mod.ts";
import { waitForApiServer } from "../client/mod.ts";
import { Crew, RETRY_MS, runSettings } from "./crew.ts";
import type { HealthCheck } from "./health.ts";
import type { Ask } from "./questions.ts";
import type { Workforce, WorkforceOptions } from "./workforce.ts";

/** All controllers in the main thread. */
export class SingleThread implements Workforce {
  readonly #options: WorkforceOptions;
  readonly #crew: Crew;
  readonly #stopped = new Map<string, string>();
  readonly #ended = new AbortController();
  readonly #started = new Deferred();
  #isFilled = false;

  constructor(options: WorkforceOptions) {
    this.#options = options;
    const { world, metrics, rows, supplies, clients, health } = options;
    this.#crew = new Crew({
      ...runSettings(options.options),
      world,
      metrics,
      clients: clients.controllers,
      controllers: rows,
      supplies,
      onStarted: (names) =>
        void this.#crew.leads.promise.then(() => {
          health.add(...names.map((name) => this.#check(name)));
          this.#started.resolve();
        }),
      onSynced: () => this.#isFilled = true,
      onStopped: (controller, reason) => this.#stopped.set(controller, reason),
    });
    health.addNotes(() => this.#crew.setAside);
  }

  get started(): Promise<void> {
    return this.#started.promise;
  }

  lead(): void {
    this.#crew.lead();
  }

  end(): void {
    this.#ended.abort();
  }

  readonly ask: Ask = async (question) => question.about === "metrics" ? [] : [await this.#crew.answer(question)];

  async run(signal: AbortSignal): Promise<boolean> {
    const { world, clients } = this.#options;
    const end = AbortSignal.any([signal, this.#ended.signal]);
    const client = clients.controllers.client("controller-discovery");
    try {
      return await this.#crew.run(end, {
        before: () => waitForApiServer({ world, client, signal: end }),
        mayTryAgain: (err) => {
          if (signal.aborted || this.#crew.leads.settled) return false;
          world.log.warn("Standby cannot fill its caches and will try again", { err, retryMs: RETRY_MS });
          return true;
        },
      });
    } catch (error) {
      if (signal.aborted) return true;
      throw error;
    }
  }

  /**
   * A controller is always healthy, like upstream's that have no check of their own. It is not ready before it can
   * work, and after it was stopped.
   */
  #check(name: string): HealthCheck {
    const isNotReady = () => this.#stopped.get(name) ?? (this.#isFilled ? undefined : "its caches are not filled yet");
    return { name, run: () => undefined, isNotReady };
  }
}
