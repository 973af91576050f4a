/** How an exec plugin is to be run. */
export interface ExecRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Besides the variables of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly interactive: boolean;
  /** Whether what it writes to standard error is part of its output, behind the rest. */
  readonly collectsErrors?: boolean;
  /** Kills the process when it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a command to its end; its errors go to our own standard error, unless they are collected. Rejects with the signal's reason when
 * that aborts.
 */
export type ExecRunner = (request: ExecRequest) => Promise<{ readonly code: number; readonly stdout: string }>;

/** A token, a certificate and its key are a few KiB. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Runs a real process.
 *
 * @throws {RangeError} If it writes more than 1 MiB; it is killed then.
 */
export const runProcess: ExecRunner = async (
  { command, args, env, interactive, collectsErrors, signal }: ExecRequest,
): ReturnType<ExecRunner> => {
  signal?.throwIfAborted();
  const process = new Deno.Command(command, {
    args: [...args],
    env,
    stdin: interactive ? "inherit" : "null",
    stdout: "piped",
    stderr: collectsErrors ? "piped" : "inherit",
  }).spawn();
  const readers = [process.stdout.getReader(), ...collectsErrors ? [process.stderr.getReader()] : []];
  let hasEnded = false;
  const ended = process.status.finally(() => hasEnded = true);
  const giveUp = (reason: unknown) => {
    if (!hasEnded) process.kill("SIGKILL");
    // A process of its own may keep the pipes open.
    for (const reader of readers) void reader.cancel(reason).catch(() => {});
  };
  const onAbort = () => giveUp(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    const stdout = (await Promise.all(readers.map(textOf))).join("");
    signal?.throwIfAborted();
    const { code } = await ended;
    signal?.throwIfAborted();
    return { code, stdout };
  } catch (error) {
    giveUp(error);
    await ended;
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
};

async function textOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_OUTPUT_BYTES) throw new RangeError(`it wrote more than ${MAX_OUTPUT_BYTES} bytes`);
    text += decoder.decode(value, { stream: true });
  }
}
