import { errorText, MetricsRegistry, whenAborted } from "../base/mod.ts";
import { isBuilt, needsOf } from "../controllers/mod.ts";
import { SharedFence } from "../election/mod.ts";
import { EventBroadcaster } from "../events/mod.ts";
import { exitCodeOf } from "./exit_code.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerProcessOptions } from "./process_options.ts";
import { watchMemory } from "./memory_watch.ts";
import { ProcessParts, type Shift } from "./process_parts.ts";
import { Recorders } from "./recorders.ts";
import { watchForStalls } from "./stall_watch.ts";
import { OpenSupplies } from "./supplies/mod.ts";
import { supervise } from "./supervision.ts";
import { Term } from "./term.ts";

/**
 * Runs a program's controllers until `signal` aborts or the lease is lost.
 *
 * When `signal` aborts, the controllers are drained, then the lease is released. A lost lease stops all writes at once
 * and ends the process without waiting. With a leader migration there are two leases, and this applies to each.
 *
 * @returns The exit code: 0 after a clean stop, 1 when a lease was lost, a controller failed, or one did not end in
 *   time.
 * @throws {CloudProviderError} If the program needs a cloud provider and none can be opened.
 * Upstream: `cmd/kube-controller-manager/app/controllermanager.go`, `k8s.io/cloud-provider/app/controllermanager.go`.
 */
export async function runManagerProcess(process: ManagerProcessOptions, signal: AbortSignal): Promise<number> {
  const { world, options } = process;
  const rows = options.flags.component.controllers.filter(isBuilt).filter(({ name }) => options.controllers.has(name));
  const supplies = new OpenSupplies(world, needsOf(rows), process.file);
  await supplies.read();
  const metrics = new MetricsRegistry();
  const cloud = await ProcessParts.openCloud(process, metrics);
  const parts = new ProcessParts(process, { supplies, metrics, cloud });
  const end = new AbortController();
  const watching = Promise.all([
    watchForStalls(world, { metrics, signal: end.signal }),
    supplies.follow(end.signal),
    cloud?.follow(end.signal),
    watchMemory(world, {
      limitBytes: options.memoryLimitBytes,
      residentBytes: () => Deno.memoryUsage().rss,
      health: parts.health,
      relieve: (reason) => parts.relieve(reason),
      signal: end.signal,
    }),
  ]);
  try {
    return await (options.election.enabled ? runElected(parts, rows, signal) : runAlone(parts, rows, signal));
  } finally {
    cloud?.close();
    end.abort();
    await watching;
  }
}

/** Runs the controllers without an election. */
async function runAlone(parts: ProcessParts, rows: Shift["rows"], signal: AbortSignal): Promise<number> {
  const { process, metrics, health } = parts;
  const { world, supervisor } = process;
  // Errors of the endpoint must surface before a thread starts or the API server is contacted.
  await using _endpoint = await parts.serve();
  await using _supervision = supervise(supervisor, { world, health, signal, doing: "Running without an election" });
  const mayWrite = () => true;
  const clients = process.clients(mayWrite, metrics);
  const fence = new SharedFence();
  const workforce = parts.startWorkforce({ rows, isMigrated: false }, { clients, metrics, fence, mayWrite });
  fence.openUntil();
  await using recorders = new Recorders({ world, metrics, clients: clients.controllers });
  const end = new AbortController();
  const stop = () => end.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const code = await beginCloud(parts, { clients, recorders, signal: end.signal, mayWrite });
    if (code !== 0 || signal.aborted) return code;
    workforce.lead();
    return await exitCodeOf(workforce.run(signal), world, signal);
  } finally {
    workforce.end();
    signal.removeEventListener("abort", stop);
    end.abort();
  }
}

/** Takes part in the election and runs the controllers while this process leads. */
async function runElected(parts: ProcessParts, rows: Shift["rows"], signal: AbortSignal): Promise<number> {
  const { process: { world, options, migration, supervisor, clients }, metrics, health } = parts;
  const { name: program } = options.flags.component;
  const isMigrated = ({ name, builtFirst }: Shift["rows"][number]) =>
    !builtFirst && migration !== undefined && migration.byMigrationLease.has(name);
  // Events have their own client: a flood of them must not delay a renewal.
  const broadcaster = new EventBroadcaster({
    world,
    client: clients(() => term.mayWrite(), metrics).controllers.client(program),
  });
  const recorder = broadcaster.recorder(program);
  const migrated = rows.filter(isMigrated);
  let migrating: Term | undefined;
  /**
   * Upstream requests the second lease once it holds the first and has started its service account token controller.
   */
  const migrate = async () => {
    await Promise.race([term.started, whenAborted(signal)]);
    if (signal.aborted) return true;
    const second = migrating = new Term({
      parts,
      metrics: new MetricsRegistry(),
      rows: migrated,
      isMigrated: true,
      lease: migration!.leaderName,
      lost: "migration leaderelection lost",
      recorder,
      begin: () => {
        world.log.info("leader migration: starting migrated controllers.");
        parts.cloud?.fence(() => second.mayWrite());
        return Promise.resolve(0);
      },
    });
    second.start();
    return await second.run(signal) === 0;
  };
  const term: Term = new Term({
    parts,
    metrics,
    rows: rows.filter((row) => !isMigrated(row)),
    isMigrated: false,
    lease: options.election.resourceName,
    lost: "leaderelection lost",
    recorder,
    begin: async (leading) => {
      supervision.does("Leading");
      if (migration) world.log.info("leader migration: starting main controllers.");
      return await beginCloud(parts, {
        clients: term.clients,
        recorders,
        signal: leading,
        mayWrite: () => term.mayWrite(),
      });
    },
    // A program that held this lease without controllers to run would keep it from one that has them.
    beside: migrated.length > 0 ? migrate : undefined,
  });
  health.add({ name: "leaderElection", run: () => term.check() ?? migrating?.check() });
  await using _endpoint = await parts.serve();
  await using supervision = supervise(supervisor, { world, health, signal, doing: "Waiting for the lease" });
  await using recorders = new Recorders({ world, metrics, clients: term.clients.controllers });
  term.start();
  const recording = broadcaster.run(term.ended);
  try {
    return await term.run(signal);
  } finally {
    migrating?.abandon();
    await recording;
  }
}

/**
 * Initializes the cloud provider, if there is one.
 *
 * @returns The exit code, 0 on success; never rejects.
 */
async function beginCloud(
  { process: { world }, cloud }: ProcessParts,
  { clients, recorders, signal, mayWrite }: {
    readonly clients: ManagerClients;
    readonly recorders: Recorders;
    readonly signal: AbortSignal;
    readonly mayWrite: () => boolean;
  },
): Promise<number> {
  const recorder: Recorders["recorder"] = (component, client) => recorders.recorder(component, client);
  try {
    await cloud?.initialize({ clients: clients.controllers, recorder, signal }, mayWrite);
    return 0;
  } catch (err) {
    if (signal.aborted) return 0;
    world.log.error("Cannot initialize the cloud provider", { err: errorText(err) });
    return 1;
  }
}
