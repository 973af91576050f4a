import { Deferred, MetricsRegistry, type World } from "../base/mod.ts";
import { LeaderElector, LeadershipLostError, LeaseLock, LeaseReleases } from "../election/mod.ts";
import { EventBroadcaster } from "../events/mod.ts";
import { type EndpointClients, HealthRecord, serveEndpoint } from "./endpoint/mod.ts";
import type { GroupThread } from "./groups/mod.ts";
import { Health } from "./health.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerOptions } from "./options.ts";
import type { Ask } from "./questions.ts";
import { SingleThread, Threads, type Workforce, type WorkforceOptions } from "./workforce.ts";

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
  /** Starts a thread for a group of controllers. */
  spawn(group: string): GroupThread;
  /** As whom the endpoint asks the API server who sends a request, and what they may. */
  readonly endpointClients: EndpointClients;
  /** Sets how much is logged. */
  setVerbosity(verbosity: number): void;
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
  const record = new HealthRecord();
  const health = new Health((name, holds) => record.observe(name, holds));
  const serve = (ask: Ask) => {
    const { setVerbosity, endpointClients } = process;
    return serveEndpoint({ world, options, health, record, metrics, ask, setVerbosity, ...endpointClients });
  };
  if (!options.election.enabled) {
    const started: { workforce?: Workforce } = {};
    await using _endpoint = await serve((question) => started.workforce?.ask(question) ?? Promise.resolve([]));
    const clients = process.clients(() => true);
    const workforce = workforceOf({ ...process, clients, metrics, health }, process.spawn);
    started.workforce = workforce;
    workforce.lead();
    return await exitCodeOf(workforce.run(signal), world, signal);
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
  const workforce = workforceOf({ ...process, clients, metrics, health }, process.spawn);
  let running: Promise<number> | undefined;
  const run = () => running ??= exitCodeOf(workforce.run(signal), world, signal);
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
      workforce.lead();
      const code = await run();
      if (code === 0) return stopElection.abort();
      failed.resolve(code);
      // The elector releases the lease once this has settled: never, where a controller may still be at work.
      await new Promise(() => {});
    },
    onStoppedLeading: () => {},
  });
  health.add({ name: "leaderElection", run: () => elector.check()?.message });
  await using _endpoint = await serve(workforce.ask);
  const stopStandby = () => isLeading || stopElection.abort();
  signal.addEventListener("abort", stopStandby, { once: true });
  if (signal.aborted) stopElection.abort();
  const background = Promise.all([broadcaster.run(stopElection.signal), releases.run(stopElection.signal)]);
  if (options.warmStandby) void run();
  try {
    const end = await Promise.race([elector.run(stopElection.signal), failed.promise]);
    if (end === "stopped") {
      await running;
      return 0;
    }
    world.log.error(elector.isLeader ? "Ending without releasing the lease" : "leaderelection lost");
    return 1;
  } finally {
    signal.removeEventListener("abort", stopStandby);
    stopElection.abort();
    workforce.end();
    await background;
  }
}

/** Resolves with the exit code once the controllers have ended; never rejects. */
async function exitCodeOf(running: Promise<boolean>, world: World, signal: AbortSignal): Promise<number> {
  try {
    return await running ? 0 : 1;
  } catch (error) {
    if (signal.aborted) return 0;
    world.log.error("Controllers cannot run", { err: error });
    return 1;
  }
}

/** Threads for the groups that `--controller-groups` names, or none. */
function workforceOf(options: WorkforceOptions, spawn: (group: string) => GroupThread): Workforce {
  const { controllerGroups: assignments } = options.options;
  return assignments.length > 0 ? new Threads(options, { assignments, spawn }) : new SingleThread(options);
}
