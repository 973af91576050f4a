import { errorText, MetricsRegistry, type World } from "../base/mod.ts";
import type { CloudProvider } from "../cloud/mod.ts";
import { isBuilt, needsOf, type Supplies } from "../controllers/mod.ts";
import { LeadershipLostError, LeaseLock, LeaseReleases, SharedFence } from "../election/mod.ts";
import { EventBroadcaster } from "../events/mod.ts";
import { Candidacy } from "./candidacy.ts";
import { type CloudAccess, ProcessCloud } from "./cloud/mod.ts";
import { type EndpointClients, HealthRecord, serveEndpoint } from "./endpoint/mod.ts";
import { type GroupLimits, type GroupThread, unstartable } from "./groups/mod.ts";
import { Health } from "./health.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerOptions } from "./options.ts";
import { Recorders } from "./recorders.ts";
import type { Ask } from "./questions.ts";
import { supervise, type Supervisor } from "./supervision.ts";
import { watchForStalls } from "./stall_watch.ts";
import { SingleThread } from "./single_thread.ts";
import { Threads } from "./threads.ts";
import { type FileOrigin, OpenSupplies } from "./supplies/mod.ts";
import type { Workforce, WorkforceOptions } from "./workforce.ts";

export interface ManagerProcessOptions {
  readonly world: World;
  readonly options: ManagerOptions;
  /**
   * Makes the clients, which count their requests in `metrics`. `mayWrite` is asked right before the bytes of each request
   * of the controllers are sent; once it answers `false` nothing more is written.
   */
  clients(mayWrite: () => boolean, metrics: MetricsRegistry): ManagerClients;
  /** Where the file that a flag names is. */
  file(flag: string): FileOrigin;
  /** Distinguishes processes in the lease; unique per start. */
  readonly identity: string;
  /** How clouds are reached; needed where the program has a cloud provider. */
  readonly cloud?: CloudAccess;
  /** Starts a thread for a group of controllers, which may reach that address if one is given. */
  spawn(group: string, address?: string): GroupThread;
  /** When such a thread is ended and started anew; generous by default. */
  readonly limits?: GroupLimits;
  /** Hears how this process is, if anybody does. */
  readonly supervisor?: Supervisor;
  /** As whom the endpoint asks the API server who sends a request, and what they may. */
  readonly endpointClients: EndpointClients;
  /** Sets how much is logged. */
  setVerbosity(verbosity: number): void;
}

/** Upstream has it off. Here a stop releases the lease unless it is set to false: the next leader need not wait for it. */
const RELEASE_GATE = "ControllerManagerReleaseLeaderElectionLockOnExit";

/**
 * Runs a program's controllers until `signal` aborts or the lease is lost.
 *
 * A stop asked for by `signal` drains the controllers, then releases the lease. A lost lease stops every write at once and
 * ends the process without waiting for anybody.
 *
 * @returns The exit code: 0 after a clean stop, 1 when the lease was lost, a controller failed, or one did not end in time.
 * Upstream: `cmd/kube-controller-manager/app/controllermanager.go`.
 */
export async function runManagerProcess(process: ManagerProcessOptions, signal: AbortSignal): Promise<number> {
  const { world, options } = process;
  const rows = options.flags.component.controllers.filter(isBuilt).filter(({ name }) => options.controllers.has(name));
  const supplies = new OpenSupplies(world, needsOf(rows), process.file);
  await supplies.read();
  const metrics = new MetricsRegistry();
  const cloud = options.cloud &&
    await ProcessCloud.open({ world, metrics, options: options.cloud, access: process.cloud ?? NO_CLOUD });
  const parts = partsOf(process, { rows, supplies, metrics, cloud });
  const end = new AbortController();
  const watching = Promise.all([
    watchForStalls(world, { metrics: parts.metrics, signal: end.signal }),
    supplies.follow(end.signal),
    cloud?.follow(end.signal),
  ]);
  try {
    return await (options.election.enabled ? runElected(parts, signal) : runAlone(parts, signal));
  } finally {
    cloud?.close();
    end.abort();
    await watching;
  }
}

/** Of a process that is given no way to any cloud. */
const NO_CLOUD: CloudAccess = {
  env: () => undefined,
  connect: () => () => Promise.reject(new Error("This process has no way to reach a cloud")),
};

/** What a process has, whether it takes part in an election or not. */
interface Parts {
  readonly process: ManagerProcessOptions;
  readonly metrics: MetricsRegistry;
  readonly health: Health;
  readonly fence: SharedFence;
  readonly cloud: ProcessCloud | undefined;
  serve(): Promise<AsyncDisposable | undefined>;
  /** @throws {Error} Naming the group whose thread cannot be started. */
  startWorkforce(clients: ManagerClients, mayWrite: () => boolean): Workforce;
}

function partsOf(
  process: ManagerProcessOptions,
  { rows, supplies, metrics, cloud }: Pick<WorkforceOptions, "rows" | "supplies" | "metrics"> & Pick<Parts, "cloud">,
): Parts {
  const { world, options, endpointClients } = process;
  let { verbosity } = options.logging;
  const fence = new SharedFence();
  const record = new HealthRecord();
  const health = new Health((name, holds) => record.observe(name, holds));
  let workforce: Workforce | undefined;
  const ask: Ask = async (question) => await workforce?.ask(question) ?? [];
  const setVerbosity = (wanted: number) => {
    verbosity = wanted;
    process.setVerbosity(wanted);
    workforce?.setVerbosity?.(wanted);
  };
  return {
    process,
    metrics,
    health,
    fence,
    cloud,
    serve: () => serveEndpoint({ world, options, health, record, metrics, ask, setVerbosity, ...endpointClients }),
    startWorkforce: (clients, mayWrite) =>
      workforce = workforceOf(
        {
          ...process,
          rows,
          supplies: withCloud(supplies, cloud?.guard(mayWrite)),
          clients,
          metrics,
          health,
          fence,
          verbosity: () => verbosity,
        },
        process.spawn,
      ),
  };
}

function withCloud({ files, signer, folders }: Supplies, cloud: CloudProvider | undefined): Supplies {
  return { files, signer, folders, cloud };
}

/** Runs the controllers of the only process there is. */
async function runAlone(
  { process, metrics, health, fence, cloud, serve, startWorkforce }: Parts,
  signal: AbortSignal,
): Promise<number> {
  const { world, supervisor } = process;
  // What keeps the endpoint from being served is found before a thread starts or the API server is asked anything.
  await using _endpoint = await serve();
  await using _supervision = supervise(supervisor, { world, health, signal, doing: "Running without an election" });
  const mayWrite = () => true;
  const clients = process.clients(mayWrite, metrics);
  const workforce = startWorkforce(clients, mayWrite);
  fence.openUntil();
  await using recorders = new Recorders({ world, metrics, clients: clients.controllers });
  const end = new AbortController();
  const stop = () => end.abort();
  signal.addEventListener("abort", stop, { once: true });
  const working = (async () => {
    await initialize(cloud, { clients, recorders, signal: end.signal, mayWrite });
    workforce.lead();
    return await workforce.run(signal);
  })();
  try {
    return await exitCodeOf(working, world, signal);
  } finally {
    signal.removeEventListener("abort", stop);
    end.abort();
  }
}

/** Takes part in the election, and runs the controllers as long as this process leads. */
async function runElected(
  { process, metrics, health, fence, cloud, serve, startWorkforce }: Parts,
  signal: AbortSignal,
): Promise<number> {
  const { world, options } = process;
  const { name: program } = options.flags.component;
  const mayWrite = () => candidacy.elector.mayWrite();
  const clients = process.clients(mayWrite, metrics);
  // Events have a client of their own: a flood of them must not delay a renewal.
  const broadcaster = new EventBroadcaster({ world, client: clients.controllers.client(program) });
  const { enabled: _, resourceName, resourceNamespace, ...durations } = options.election;
  const releases = new LeaseReleases({
    world,
    client: clients.controllers.client("leader-election-watch"),
    namespace: resourceNamespace,
    name: resourceName,
    onSeen: (lease) => candidacy.elector.observe(lease),
  });
  let running: Promise<number> | undefined;
  const candidacy: Candidacy = new Candidacy({
    world,
    metrics,
    ...durations,
    lock: new LeaseLock({
      client: clients.election,
      namespace: resourceNamespace,
      name: resourceName,
      identity: process.identity,
    }),
    releaseOnCancel: options.gates.set.get(RELEASE_GATE) ?? true,
    whenReleased: () => releases.next(),
    sharedFence: fence,
    recorder: broadcaster.recorder(program),
    lead: async (leading) => {
      supervision.does("Leading");
      leading.addEventListener("abort", () => {
        if (leading.reason instanceof LeadershipLostError) candidacy.fail();
      }, { once: true });
      const isReady = initialize(cloud, { clients, recorders, signal: leading, mayWrite });
      if (await exitCodeOf(isReady, world, leading) !== 0) return false;
      if (leading.aborted) return true;
      workforce.lead();
      return await run() === 0;
    },
  });
  health.add({ name: "leaderElection", run: () => candidacy.elector.check()?.message });
  await using _endpoint = await serve();
  await using supervision = supervise(process.supervisor, { world, health, signal, doing: "Waiting for the lease" });
  await using recorders = new Recorders({ world, metrics, clients: clients.controllers });
  const workforce = startWorkforce(clients, mayWrite);
  const run = () => running ??= exitCodeOf(workforce.run(signal), world, signal);
  const background = Promise.all([broadcaster.run(candidacy.ended), releases.run(candidacy.ended)]);
  if (options.warmStandby) void run().then((code) => code > 0 && !signal.aborted && candidacy.fail());
  try {
    if (await candidacy.run(signal) === "stopped") {
      await running;
      return 0;
    }
    if (candidacy.elector.isLeader) world.log.error("Ending without releasing the lease");
    else if (candidacy.hasLed) world.log.error("leaderelection lost");
    return 1;
  } finally {
    candidacy.end();
    workforce.end();
    await background;
  }
}

/** Lets the cloud provider begin, if there is one. */
async function initialize(
  cloud: ProcessCloud | undefined,
  { clients, recorders, signal, mayWrite }: {
    readonly clients: ManagerClients;
    readonly recorders: Recorders;
    readonly signal: AbortSignal;
    readonly mayWrite: () => boolean;
  },
): Promise<true> {
  const recorder: Recorders["recorder"] = (component, client) => recorders.recorder(component, client);
  try {
    await cloud?.initialize({ clients: clients.controllers, recorder, signal }, mayWrite);
  } catch (cause) {
    throw new Error(`Cannot initialize the cloud provider: ${errorText(cause)}`, { cause });
  }
  return true;
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

/**
 * Threads for the groups that `--controller-groups` names, or none.
 *
 * @throws {Error} Naming the group whose thread cannot be started.
 */
function workforceOf(options: WorkforceOptions, spawn: ManagerProcessOptions["spawn"]): Workforce {
  const { controllerGroups: assignments } = options.options;
  if (assignments.length === 0) return new SingleThread(options);
  const named = (group: string, address?: string): GroupThread => {
    try {
      return spawn(group, address);
    } catch (cause) {
      throw new Error(unstartable(group, cause instanceof Error ? cause.message : cause), { cause });
    }
  };
  return new Threads(options, { assignments, spawn: named });
}
