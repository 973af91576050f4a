import { boundedText, TooLongError } from "../../base/mod.ts";

/** How to run an exec plugin. */
export interface ExecRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** In addition to this process's variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly interactive: boolean;
  /** Kills the process when it aborts. */
  readonly signal?: AbortSignal;
}

/** Runs a command to its end; its standard error is ours. Rejects with the signal's reason when that aborts. */
export type ExecRunner = (request: ExecRequest) => Promise<{ readonly code: number; readonly stdout: string }>;

/** A token, a certificate and its key are a few KiB. */
const MAX_STDOUT_BYTES = 1024 * 1024;

/**
 * Runs a process.
 *
 * @throws {RangeError} If it writes more than 1 MiB; it is killed then.
 */
export const runProcess: ExecRunner = async ({ command, args, env, interactive, signal }) => {
  signal?.throwIfAborted();
  const process = new Deno.Command(command, {
    args: [...args],
    env,
    stdin: interactive ? "inherit" : "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let hasEnded = false;
  const ended = process.status.finally(() => hasEnded = true);
  const kill = () => {
    if (!hasEnded) process.kill("SIGKILL");
  };
  signal?.addEventListener("abort", kill);
  try {
    const stdout = await boundedText(process.stdout, { maxBytes: MAX_STDOUT_BYTES, signal });
    const { code } = await ended;
    signal?.throwIfAborted();
    return { code, stdout };
  } catch (error) {
    kill();
    await ended;
    throw error instanceof TooLongError ? new RangeError(`it wrote more than ${MAX_STDOUT_BYTES} bytes`) : error;
  } finally {
    signal?.removeEventListener("abort", kill);
  }
};
