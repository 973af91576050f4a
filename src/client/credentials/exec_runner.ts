import { boundedText, TooLongError } from "../../base/mod.ts";

/** How to run an exec plugin. */
export interface ExecRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** In addition to this process's variables; that we trust nobody but a kubeconfig's authority is not handed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly interactive: boolean;
  /** Whether what it writes to standard error is part of its output, behind the rest. */
  readonly collectsErrors?: boolean;
  /** Kills the process when it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a command to its end. Its standard error is ours, unless it is collected. Rejects with the signal's reason when
 * that aborts.
 */
export type ExecRunner = (request: ExecRequest) => Promise<{ readonly code: number; readonly stdout: string }>;

/** A token, a certificate and its key are a few KiB. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Runs a process.
 *
 * @throws {RangeError} If it writes more than 1 MiB; it is killed then.
 */
export const runProcess: ExecRunner = async (
  { command, args, env, interactive, collectsErrors, signal }: ExecRequest,
): ReturnType<ExecRunner> => {
  signal?.throwIfAborted();
  const process = new Deno.Command(command, {
    args: [...args],
    ...environmentWith(env),
    stdin: interactive ? "inherit" : "null",
    stdout: "piped",
    stderr: collectsErrors ? "piped" : "inherit",
    detached: collectsErrors, // in a process group of its own, unless it needs the terminal
  }).spawn();
  let hasEnded = false;
  const ended = process.status.finally(() => hasEnded = true);
  // Also ends the reading: a process that this one started may keep the pipes open.
  const ending = new AbortController();
  const giveUp = (reason: unknown) => {
    if (!hasEnded) kill(process.pid);
    ending.abort(reason);
  };
  const onAbort = () => giveUp(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  const read = (stream: ReadableStream<Uint8Array>) =>
    boundedText(stream, { maxBytes: MAX_OUTPUT_BYTES, signal: ending.signal });
  try {
    const texts = await Promise.all([read(process.stdout), ...collectsErrors ? [read(process.stderr)] : []]);
    const { code } = await ended;
    signal?.throwIfAborted();
    return { code, stdout: texts.join("") };
  } catch (error) {
    giveUp(error);
    await ended;
    throw error instanceof TooLongError ? new RangeError(`it wrote more than ${MAX_OUTPUT_BYTES} bytes`) : error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
};

/** The command line tools set `DENO_TLS_CA_STORE` to no lists, and a program that is itself written for Deno would trust nobody. */
function environmentWith(env: Readonly<Record<string, string>>): Pick<Deno.CommandOptions, "clearEnv" | "env"> {
  if (Deno.permissions.querySync({ name: "env" }).state !== "granted") return { env };
  const { DENO_TLS_CA_STORE: stores, ...others } = Deno.env.toObject();
  return stores === "," ? { clearEnv: true, env: { ...others, ...env } } : { env };
}

/** Kills a program, with what it has started if it leads a process group. */
function kill(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      Deno.kill(target, "SIGKILL");
    } catch {
      // It leads no group, or has just ended.
    }
  }
}
