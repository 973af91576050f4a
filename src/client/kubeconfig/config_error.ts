import { errorText } from "../../base/mod.ts";

/** An unusable configuration; the message is one line that names the file and the field. */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";

  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/(?<!\s)\s*\n\s*/g, " "), options);
  }
}

/** There is no configuration: no kubeconfig that names a cluster, and no pod environment. */
export class NoConfigurationError extends ConfigError {
  /** @param hint Where it was searched for, or what to do. */
  constructor(hint: string) {
    super(`invalid configuration: no configuration has been provided${hint}`);
  }
}

/** Why a file could not be read, as the system call reports it. */
export function readFailure(path: string, error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return `stat ${path}: no such file or directory`;
  if (error instanceof Deno.errors.PermissionDenied) return `open ${path}: permission denied`;
  if (error instanceof Deno.errors.IsADirectory) return `read ${path}: is a directory`;
  return `open ${path}: ${errorText(error)}`;
}
