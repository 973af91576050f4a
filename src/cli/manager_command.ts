import { createLogger } from "../log/mod.ts";
import { errorText, systemWorld, type World } from "../base/mod.ts";
import { VERSION } from "../api/mod.ts";
import type { ClientConfig } from "../client/mod.ts";
import { CloudProviderError, type CloudProviderFactory } from "../cloud/mod.ts";
import { isBuilt } from "../controllers/mod.ts";
import {
  type Component,
  fileOrigins,
  FlagError,
  isGateOn,
  type LeaderMigration,
  leaderMigration,
  type ManagerFlags,
  managerFlags,
  type ManagerOptions,
  managerOptions,
  type ManagerProcessOptions,
  runManagerProcess,
  startGroupThread,
  UnknownControllerError,
} from "../manager/mod.ts";
import { cloudAccess } from "./cloud_access.ts";
import { readRootCa } from "./credential_checks.ts";
import { mainConfig } from "./manager_config.ts";
import { printLine, refuse } from "./output.ts";
import { clientsOf, delegatedClient } from "./process_clients.ts";
import { stopSignals } from "./stop_signals.ts";
import { systemdSupervisor } from "./systemd_notify.ts";
import { trustMachine } from "./trusted_authorities.ts";
import { managerUsage } from "./usage.ts";
import { kubernetesVersionText } from "./version.ts";

/** How to start threads for groups of controllers. */
export type GroupThreads = Pick<ManagerProcessOptions, "spawn" | "limits">;

/** Options of a manager besides its command line. */
export interface ManagerCommandOptions {
  /** By default Web Workers; tests replace them. */
  readonly threads?: GroupThreads;
  /** Providers besides kubeloop's own. */
  readonly providers?: readonly CloudProviderFactory[];
}

/** Upstream's exit code for fatal errors. */
const FATAL = 255;

/**
 * Runs a program that runs controllers.
 *
 * @returns The exit code: 0 for help, version and a clean stop; 255 if the cloud provider cannot be opened, as
 *   upstream; 1 for anything else that prevents the start, and for a lost lease.
 */
export async function managerCommand(
  component: Component,
  args: readonly string[],
  { threads = { spawn: startGroupThread }, providers }: ManagerCommandOptions = {},
): Promise<number> {
  const { name: program } = component;
  let flags: ManagerFlags;
  try {
    flags = managerFlags(args, component);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refuse(error.message, `Usage:\n  ${program} [flags]\n\nSee '${program} --help'.`);
  }
  const asksVersion = flags.string("version") === "raw" || flags.bool("version");
  if (flags.bool("help") || asksVersion) {
    printLine(
      flags.bool("help") ? managerUsage(component) : kubernetesVersionText(flags.string("version")),
    );
    return 0;
  }
  if (flags.positional.length > 0) {
    const got = flags.positional.map((arg) => JSON.stringify(arg)).join(" ");
    return refuse(`"${program}" does not take any arguments, got [${got}]`);
  }
  let options: ManagerOptions;
  try {
    options = managerOptions(flags);
  } catch (error) {
    if (!(error instanceof FlagError || error instanceof UnknownControllerError)) throw error;
    return refuse(error.message);
  }
  return await start(flags, options, { threads, providers });
}

async function start(
  flags: ManagerFlags,
  options: ManagerOptions,
  { threads, providers }: { readonly threads: GroupThreads } & Pick<ManagerCommandOptions, "providers">,
): Promise<number> {
  const logger = createLogger({ ...options.logging, pid: Deno.pid });
  const world = systemWorld(logger);
  try {
    for (const [name, value] of flags.entries()) logger.print(1, `FLAG: --${name}=${JSON.stringify(value)}`);
    world.log.info("Starting", { version: options.reportedVersion, kubeloop: VERSION });
    const { deno, v8 } = Deno.version;
    world.log.info("Runtime settings", { deno, v8, processors: navigator.hardwareConcurrency });
    const { idle, hidden } = flags;
    if (idle.length > 0) {
      world.log.warn("These flags are accepted and have no effect in this version", { flags: idle.join(",") });
    }
    reportControllers(world, options);
    for (const { stage, gate, value } of options.gates.warnings) {
      world.log.warn(`Warning: setting ${stage} feature gate. It will be removed in a future release.`, {
        featureGate: gate,
        value,
      });
    }
    for (const flag of hidden) world.log.warn(`Flag --${flag} has been deprecated`);
    if (flags.component.hasCloud) trustMachine(); // the provider's server is named by no kubeconfig
    const config = await mainConfig(world, options);
    const migration = await movingControllers(world, flags);
    using supervisor = systemdSupervisor(Deno.env.toObject(), world.log);
    const process: ManagerProcessOptions = {
      ...await processOptions(world, managerOptions(flags, migration?.elsewhere), { config, flags }),
      ...threads,
      migration,
      cloud: flags.component.hasCloud ? cloudAccess(providers) : undefined,
      supervisor,
      setVerbosity: (verbosity) => logger.verbosity = verbosity,
    };
    using stop = stopSignals((signal) => world.log.info("Stopping", { signal }));
    return await runManagerProcess(process, stop.signal);
  } catch (error) {
    // The user must fix a wrong kubeconfig, file or address: one line, no stack trace.
    world.log.error("command failed", { err: errorText(error) });
    return error instanceof CloudProviderError ? FATAL : 1;
  } finally {
    logger.flush();
  }
}

/** Logs which controllers do not run although a manager of this name is expected to run them. */
function reportControllers({ log }: World, { controllers, gates, flags: { component } }: ManagerOptions): void {
  const absent = component.controllers.filter((row) => !isBuilt(row) && controllers.has(row.name));
  const missing = absent.filter(({ needs }) => component.hasCloud || !needs?.cloud).map(({ name }) => name);
  if (missing.length > 0) {
    log.warn("These controllers are not in this version and do not run", { controllers: missing.join(",") });
  }
  if (component.hasCloud) {
    if (isGateOn(gates, "CloudControllerManagerWebhook")) log.info("No webhook is registered, so none is hosted");
    for (const { name } of component.controllers) if (!controllers.has(name)) log.warn(`"${name}" is disabled`);
    return;
  }
  for (const { name: controller, needs } of absent) {
    if (needs?.cloud) log.info("Skipping a cloud provider controller", { controller });
  }
}

/** The leader migration. */
async function movingControllers(world: World, flags: ManagerFlags): Promise<LeaderMigration | undefined> {
  const migration = await leaderMigration(world.files, flags);
  if (!migration) return undefined;
  const { leaderName: lease, elsewhere, byMigrationLease } = migration;
  const { controllers } = flags.component;
  const own = controllers.filter((row) => isBuilt(row) && byMigrationLease.has(row.name)).map(({ name }) => name);
  world.log.info("starting leader migration", { lease, controllers: own.join(",") });
  if (own.length === 0) {
    world.log.info("No controller of this program moves, so it does not ask for the leader migration's lease", {
      lease,
    });
  }
  if (elsewhere.size > 0) {
    const controllers = [...elsewhere].join(",");
    world.log.info("Another component runs these controllers, by --leader-migration-config", { controllers });
  }
  return migration;
}

async function processOptions(
  world: World,
  options: ManagerOptions,
  { config, flags }: { readonly config: ClientConfig; readonly flags: ManagerFlags },
): Promise<Omit<ManagerProcessOptions, "setVerbosity" | keyof GroupThreads>> {
  const { name: program } = flags.component;
  const identity = `${Deno.hostname()}_${world.random.uuid()}`;
  const rootCaText = options.rootCaFile === ""
    ? config.caData ?? ""
    : await readRootCa(world.files, options.rootCaFile);
  return {
    world,
    options,
    identity,
    file: fileOrigins(flags, { rootCaText }),
    endpointClients: options.securePort === 0 ? {} : {
      authentication: await delegatedClient(world, {
        program,
        what: "authentication",
        ...options.authentication,
      }),
      authorization: await delegatedClient(world, { program, what: "authorization", ...options.authorization }),
    },
    clients: clientsOf(world, { config, options }),
  };
}
