/**
 * kube-controller-manager with a controller group whose thread allocates as fast as it can once it is told to, by SIGUSR2, and a main
 * thread that computes for ten seconds, by SIGUSR1.
 */
import { kubeControllerManager } from "../../../src/cli/kube_controller_manager.ts";
import { threadOptions } from "../../../src/manager/groups/start_thread.ts";

let worker: Worker | undefined;
Deno.addSignalListener("SIGUSR2", () => worker?.postMessage("fill"));
Deno.addSignalListener("SIGUSR1", () => {
  for (const startMs = performance.now(); performance.now() - startMs < 10_000;);
});
Deno.exit(
  await kubeControllerManager(Deno.args, {
    spawn: (group, address) => {
      const url = new URL("./group_heap_worker.ts", import.meta.url);
      return worker = new Worker(url, { ...threadOptions(address), name: group });
    },
  }),
);
