import { Deferred, MetricsRegistry, type World } from "../base/mod.ts";
import { type Client, type ClientBuilder, waitForApiServer } from "../client/mod.ts";
import { CONTROLLERS } from "../controllers/mod.ts";
import { LeaderElector, LeadershipLostError, LeaseLock, LeaseReleases } from "../election/mod.ts";
import { EventBroadcaster } from "../events/mod.ts";
import { ControllerManager } from "./controller_manager.ts";
import { serveEndpoint } from "./endpoint.ts";
import { Health } from "./health.ts";
import type { ManagerOptions } from "./options.ts";

/** How a manager process reaches its API server. */
export interface ManagerClients {
  /** Clients of the controllers; their writes pass `fence`. */
  readonly controllers: ClientBuilder;
  /** The election's own client: own connections, own rate limit, so that controllers cannot starve a renewal. */
  readonly election: Client;
}

export interface ManagerProcessOptions {
  readonly world: World;
  readonly options: ManagerOptions;
  /**
   * Makes the clients. `mayWrite` is asked right before the bytes of each request of the controllers are sent; once it
   * answers `false` nothing more is written.
   */
  clients(mayWrite: () => boolean): ManagerClients;
  /** The CA bundle to publish in every namespace. */
  readonly rootCaText: string;
  /** Distinguishes processes in the lease; unique per start. */
  readonly identity: string;
}

/**
 * Runs kube-controller-manager until `signal` aborts or the lease is lost.
 *
 * A stop asked for by `signal` drains the controllers, then releases the lease. A lost lease stops every write at once and
 * ends the process without waiting for anybody.
 *
 * @returns The exit code: 0 after a clean stop, 1 when the lease was lost, a controller failed, or one did not end in time.
 * Upstream: `cmd/kube-controller-manager/app/controllermanager.go`.
 */
export async function runManagerProcess(process: ManagerProcessOptions, signal: AbortSignal): Promise<number> {
  const { world, options } = process;
  const metrics = new MetricsRegistry();
  const health = new Health();
  if (!options.election.enabled) {
    await using _endpoint = await serveEndpoint(world, options, health);
    return await lead(process, process.clients(() => true), metrics, health, signal);
  }
  const stopElection = new AbortController();
  const failed = new Deferred<number>();
  const clients = process.clients(() => elector.mayWrite());
  // Events have a client of their own: a flood of them must not delay a renewal.
  const broadcaster = new EventBroadcaster({ world, client: clients.controllers.client("leader-election-events") });
  const { enabled: _, resourceName, resourceNamespace, ...durations } = options.election;
  const releases = new LeaseReleases({
    world,
    client: clients.controllers.client("leader-election-watch"),
    namespace: resourceNamespace,
    name: resourceName,
  });
  let isLeading = false;
  const elector: LeaderElector = new LeaderElector({
    world,
    metrics,
    ...durations,
    lock: new LeaseLock({
      client: clients.election,
      namespace: resourceNamespace,
      name: resourceName,
      identity: process.identity,
    }),
    releaseOnCancel: true,
    whenReleased: () => releases.next(),
    recorder: broadcaster.recorder("kube-controller-manager"),
    onStartedLeading: async (leading) => {
      isLeading = true;
      leading.addEventListener("abort", () => {
        if (leading.reason instanceof LeadershipLostError) failed.resolve(1);
      }, { once: true });
      const code = await lead(process, clients, metrics, health, AbortSignal.any([signal, leading]));
      if (code === 0) return stopElection.abort();
      failed.resolve(code);
      // The elector releases the lease once this has settled: never, where a controller may still be at work.
      await new Promise(() => {});
    },
    onStoppedLeading: () => {},
  });
  health.add({ name: "leaderElection", run: () => elector.check()?.message });
  await using _endpoint = await serveEndpoint(world, options, health);
  const stopStandby = () => isLeading || stopElection.abort();
  signal.addEventListener("abort", stopStandby, { once: true });
  if (signal.aborted) stopElection.abort();
  const background = Promise.all([broadcaster.run(stopElection.signal), releases.run(stopElection.signal)]);
  try {
    const end = await Promise.race([elector.run(stopElection.signal), failed.promise]);
    if (end === "stopped") return 0;
    world.log.error(elector.isLeader ? "Ending without releasing the lease" : "leaderelection lost");
    return 1;
  } finally {
    signal.removeEventListener("abort", stopStandby);
    stopElection.abort();
    await background;
  }
}

/** Everything from holding the lease to the controllers' end; resolves with the exit code, never rejects. */
async function lead(
  { world, options, rootCaText }: ManagerProcessOptions,
  { controllers: clients }: ManagerClients,
  metrics: MetricsRegistry,
  health: Health,
  signal: AbortSignal,
): Promise<number> {
  try {
    await waitForApiServer({ world, client: clients.client("controller-discovery"), signal });
    const manager = new ControllerManager({
      world,
      metrics,
      clients,
      health,
      controllers: CONTROLLERS.filter(({ name }) => options.controllers.has(name)),
      controllerOptions: { ...options.controllerOptions, rootCaText },
      minResyncPeriodMs: options.minResyncPeriodMs,
      startIntervalMs: options.controllerStartIntervalMs,
      shutdownTimeoutMs: options.controllerShutdownTimeoutMs,
    });
    return await manager.run(signal) ? 0 : 1;
  } catch (error) {
    if (signal.aborted) return 0;
    world.log.error("Controllers cannot run", { err: error });
    return 1;
  }
}
