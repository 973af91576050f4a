/** Keys and values of a log line; values are printed as klog prints them. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured, levelled logging with klog's concepts: info, warning and error lines are always written, verbose lines
 * from `-v=level`.
 */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** @param fields Put the error under `err`. */
  error(message: string, fields?: LogFields): void;
  /** A line of verbosity `level` (1 or more). */
  verbose(level: number, message: string, fields?: LogFields): void;
  /** A logger whose lines carry `name` under the key `logger`, joined to this logger's own name by a dot. */
  named(name: string): Logger;
}

/** One line kept by a {@link MemoryLogger}. */
export interface LogLine {
  readonly severity: "info" | "warning" | "error";
  readonly verbosity: number;
  readonly logger: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines, for tests. */
export class MemoryLogger implements Logger {
  readonly lines: LogLine[];
  readonly #name: string;

  constructor({ name = "", lines = [] }: { name?: string; lines?: LogLine[] } = {}) {
    this.#name = name;
    this.lines = lines;
  }

  info(message: string, fields: LogFields = {}): void {
    this.#add("info", 0, message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#add("warning", 0, message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#add("error", 0, message, fields);
  }

  verbose(level: number, message: string, fields: LogFields = {}): void {
    this.#add("info", level, message, fields);
  }

  named(name: string): Logger {
    return new MemoryLogger({ name: this.#name ? `${this.#name}.${name}` : name, lines: this.lines });
  }

  #add(severity: LogLine["severity"], verbosity: number, message: string, fields: LogFields): void {
    this.lines.push({ severity, verbosity, logger: this.#name, message, fields });
  }
}
