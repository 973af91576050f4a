import { Deferred, errorText, sleep } from "../base/mod.ts";
import { ReflectorSource } from "../cache/mod.ts";
import { waitForApiServer } from "../client/mod.ts";
import { runSettings } from "./crew.ts";
import { type GroupAssignment, type GroupLimits, GroupSet, type GroupThread } from "./groups/mod.ts";
import { WatchHub } from "./hub/mod.ts";
import type { Ask } from "./questions.ts";
import type { Workforce, WorkforceOptions } from "./workforce.ts";

/** Each group enforces the shutdown timeout itself, and has this long to report it. */
const GRACE_MS = 1000;
/** Generous: garbage collection of a large heap is not a failure. */
const LIMITS: GroupLimits = { blockedAfterMs: 30_000, heapShare: 0.85, mostFailures: 6 };

/**
 * Each group of controllers in a thread of its own.
 *
 * Contract:
 * 1. A standby without caches starts its threads when it becomes leader, once the API server is healthy.
 * 2. Groups that have not started when it becomes leader must work once the API server is healthy.
 * 3. The run ends if that takes longer than ten seconds; if groups cannot be started, if a leader's cannot be built, or
 *    if all have failed too often: another process may do better with the lease.
 */
export class Threads implements Workforce {
  readonly #options: WorkforceOptions;
  readonly #startGroups: () => GroupSet;
  readonly #hub: WatchHub;
  readonly #leads = new Deferred();
  readonly #allStarted = new Deferred();
  readonly #ended = new Deferred();
  readonly #hopeless = new Deferred<string>();
  #groups: GroupSet | undefined;

  constructor(
    options: WorkforceOptions,
    { assignments, spawn }: {
      readonly assignments: readonly GroupAssignment[];
      /** Starts a thread that may reach only `address`, if given. */
      readonly spawn: (name: string, address?: string) => GroupThread;
    },
  ) {
    this.#options = options;
    const { world, metrics, options: { logging, ...settings }, rows, supplies, clients, health, fence } = options;
    const { access } = clients;
    const client = clients.controllers.client("shared-informers");
    const watchList = settings.controllerOptions.gates.has("WatchListClient");
    this.#hub = new WatchHub({
      world,
      metrics,
      whenAllSubscribed: this.#allStarted.promise,
      // The same metric label as if each informer had its own Reflector.
      source: ({ metadataOnly, ...topic }) => {
        const name = metadataOnly ? undefined : settings.controllerOptions.program;
        return new ReflectorSource({ world, client, metrics, watchList, name, metadataOnly, ...topic });
      },
    });
    this.#startGroups = () => {
      const groups = new GroupSet({
        world,
        metrics,
        assignments,
        hub: this.#hub,
        access,
        rows,
        supplies,
        fence,
        limits: options.limits ?? LIMITS,
        spawn: (name) => spawn(name, access.direct?.address),
        log: clients.log,
        onBuilt: (checks) => void this.#leads.promise.then(() => health.add(...checks)),
        settings: {
          ...runSettings(options.options),
          server: clients.server,
          sendsDirectly: access.direct !== undefined,
          qps: settings.qps,
          burst: settings.burst,
          logFormat: logging.format,
          verbosity: options.verbosity(),
          vmodule: logging.vmodule,
          pid: Deno.pid,
        },
      });
      void groups.started().then(() => this.#allStarted.resolve());
      void groups.hopeless.then((reason) => this.#hopeless.resolve(reason));
      health.add(...groups.checks(settings.unhealthyWhenGroupDown));
      return groups;
    };
    health.addNotes(() => this.#groups?.setAside ?? []);
    if (settings.warmStandby) this.#groups = this.#startGroups();
  }

  get started(): Promise<void> {
    return Promise.all([this.#leads.promise, this.#allStarted.promise]).then(() => {});
  }

  lead(): void {
    this.#leads.resolve();
  }

  end(): void {
    this.#groups?.end();
    this.#ended.resolve();
  }

  readonly ask: Ask = async (question) => await this.#groups?.ask(question) ?? [];

  relieve(reason: string): boolean {
    return this.#groups?.relieve(reason) ?? false;
  }

  setVerbosity(verbosity: number): void {
    this.#groups?.setVerbosity(verbosity);
  }

  async run(signal: AbortSignal): Promise<boolean> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    const stop = new AbortController();
    const reason = await Promise.race([
      aborted,
      this.#ended.promise,
      this.#hopeless.promise,
      this.#beginWork(stop.signal),
    ]);
    stop.abort();
    if (reason !== undefined) {
      this.#groups?.end();
      await this.#hub.shutDown();
      throw new Error(reason);
    }
    const { clock } = this.#options.world;
    const timeoutMs = this.#options.options.controllerShutdownTimeoutMs;
    const wait = new AbortController();
    const ends = [this.#groups?.stop() ?? true, this.#ended.promise.then(() => false)];
    // Without a timeout, groups may take any time.
    if (timeoutMs > 0) ends.push(sleep(clock, timeoutMs + GRACE_MS, wait.signal).then(() => false));
    const isClean = await Promise.race(ends);
    wait.abort();
    this.#groups?.end();
    await this.#hub.shutDown();
    return isClean;
  }

  /** Starts the groups' work when due; resolves only if that is impossible, with the reason. */
  async #beginWork(signal: AbortSignal): Promise<string> {
    await this.#leads.promise;
    const { world, clients } = this.#options;
    try {
      if (!this.#allStarted.settled) {
        await waitForApiServer({ world, client: clients.controllers.client("controller-discovery"), signal });
      }
      if (!signal.aborted) {
        this.#groups ??= this.#startGroups();
        this.#groups.lead();
      }
    } catch (error) {
      return errorText(error);
    }
    return await new Promise(() => {});
  }
}
