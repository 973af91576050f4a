/** `kubeloop` as a process of its own, for tests of what people and scripts see. */
import { TextLineStream } from "@std/streams/text-line-stream";
import { fromFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const PERMISSIONS = ["--allow-net", "--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-sys"];
const NO_CLUSTER = { NO_COLOR: "1", KUBECONFIG: "", KUBERNETES_SERVICE_HOST: "" };

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function command(args: readonly string[], options: Deno.CommandOptions = {}): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...PERMISSIONS, `${ROOT}main.ts`, ...args],
    env: NO_CLUSTER,
    ...options,
  });
}

/** Runs `kubeloop` to its end. */
export async function kubeloop(...args: string[]): Promise<Ended> {
  const { code, stdout, stderr } = await command(args).output();
  const text = new TextDecoder();
  return { code, out: text.decode(stdout), err: text.decode(stderr) };
}

/** A `kubeloop` that runs until it is stopped. */
export class KubeloopProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;
  readonly #errors: Promise<string>;

  constructor(...args: string[]) {
    this.#child = command(args, { stdout: "piped", stderr: "piped" }).spawn();
    const text = this.#child.stdout.pipeThrough(new TextDecoderStream());
    this.#lines = text.pipeThrough(new TextLineStream()).getReader() as ReadableStreamDefaultReader<string>;
    this.#errors = new Response(this.#child.stderr).text();
  }

  /** The next line of standard output that matches. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    const seen: string[] = [];
    for (;;) {
      const { value, done } = await this.#lines.read();
      if (done) throw new Error(`No line like ${pattern} before the end:\n${seen.join("\n")}\n${await this.#errors}`);
      const match = pattern.exec(value);
      if (match) return match;
      seen.push(value);
    }
  }

  /** Ends the process and gives its exit code and what it said on standard error. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<{ readonly code: number; readonly err: string }> {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended by itself.
    }
    while (!(await this.#lines.read()).done);
    return { code: (await this.#child.status).code, err: await this.#errors };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}
