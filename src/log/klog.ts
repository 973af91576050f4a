import {
  configureSync,
  getConfig,
  getLogger,
  type Logger as TapeLogger,
  type LogLevel,
  type Sink,
} from "@logtape/logtape";
import { type Clock, type LogFields, type Logger, type LogLine, SystemClock } from "../base/mod.ts";
import { formatJson } from "./klog_json.ts";
import type { KlogLine } from "./klog_line.ts";
import { StderrWriter } from "./klog_stderr.ts";
import { formatText } from "./klog_text.ts";
import { parseVmodule } from "./klog_vmodule.ts";

/** Options of {@link createLogger}, named after the flags `--logging-format`, `-v` and `--vmodule`. */
export interface KlogOptions {
  readonly format: "text" | "json";
  readonly verbosity: number;
  readonly vmodule?: string;
  /** Writes whole lines, each with its line break; stderr if absent. */
  readonly write?: (line: string) => void;
  readonly pid: number;
  /** The platform's if absent: a log is created before there is a world. */
  readonly clock?: Pick<Clock, "wallMs">;
}

/** The logger of a process. */
export interface KlogLogger extends Logger {
  /** Can be changed at any time; also applies to loggers derived with `named`. */
  verbosity: number;
  /** Writes `text` unchanged at verbosity `level`, like klog's `Infof`, which scripts search for. */
  print(level: number, text: string): void;
  /** Waits for at most a second until everything logged to stderr is written. Call it last before the process ends. */
  flush(): void;
}

const CATEGORY = "kubeloop";
const SINK = "kubeloop/klog";
const LEVEL: Readonly<Record<LogLine["severity"], LogLevel>> = { info: "info", warning: "warning", error: "error" };

const stderr = new StderrWriter();

/** Writes a whole line, with its line break, to the default destination of loggers, after pending lines. */
export function writeLogLine(line: string): void {
  stderr.write(line);
}

/** Where the lines of one `createLogger` go, and how. */
interface Destination {
  readonly format: (line: KlogLine) => string;
  readonly write: (line: string) => void;
  readonly clock: Pick<Clock, "wallMs">;
  readonly pid: number;
  readonly moduleVerbosity: (loggerName: string) => number | undefined;
  verbosity: number;
}

/**
 * A logger on LogTape with klog's format, so that people and scripts see upstream's log.
 *
 * LogTape's configuration belongs to the process. It is only changed here, to add one sink for the category `kubeloop`.
 * Each line carries its destination, so any number of loggers can exist without leaving anything behind.
 *
 * @throws {TypeError} If `vmodule` cannot be parsed.
 *
 * @example
 * ```ts
 * import { createLogger } from "kubeloop/log";
 * import { FakeClock } from "kubeloop/world";
 * import { assertMatch } from "@std/assert";
 *
 * const lines: string[] = [];
 * const log = createLogger({
 *   format: "text",
 *   verbosity: 2,
 *   write: (line) => lines.push(line),
 *   pid: 4711,
 *   clock: new FakeClock(),
 * });
 * log.named("job-controller").info("Synced", { job: { namespace: "default", name: "once" }, pods: 3 });
 * log.verbose(4, "Not printed");
 * assertMatch(
 *   lines.join(""),
 *   /^I\d{4} \d\d:\d\d:\d\d\.000000    4711 job-controller\] "Synced" logger="job-controller" job="default\/once" pods=3\n$/,
 * );
 * ```
 */
export function createLogger(options: KlogOptions): KlogLogger {
  install();
  return new TapeKlogger({
    format: options.format === "json" ? formatJson : formatText,
    write: options.write ?? ((line) => stderr.write(line)),
    clock: options.clock ?? new SystemClock(),
    pid: options.pid,
    moduleVerbosity: parseVmodule(options.vmodule ?? ""),
    verbosity: options.verbosity,
  });
}

class TapeKlogger implements KlogLogger {
  readonly #destination: Destination;
  readonly #name: string;
  readonly #tape: TapeLogger;
  readonly #moduleVerbosity: number | undefined;

  constructor(destination: Destination, name = "") {
    this.#destination = destination;
    this.#name = name;
    this.#tape = getLogger(name ? [CATEGORY, name] : CATEGORY);
    this.#moduleVerbosity = destination.moduleVerbosity(name);
  }

  get verbosity(): number {
    return this.#destination.verbosity;
  }

  set verbosity(level: number) {
    this.#destination.verbosity = level;
  }

  info(message: string, fields?: LogFields): void {
    this.#emit("info", 0, message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#emit("warning", 0, message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#emit("error", 0, message, fields);
  }

  verbose(level: number, message: string, fields?: LogFields): void {
    if (level > (this.#moduleVerbosity ?? this.#destination.verbosity)) return;
    this.#emit("info", level, message, fields);
  }

  print(level: number, text: string): void {
    if (level <= this.verbosity) this.#emit("info", level, text, {}, true);
  }

  flush(): void {
    stderr.flush();
  }

  named(name: string): Logger {
    return new TapeKlogger(this.#destination, this.#name ? `${this.#name}.${name}` : name);
  }

  #emit(
    severity: LogLine["severity"],
    verbosity: number,
    message: string,
    fields: LogFields = {},
    isPlain = false,
  ): void {
    const { clock, pid } = this.#destination;
    const wallMs = clock.wallMs();
    const line: KlogLine = { severity, verbosity, logger: this.#name, message, fields, wallMs, pid, isPlain };
    const record = {
      category: this.#tape.category, // otherwise LogTape would copy the record to add it
      level: verbosity > 0 ? "debug" : LEVEL[severity],
      message: [message],
      rawMessage: message,
      timestamp: wallMs,
      properties: { line, destination: this.#destination },
    };
    this.#tape.emit(record);
  }
}

/** Writes a line to its destination. */
const sink: Sink = ({ properties }) => {
  const { line, destination } = properties as { line?: KlogLine; destination?: Destination };
  if (line && destination) destination.write(destination.format(line));
};
// Marks the sink as synchronous, like LogTape's own, so that records are not copied, which is most of a line's cost
// (measured: 7 us, 2 us with it).
Object.assign(sink, { [Symbol.for("LogTape.sinkSnapshotPolicy.immediate")]: true });

/** Adds our sink to LogTape's configuration if missing. An embedding program's configuration stays. */
function install(): void {
  const config = getConfig();
  if (config?.sinks[SINK] === sink) return;
  const others = (config?.loggers ?? []).filter(({ category }) => `${category}` !== CATEGORY);
  configureSync({
    ...config,
    reset: config !== null,
    sinks: { ...config?.sinks, [SINK]: sink },
    loggers: [
      ...others,
      { category: CATEGORY, sinks: [SINK], lowestLevel: "debug", parentSinks: "override" },
      // Without this, LogTape announces itself on the console.
      ...(config ? [] : [{ category: ["logtape", "meta"], sinks: [], lowestLevel: "fatal" as const }]),
    ],
  });
}
