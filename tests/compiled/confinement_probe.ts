// deno-lint-ignore-file no-console -- its output is its result
/** Compiled as kubeloop is: prints what a thread of a controller group could do of what reaches beyond it. */
import { SharedFence } from "../../src/election/mod.ts";
import { threadOptions } from "../../src/manager/groups/start_thread.ts";

const worker = new Worker(new URL("./confinement_worker.ts", import.meta.url), threadOptions(Deno.args[0]));
worker.onmessage = ({ data }: MessageEvent<unknown>) => {
  console.log(JSON.stringify(data));
  worker.terminate();
};
worker.postMessage([{ what: "fence", memory: new SharedFence().lend().memory }]);
worker.postMessage([{ what: "start" }]);
