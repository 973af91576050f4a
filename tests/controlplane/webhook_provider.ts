/** A cloud behind kubeloop's webhook that is written in another language. */
import { goProgram } from "./go_program.ts";
import { eventually, Process } from "./process.ts";

export class WebhookProvider implements AsyncDisposable {
  readonly #process: Process;
  readonly port: number;

  private constructor(process: Process, port: number) {
    this.#process = process;
    this.port = port;
  }

  /** @param flags Of the program. */
  static async start(flags: readonly string[]): Promise<WebhookProvider> {
    const path = await webhookProvider();
    await using undo = new AsyncDisposableStack();
    const process = undo.use(new Process("webhookprovider", path, { args: [...flags] }));
    const port = await eventually("the provider listens", () => {
      if (process.exit) throw new Error(`it ended with ${process.exit.code}: ${process.output}`);
      return Number(/listening on (\d+)/.exec(process.output)?.[1]) || undefined;
    });
    undo.move();
    return new WebhookProvider(process, port);
  }

  /** As a machine that loses its power. */
  async kill(): Promise<void> {
    await this.#process.stop({ signal: "SIGKILL" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Builds the program where it is not there yet. */
function webhookProvider(say?: (line: string) => void): Promise<string> {
  return goProgram({
    folder: "webhookprovider",
    sources: ["webhookprovider/main.go", "webhookprovider/go.mod"],
    isModule: true,
  }, say);
}

// deno-lint-ignore no-console -- it is there to print
if (import.meta.main) console.log(await webhookProvider(console.error));
