import type { Logger } from "./log.ts";

/** `log` without information lines, for people at a terminal. Warnings and errors stay. */
export function warningsOnly(log: Logger): Logger {
  return {
    info: () => {},
    verbose: () => {},
    warn: (message, fields) => log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
    named: (name) => warningsOnly(log.named(name)),
  };
}
