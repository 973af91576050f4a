import { errorText } from "../../base/mod.ts";

/** A configuration that cannot be used; the message is one line that names the file and the field. */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";

  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/(?<!\s)\s*\n\s*/g, " "), options);
  }
}

/** That there is nothing to go by: no kubeconfig, or none that names a cluster; and no pod around. */
export class NoConfigurationError extends ConfigError {
  /** @param hint What was looked for, or what to do. */
  constructor(hint: string) {
    super(`invalid configuration: no configuration has been provided${hint}`);
  }
}

/** Why a file could not be read, in the words of the system call. */
export function readFailure(path: string, error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return `stat ${path}: no such file or directory`;
  if (error instanceof Deno.errors.PermissionDenied) return `open ${path}: permission denied`;
  if (error instanceof Deno.errors.IsADirectory) return `read ${path}: is a directory`;
  return `open ${path}: ${errorText(error)}`;
}
