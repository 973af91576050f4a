import type { ControllerDescriptor } from "../common/mod.ts";
import { GarbageCollector, informerSource } from "./controller.ts";

/** Deletes what nobody owns any more. Not built with `--enable-garbage-collector=false`. */
export const GARBAGE_COLLECTOR_CONTROLLER: ControllerDescriptor = {
  name: "garbage-collector-controller",
  build(context) {
    if (!context.options.enableGarbageCollector) return undefined;
    return new GarbageCollector({
      world: { ...context.world, log: context.world.log.named("garbage-collector-controller") },
      metrics: context.metrics,
      client: context.clients.client("generic-garbage-collector", { qpsFactor: 2 }),
      discovery: context.discovery,
      mapper: context.mapper,
      informers: informerSource(context),
      informersStarted: context.informersStarted,
      recorder: context.recorder("garbage-collector-controller"),
      workers: context.options.concurrentGcSyncs,
    });
  },
};
