/** kubeloop as `main.ts` runs it, with threads that tell their pauses. */
import { runCommand } from "../../../../../src/cli/mod.ts";
import { tellPauses } from "./lines.ts";

const OURS = new URL("./group_worker.ts", import.meta.url);

globalThis.Worker = class extends Worker {
  constructor(url: URL, options: WorkerOptions) {
    super(url.pathname.endsWith("/group_worker.ts") ? OURS : url, options);
  }
} as typeof Worker;

if (import.meta.main) {
  tellPauses("main");
  Deno.exit(await runCommand("kubeloop", Deno.args));
}
