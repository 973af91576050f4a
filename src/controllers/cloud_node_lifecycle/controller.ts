import { NODES } from "../../api/mod.ts";
import { waitForNamedCacheSync } from "../../cache/mod.ts";
import { type Controller, type ControllerContext, periodically, sayRunning } from "../running/mod.ts";
import type { CloudLifecycleContext } from "./context.ts";
import { monitorNodes } from "./monitor.ts";

export const NAME = "cloud-node-lifecycle-controller";
/** The name of its client and account. */
export const CLIENT_NAME = "node-controller";

export interface CloudLifecycleOptions {
  readonly monitorPeriodMs: number;
}

export function buildCloudNodeLifecycle(
  context: ControllerContext,
  { monitorPeriodMs: periodMs }: CloudLifecycleOptions,
): Controller | undefined {
  const { world, informers, cloud } = context;
  if (!cloud?.instances) {
    world.log.warn("failed to start cloud node lifecycle controller: cloud provider does not support instances");
    return undefined;
  }
  const nodes = informers.informer(NODES, ["spec", "status.addresses", "status.nodeInfo", "status.conditions"]);
  const working: CloudLifecycleContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    nodes: nodes.lister,
    recorder: context.recorder(NAME, CLIENT_NAME),
    instances: cloud.instances,
  };
  return {
    async run(signal) {
      const ended = sayRunning(context, "cloud-node-lifecycle");
      try {
        // Upstream does not wait: with an empty cache nothing is done.
        if (!await waitForNamedCacheSync({ log: world.log, name: NAME, signal }, nodes)) return;
        await periodically({ clock: world.clock, signal, periodMs }, () => monitorNodes(working, signal));
      } finally {
        ended();
      }
    },
  };
}
