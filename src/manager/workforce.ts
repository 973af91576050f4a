import { Deferred, type MetricsRegistry, sleep, type World } from "../base/mod.ts";
import { ReflectorSource } from "../cache/mod.ts";
import { waitForApiServer } from "../client/mod.ts";
import { type ControllerDebug, CONTROLLERS } from "../controllers/mod.ts";
import type { SharedFence } from "../election/mod.ts";
import { ControllerManager } from "./controller_manager.ts";
import { type GroupAssignment, type GroupLimits, GroupSet, type GroupThread } from "./groups/mod.ts";
import type { Health, HealthCheck } from "./health.ts";
import { WatchHub } from "./hub/mod.ts";
import { SyncJournal } from "./journal/mod.ts";
import type { ManagerOptions } from "./options.ts";
import type { ManagerClients } from "./manager_clients.ts";
import { answer, type Ask } from "./questions.ts";

/** What a {@link Workforce} works with. */
export interface WorkforceOptions {
  readonly world: World;
  readonly options: ManagerOptions;
  readonly rootCaText: string;
  readonly clients: ManagerClients;
  readonly metrics: MetricsRegistry;
  readonly health: Health;
  /** Open for as long as this process may write. */
  readonly fence: SharedFence;
  /** When a group is started anew; by default after half a minute without a turn, and before its heap is full. */
  readonly limits?: GroupLimits;
}

/**
 * The controllers of a process, in one thread or in several.
 *
 * Contract:
 * 1. `run` fills the caches; controllers work from `lead` on.
 * 2. `run` resolves with whether all ended well: after its signal aborted, once what was under way is finished.
 * 3. After `end` nothing is waited for.
 */
export interface Workforce {
  run(signal: AbortSignal): Promise<boolean>;
  lead(): void;
  end(): void;
  /** Asks the threads of the controllers. Of metrics: only those that are not in the process's own registry. */
  readonly ask: Ask;
}

/** Who cannot begin before it leads tries again after this long. */
const RETRY_MS = 5000;
/** Each group sees to the timeout of a shutdown itself, and has this long to say so. */
const GRACE_MS = 1000;
/** Generous: a garbage collection of a big heap is no failure. */
const LIMITS: GroupLimits = { blockedAfterMs: 30_000, heapShare: 0.85, mostFailures: 6 };

/** All controllers in the main thread. */
export class SingleThread implements Workforce {
  readonly #options: WorkforceOptions;
  readonly #debug = new Map<string, ControllerDebug>();
  readonly #journal: SyncJournal;
  readonly #leads = new Deferred();
  readonly #stopped = new Map<string, string>();
  readonly #ended = new AbortController();

  constructor(options: WorkforceOptions) {
    this.#options = options;
    this.#journal = new SyncJournal({ metrics: options.metrics });
  }

  lead(): void {
    this.#leads.resolve();
  }

  end(): void {
    this.#ended.abort();
  }

  readonly ask: Ask = (question) => {
    const { metrics } = this.#options;
    return Promise.resolve(
      question.about === "metrics" ? [] : [answer(question, { metrics, debug: this.#debug, journal: this.#journal })],
    );
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
    const { world, options, rootCaText, clients: { controllers: clients }, metrics, health } = this.#options;
    await waitForApiServer({ world, client: clients.client("controller-discovery"), signal });
    const manager = new ControllerManager({
      world,
      metrics,
      debug: this.#debug,
      journal: this.#journal,
      clients,
      controllers: CONTROLLERS.filter(({ name }) => options.controllers.has(name)),
      controllerOptions: { ...options.controllerOptions, rootCaText },
      minResyncPeriodMs: options.minResyncPeriodMs,
      startIntervalMs: options.controllerStartIntervalMs,
      shutdownTimeoutMs: options.controllerShutdownTimeoutMs,
      whenLeading: this.#leads.promise,
      onStarted: (names) => void this.#leads.promise.then(() => health.add(...names.map((name) => this.#check(name)))),
      onStopped: (controller, reason) => this.#stopped.set(controller, reason),
    });
    return await manager.run(signal);
  }

  /** A controller is always healthy, as upstream's are that supply no check; it is not ready once it was stopped. */
  #check(name: string): HealthCheck {
    return { name, run: () => undefined, isNotReady: () => this.#stopped.get(name) };
  }
}

/** Each group of controllers in a thread of its own; of a standby that keeps no caches the threads start when it leads. */
export class Threads implements Workforce {
  readonly #options: WorkforceOptions;
  readonly #startGroups: () => GroupSet;
  readonly #hub: WatchHub;
  readonly #leads = new Deferred();
  readonly #allStarted = new Deferred();
  readonly #ended = new Deferred();
  readonly #unstartable = new Deferred<string>();
  #groups: GroupSet | undefined;

  constructor(
    options: WorkforceOptions,
    { assignments, spawn }: {
      readonly assignments: readonly GroupAssignment[];
      /** Starts a thread that may reach that address, if given. */
      readonly spawn: (name: string, address?: string) => GroupThread;
    },
  ) {
    this.#options = options;
    const { world, metrics, options: { logging, ...settings }, rootCaText, clients, health, fence } = options;
    const { access } = clients;
    const client = clients.controllers.client("shared-informers");
    const watchList = !settings.controllerOptions.disabledGates?.has("WatchListClient");
    this.#hub = new WatchHub({
      world,
      metrics,
      whenAllSubscribed: this.#allStarted.promise,
      source: (topic) =>
        new ReflectorSource({ world, client, metrics, watchList, name: "kube-controller-manager", ...topic }),
    });
    this.#startGroups = () => {
      const groups = new GroupSet({
        world,
        metrics,
        assignments,
        hub: this.#hub,
        access,
        limits: options.limits ?? LIMITS,
        spawn: (name) => spawn(name, access.direct?.address),
        log: clients.log,
        settings: {
          controllerOptions: { ...settings.controllerOptions, rootCaText },
          server: clients.server,
          directFences: access.direct && [fence.memory],
          qps: settings.qps,
          burst: settings.burst,
          minResyncPeriodMs: settings.minResyncPeriodMs,
          startIntervalMs: settings.controllerStartIntervalMs,
          shutdownTimeoutMs: settings.controllerShutdownTimeoutMs,
          logFormat: logging.format,
          verbosity: logging.verbosity,
          vmodule: logging.vmodule,
          pid: Deno.pid,
        },
      });
      void groups.started().then(() => this.#allStarted.resolve());
      void groups.unstartable.then((reason) => this.#unstartable.resolve(reason));
      health.add(...groups.checks(settings.unhealthyWhenGroupDown));
      return groups;
    };
    if (settings.warmStandby) this.#groups = this.#startGroups();
  }

  lead(): void {
    try {
      this.#groups ??= this.#startGroups();
    } catch (error) {
      return this.#unstartable.resolve(error instanceof Error ? error.message : String(error));
    }
    this.#options.health.add(...this.#groups.controllerChecks());
    this.#groups.lead();
    this.#leads.resolve();
  }

  end(): void {
    this.#groups?.end();
    this.#ended.resolve();
  }

  readonly ask: Ask = async (question) => await this.#groups?.ask(question) ?? [];

  async run(signal: AbortSignal): Promise<boolean> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    const stopLooking = new AbortController();
    const reason = await Promise.race([
      aborted,
      this.#ended.promise,
      this.#unstartable.promise,
      this.#unreachable(stopLooking.signal),
    ]);
    stopLooking.abort();
    if (reason !== undefined) {
      this.#groups?.end();
      await this.#hub.shutDown();
      throw new Error(reason);
    }
    const { clock } = this.#options.world;
    const timeoutMs = this.#options.options.controllerShutdownTimeoutMs;
    const wait = new AbortController();
    const ends = [this.#groups?.stop() ?? true, this.#ended.promise.then(() => false)];
    // Without a timeout the groups may take as long as they like.
    if (timeoutMs > 0) ends.push(sleep(clock, timeoutMs + GRACE_MS, wait.signal).then(() => false));
    const isClean = await Promise.race(ends);
    wait.abort();
    this.#groups?.end();
    await this.#hub.shutDown();
    return isClean;
  }

  /** Why nothing can be led, if a leader whose groups have not begun finds the API server unwell; without an end otherwise. */
  async #unreachable(signal: AbortSignal): Promise<string> {
    await this.#leads.promise;
    const { world, clients } = this.#options;
    try {
      if (!this.#allStarted.settled) {
        await waitForApiServer({ world, client: clients.controllers.client("controller-discovery"), signal });
      }
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return await new Promise(() => {});
  }
}
