// deno-lint-ignore-file no-console -- its output is its result
/** Compiled as kubeloop is: prints what the main thread may do, and what a thread of a controller group may do and does. */
import { getHeapStatistics } from "node:v8";
import { threadOptions } from "../../src/manager/groups/start_thread.ts";

const worker = new Worker(new URL("./probe_worker.ts", import.meta.url), threadOptions(Deno.args[0]));
worker.onmessage = ({ data }: MessageEvent<unknown>) => {
  const main = {
    granted: (["read", "net", "env", "run"] as const).filter((name) =>
      Deno.permissions.querySync({ name }).state === "granted"
    ),
    heapLimitBytes: getHeapStatistics().heap_size_limit,
  };
  console.log(JSON.stringify({ main, worker: data }));
  worker.terminate();
};
