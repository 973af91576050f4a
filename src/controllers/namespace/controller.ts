import { NAMESPACES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { ContentDeletion } from "./content_deletion.ts";
import { requeueDelayMs } from "./estimates.ts";
import { namespaceHandler } from "./handlers.ts";
import { NamespaceLimiter } from "./namespace_limiter.ts";
import { ResourceDeletion } from "./resource_deletion.ts";
import { ContentRemainingError, syncNamespace } from "./sync.ts";
import { UnsupportedOperations } from "./unsupported_operations.ts";

export const NAME = "namespace-controller";

export async function buildNamespaceController(
  context: ControllerContext,
  { workers, syncPeriodMs }: { readonly workers: number; readonly syncPeriodMs: number },
): Promise<Controller> {
  const { world, metrics, informers, discovery, journal } = context;
  // Deleting a namespace takes two requests for each of about seventy resources.
  const client = context.clients.client(NAME, { qpsFactor: 20, burstFactor: 100 });
  const unsupported = await discoverUnsupported(context);
  const resources = new ResourceDeletion({ clock: world.clock, client, unsupported });
  const content = new ContentDeletion({ world, client, discovery, resources });
  const namespaces = informers.informer(NAMESPACES);

  const limiter = new NamespaceLimiter(world.clock);
  const queue = new WorkQueue({ world, name: "namespace", metrics, limiter });
  const caches = [
    namespaces.addEventHandler(namespaceHandler(queue), { resyncPeriodMs: syncPeriodMs }),
  ];
  const decide = (namespace: string, error: unknown): "retry" => {
    if (error instanceof ContentRemainingError) {
      const delayMs = requeueDelayMs(error.estimateSeconds);
      world.log.verbose(4, "Content remaining in namespace", { namespace, waitSeconds: delayMs / 1000 });
      limiter.expect(namespace, delayMs);
    } else {
      world.log.error("Deletion of namespace failed", { namespace, err: error });
    }
    return "retry";
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: NAMESPACES,
    queue,
    caches,
    workers,
    sync: (key, { signal }) => syncNamespace(key, { client, content, namespaces: namespaces.lister, signal }),
    onError: decide,
  });
}

/** @throws {Error} If discovery returns nothing at all: namespaces would be finalized with their content in them. */
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
