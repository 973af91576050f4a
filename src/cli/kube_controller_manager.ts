import { createLogger, KUBERNETES_VERSION, systemWorld, VERSION, type World } from "../base/mod.ts";
import { type ClientConfig, ConfigError, loadClientConfig, SimpleClientBuilder, transportOf } from "../client/mod.ts";
import { UnknownControllerError } from "../manager/mod.ts";
import {
  FlagError,
  type Flags,
  idleFlags,
  managerFlags,
  type ManagerOptions,
  managerOptions,
  type ManagerProcessOptions,
  runManagerProcess,
} from "../manager/mod.ts";
import { managerUsage } from "./usage.ts";
import { stopSignals } from "./stop_signals.ts";

const NAME = "kube-controller-manager";

/**
 * The `kube-controller-manager` command.
 *
 * @returns The exit code: 0 for help, version and a clean stop; 1 for anything that keeps it from starting, and for a lost lease.
 */
export async function kubeControllerManager(args: readonly string[]): Promise<number> {
  let flags: Flags;
  try {
    flags = managerFlags(args);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refuse(error.message, { usage: true });
  }
  if (flags.bool("help")) return say(managerUsage(NAME, flags));
  if (flags.bool("version")) return say(`Kubernetes ${KUBERNETES_VERSION}`);
  if (flags.positional.length > 0) {
    const got = flags.positional.map((arg) => JSON.stringify(arg)).join(" ");
    return refuse(`"${NAME}" does not take any arguments, got [${got}]`);
  }
  let options: ManagerOptions;
  try {
    options = managerOptions(flags);
  } catch (error) {
    if (!(error instanceof FlagError || error instanceof UnknownControllerError)) throw error;
    return refuse(error.message);
  }
  return await start(flags, options);
}

async function start(flags: Flags, options: ManagerOptions): Promise<number> {
  const logger = createLogger({ ...options.logging, pid: Deno.pid });
  const world = systemWorld(logger);
  try {
    for (const [name, value] of flags.entries()) {
      world.log.verbose(1, `FLAG: --${name}=${JSON.stringify(value)}`);
    }
    world.log.info("Starting", { version: KUBERNETES_VERSION, kubeloop: VERSION });
    const idle = idleFlags(flags);
    if (idle.length > 0) {
      world.log.warn("These flags are accepted and have no effect in this version", { flags: idle.join(",") });
    }
    const config = await loadClientConfig(world, { kubeconfig: options.kubeconfig, master: options.master });
    const process = await processOptions(world, options, config);
    using stop = stopSignals((signal) => world.log.info("Stopping", { signal }));
    return await runManagerProcess(process, stop.signal);
  } catch (error) {
    // A wrong kubeconfig, file or address is the user's to put right: one line, no stack.
    world.log.error("command failed", { err: error instanceof ConfigError ? error.message : (error as Error).message });
    return 1;
  } finally {
    logger.flush();
  }
}

async function processOptions(
  world: World,
  options: ManagerOptions,
  config: ClientConfig,
): Promise<ManagerProcessOptions> {
  const identity = `${Deno.hostname()}_${world.random.uuid()}`;
  const rootCaText = options.rootCaFile === "" ? config.caData ?? "" : await readRootCa(world, options.rootCaFile);
  return {
    world,
    options,
    identity,
    rootCaText,
    clients: (mayWrite) => {
      const fenced = transportOf(world, config, { mayWrite });
      const builder = (transport: typeof fenced) =>
        new SimpleClientBuilder({ world, config, transport, qps: options.qps, burst: options.burst });
      return {
        controllers: builder(fenced),
        election: builder(transportOf(world, config)).client("leader-election", {
          timeoutMs: Math.max(1000, options.election.renewDeadlineMs / 2),
        }),
      };
    },
  };
}

async function readRootCa(world: World, path: string): Promise<string> {
  const text = await world.files.readText(path).catch((error: Error) => {
    throw new ConfigError(`error reading root-ca-file at ${path}: ${error.message}`);
  });
  if (!text.includes("-----BEGIN CERTIFICATE-----")) {
    throw new ConfigError(
      `error parsing root-ca-file at ${path}: data does not contain any valid RSA or ECDSA certificates`,
    );
  }
  return text;
}

function say(text: string): number {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  return 0;
}

function refuse(message: string, { usage = false }: { usage?: boolean } = {}): number {
  const hint = usage ? `Usage:\n  ${NAME} [flags]\n\nSee '${NAME} --help'.\n\n` : "";
  Deno.stderr.writeSync(new TextEncoder().encode(`${hint}Error: ${message}\n`));
  return 1;
}
