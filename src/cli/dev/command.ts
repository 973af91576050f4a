import { createLogger } from "../../log/mod.ts";
import { errorText, systemWorld, warningsOnly, type World } from "../../base/mod.ts";
import { FlagError, Flags } from "../../manager/mod.ts";
import { printLine, refuse } from "../output.ts";
import { printable } from "../printable.ts";
import { stopSignals } from "../stop_signals.ts";
import { Board } from "./board.ts";
import { DEV_FLAGS, DEV_USAGE } from "./flags.ts";
import { readManifests } from "./manifests.ts";
import { localPlace, remotePlace } from "./place.ts";
import { runDev } from "./run.ts";
import { PlainView, TerminalView, type View } from "./views.ts";

/**
 * The `dev` command.
 *
 * @returns The exit code: 0 after Ctrl-C, or when everything is ready with `--once`; 1 for invalid flags or manifests,
 *   for an unusable port or data directory, and when `--once` ends before everything is ready.
 */
export async function dev(args: readonly string[]): Promise<number> {
  let flags: Flags;
  try {
    flags = new Flags(DEV_FLAGS, args);
    check(flags);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refuse(error.message, DEV_USAGE);
  }
  if (flags.bool("help")) {
    printLine(DEV_USAGE);
    return 0;
  }
  try {
    await show(flags);
    return 0;
  } catch (error) {
    return refuse(errorText(error));
  }
}

async function show(flags: Flags): Promise<void> {
  const board = new Board();
  const verbosity = flags.number("v");
  const ended = new AbortController();
  const write = (line: string) => {
    // Errors caused by a deliberate stop do not count.
    if (verbosity > 0 || !ended.signal.aborted) view.log(line);
  };
  const logger = createLogger({ format: "text", verbosity, pid: Deno.pid, write });
  const world = systemWorld(verbosity > 0 ? logger : warningsOnly(logger));
  const manifests = await readManifests(flags.strings("apply"));
  const warnings = new Set<string>();
  const onWarning = (text: string) => {
    if (warnings.has(text)) return;
    warnings.add(text);
    view.log(`Warning: ${printable(text)}\n`);
  };
  await using place = await (flags.string("server") === "" ? localPlace : remotePlace)({ world, flags, onWarning });
  using _ = stopSignals(() => ended.abort());
  using view = viewOf(world, board);
  await runDev({ world, flags, place, manifests, board, view, ended });
}

function viewOf(world: World, board: Board): View {
  const { stdout, stderr } = Deno;
  if (!stdout.isTerminal() || Deno.env.get("TERM") === "dumb") return new PlainView({ lines: stdout, errors: stderr });
  const terminal = { writeSync: (bytes: Uint8Array) => stdout.writeSync(bytes), size: terminalSize };
  return new TerminalView({ world, terminal, board });
}

/** Some terminals, such as those of `script` and CI, do not report their size. */
function terminalSize(): { readonly columns: number; readonly rows: number } {
  const { columns, rows } = Deno.consoleSize();
  return { columns: columns || 80, rows: rows || 24 };
}

function check(flags: Flags): void {
  if (flags.positional.length > 0) {
    throw new FlagError(`"dev" does not take any arguments, got ${flags.positional.join(" ")}`);
  }
  if (flags.number("nodes") < 0) throw new FlagError("--nodes must not be negative");
  if (flags.durationMs("timeout") < 0) throw new FlagError("--timeout must not be negative");
  if (flags.given.includes("timeout") && !flags.bool("once")) throw new FlagError("--timeout needs --once");
  const isRemote = flags.string("server") !== "";
  const misplaced = (isRemote ? LOCAL_FLAGS : REMOTE_FLAGS).find((name) => flags.given.includes(name));
  if (misplaced === undefined) return;
  throw new FlagError(
    isRemote
      ? `--${misplaced} is about the API server of this process, and --server names another one`
      : `--${misplaced} needs --server`,
  );
}

const LOCAL_FLAGS = ["authorization-mode", "controllers", "data-dir", "feature-gates", "port", "tls"];
const REMOTE_FLAGS = ["scheduler"];
