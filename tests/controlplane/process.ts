/** A program under test, whose output is kept and which is always ended. */

/** How a program ended. */
export interface Exit {
  readonly code: number;
  readonly signal: Deno.Signal | null;
}

export class Process implements AsyncDisposable {
  readonly name: string;
  readonly #child: Deno.ChildProcess;
  readonly #drained: Promise<unknown>;
  #output = "";
  #exit: Exit | undefined;
  readonly exited: Promise<Exit>;

  /** Starts `command`; its standard output and error are kept, in the order in which they came. */
  constructor(name: string, command: string, options: Pick<Deno.CommandOptions, "args" | "env" | "cwd">) {
    this.name = name;
    this.#child = new Deno.Command(command, { ...options, stdin: "null", stdout: "piped", stderr: "piped" }).spawn();
    this.#drained = Promise.all([this.#drain(this.#child.stdout), this.#drain(this.#child.stderr)]);
    this.exited = this.#child.status.then(({ code, signal }) => this.#exit = { code, signal });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Everything printed so far, at most the last MiB. */
  get output(): string {
    return this.#output;
  }

  /** How it ended; `undefined` while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Sends it a signal, unless it has ended. */
  signal(signal: Deno.Signal): void {
    if (this.#exit) return;
    try {
      this.#child.kill(signal);
    } catch (error) {
      // The runtime knows of its end before `exited` does.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Asks it to end, insists after `graceMs`, and waits until it is gone. */
  async stop({ signal = "SIGTERM", graceMs = 30_000 }: { signal?: Deno.Signal; graceMs?: number } = {}): Promise<Exit> {
    this.signal(signal);
    const insist = setTimeout(() => this.signal("SIGKILL"), graceMs);
    await this.exited;
    clearTimeout(insist);
    await this.#drained;
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ signal: "SIGKILL" });
  }

  async #drain(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      this.#output = (this.#output + decoder.decode(chunk, { stream: true })).slice(-1 << 20);
    }
  }
}

/** Pauses between looks: short at first, since most conditions hold soon, then longer, because looking costs the server time. */
const FIRST_PAUSE_MS = 100;
const PAUSE_GROWTH = 1.25;
const LONGEST_PAUSE_MS = 400;

/**
 * Waits until `condition` gives something other than `undefined` or `false`, asking again every `everyMs`, by default ever less often.
 *
 * @throws {Error} After `withinMs`, with `what` and the last error.
 */
export async function eventually<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = 60_000, everyMs }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const endMs = performance.now() + withinMs;
  let last: unknown = "the condition never held";
  let pauseMs = everyMs ?? FIRST_PAUSE_MS;
  do {
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (everyMs === undefined) pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS);
  } while (performance.now() < endMs);
  throw new Error(`Not within ${withinMs} ms: ${what}: ${last instanceof Error ? last.message : last}`, {
    cause: last,
  });
}

/**
 * Below the ports that systems give to outgoing connections, which come and go by the thousand here, and above 10080, the last one
 * to which `fetch` refuses to talk.
 */
const PORTS = { first: 10_081, count: 20_000 } as const;

/** A TCP port on 127.0.0.1 that was free a moment ago. */
export function freePort(): number {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
