import { createLogger } from "../log/mod.ts";
import { errorText, systemWorld, warningsOnly } from "../base/mod.ts";
import { LocalCluster } from "../embedded/mod.ts";
import { type FlagDefinition, FlagError, Flags } from "../manager/mod.ts";
import { startLocalServer } from "./local_server.ts";
import { printLine, refuse } from "./output.ts";
import { gateFlags, SERVER_FLAGS, SERVER_FLAGS_USAGE } from "./server_flags.ts";
import { stopSignals } from "./stop_signals.ts";

const FLAGS: readonly FlagDefinition[] = [
  ...SERVER_FLAGS,
  { name: "controllers", type: "bool", default: false, group: "apiserver" },
  { name: "nodes", type: "int", default: 0, group: "apiserver" },
  { name: "help", type: "bool", default: false, group: "apiserver" },
  { name: "v", type: "Level", default: 0, group: "apiserver" },
];

const USAGE = `Runs the embedded API server alone, for tests of programs in any language.

Prints one line "ready <URL> <kubeconfig>" when it is ready, and stops at SIGTERM or SIGINT.

Usage:
  kubeloop apiserver [flags]

Flags:
${SERVER_FLAGS_USAGE}
  --controllers           also run every controller
  --nodes int             number of simulated nodes; a scheduler runs with them (default 0)
  -v int                  log verbosity; 0 prints warnings and errors only (default 0)`;

/**
 * The `apiserver` command.
 *
 * @returns The exit code: 0 after a stop signal, 1 for invalid flags or an unusable port or data directory.
 */
export async function apiserver(args: readonly string[]): Promise<number> {
  let flags: Flags;
  try {
    flags = new Flags(FLAGS, args);
    if (flags.positional.length > 0) {
      throw new FlagError(`"apiserver" does not take any arguments, got ${flags.positional.join(" ")}`);
    }
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refuse(error.message, USAGE);
  }
  if (flags.bool("help")) {
    printLine(USAGE);
    return 0;
  }
  const logger = createLogger({ format: "text", verbosity: flags.number("v"), pid: Deno.pid });
  const world = systemWorld(flags.number("v") > 0 ? logger : warningsOnly(logger));
  try {
    using stop = stopSignals(() => {});
    const controllers = [...flags.bool("controllers") ? [] : ["--controllers="], ...gateFlags(flags)];
    await using server = await startLocalServer(world, flags, controllers);
    const cluster = new LocalCluster({
      world,
      apiServer: server.apiServer,
      flags: controllers,
      nodes: { nodeCount: flags.number("nodes") },
      files: flags.bool("controllers") ? server.controllerFiles : {},
      clientAuthority: server.certificateAuthority,
    });
    const running = cluster.run(stop.signal);
    printLine(`ready ${server.url} ${server.kubeconfig}`);
    await running;
    return 0;
  } catch (error) {
    return refuse(errorText(error));
  } finally {
    logger.flush();
  }
}
