import { NAMESPACES } from "../../api/mod.ts";
import type { ControllerContext, ControllerDescriptor } from "../common/mod.ts";
import { NamespaceController } from "./controller.ts";
import { UnsupportedOperations } from "./unsupported_operations.ts";

/** Empties and finalizes namespaces that are being deleted. */
export const NAMESPACE_CONTROLLER: ControllerDescriptor = {
  name: "namespace-controller",
  async build(context) {
    const world = { ...context.world, log: context.world.log.named("namespace-controller") };
    return new NamespaceController({
      world,
      metrics: context.metrics,
      // Deleting a namespace takes two requests for each of some seventy resources.
      client: context.clients.client("namespace-controller", { qpsFactor: 20, burstFactor: 100 }),
      discovery: context.discovery,
      unsupported: await discoverUnsupported(context),
      namespaces: context.informers.informer(NAMESPACES),
      syncPeriodMs: context.options.namespaceSyncPeriodMs,
      workers: context.options.concurrentNamespaceSyncs,
    });
  },
};

/** @throws {Error} If discovery gives nothing at all: namespaces would be finalized with their content in them. */
async function discoverUnsupported({ discovery, world }: ControllerContext): Promise<UnsupportedOperations> {
  const { resources, failures } = await discovery.preferredResources({ namespaced: true });
  if (failures.size > 0) {
    world.log.error("unable to get all supported resources from server", { groups: [...failures.keys()].sort() });
  }
  if (resources.length === 0) {
    throw new Error("Unable to get any supported resources from server: discovery lists no namespaced resource");
  }
  return new UnsupportedOperations(resources);
}
