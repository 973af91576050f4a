import { Deferred, sleep } from "../base/mod.ts";
import { type SetAsideBoard, setAsideLines } from "../cache/mod.ts";
import { waitForApiServer } from "../client/mod.ts";
import { type ControllerDebug, CONTROLLERS } from "../controllers/mod.ts";
import { ControllerManager } from "./controller_manager.ts";
import type { HealthCheck } from "./health.ts";
import { SyncJournal } from "./journal/mod.ts";
import { answer, type Ask } from "./questions.ts";
import type { Workforce, WorkforceOptions } from "./workforce.ts";

/** Who cannot begin before it leads tries again after this long. */
const RETRY_MS = 5000;

/** All controllers in the main thread. */
export class SingleThread implements Workforce {
  readonly #options: WorkforceOptions;
  readonly #debug = new Map<string, ControllerDebug>();
  readonly #journal: SyncJournal;
  readonly #setAside: SetAsideBoard = new Set();
  readonly #leads = new Deferred();
  readonly #stopped = new Map<string, string>();
  readonly #ended = new AbortController();
  #isFilled = false;

  constructor(options: WorkforceOptions) {
    this.#options = options;
    this.#journal = new SyncJournal({ metrics: options.metrics });
    options.health.addNotes(() => setAsideLines(this.#setAside));
  }

  lead(): void {
    this.#leads.resolve();
  }

  end(): void {
    this.#ended.abort();
  }

  readonly ask: Ask = async (question) => {
    const { metrics } = this.#options;
    if (question.about === "metrics") return [];
    return [await answer(question, { metrics, debug: this.#debug, journal: this.#journal })];
  };

  async run(signal: AbortSignal): Promise<boolean> {
    const { world } = this.#options;
    for (;;) {
      try {
        return await this.#runOnce(AbortSignal.any([signal, this.#ended.signal]));
      } catch (error) {
        if (signal.aborted) return true;
        // What a standby cannot do yet it may be able to do when it matters.
        if (this.#leads.settled) throw error;
        world.log.warn("Standby cannot fill its caches and will try again", { err: error, retryMs: RETRY_MS });
        const wait = new AbortController();
        await Promise.race([this.#leads.promise, sleep(world.clock, RETRY_MS, AbortSignal.any([signal, wait.signal]))]);
        wait.abort();
      }
    }
  }

  async #runOnce(signal: AbortSignal): Promise<boolean> {
    const { world, options, supplies, clients: { controllers: clients }, metrics, health } = this.#options;
    await waitForApiServer({ world, client: clients.client("controller-discovery"), signal });
    const manager = new ControllerManager({
      world,
      metrics,
      debug: this.#debug,
      journal: this.#journal,
      setAside: this.#setAside,
      clients,
      controllers: CONTROLLERS.filter(({ name }) => options.controllers.has(name)),
      controllerOptions: options.controllerOptions,
      supplies,
      minResyncPeriodMs: options.minResyncPeriodMs,
      startIntervalMs: options.controllerStartIntervalMs,
      shutdownTimeoutMs: options.controllerShutdownTimeoutMs,
      whenLeading: this.#leads.promise,
      onStarted: (names) => void this.#leads.promise.then(() => health.add(...names.map((name) => this.#check(name)))),
      onSynced: () => this.#isFilled = true,
      onStopped: (controller, reason) => this.#stopped.set(controller, reason),
    });
    return await manager.run(signal);
  }

  /** A controller is always healthy, as upstream's are that supply no check; it is not ready before it can work, and once it was stopped. */
  #check(name: string): HealthCheck {
    const isNotReady = () => this.#stopped.get(name) ?? (this.#isFilled ? undefined : "its caches are not filled yet");
    return { name, run: () => undefined, isNotReady };
  }
}
