import { apiVersionOf, type KubeObject, type Resource, splitKey } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, type SyncContext } from "../running/mod.ts";
import { ownHandler, type Watched, watchedHandler } from "./handlers.ts";
import { type Reconcile, ReconcileContext } from "./reconcile_context.ts";

/** What a {@link ControllerBuilder} puts together. */
export interface CustomControllerOptions<T extends KubeObject> {
  /** The name of its queue, log, events, User-Agent and field manager. */
  readonly name: string;
  readonly resource: Resource<T>;
  readonly watched: readonly Watched[];
  readonly workers: number;
  readonly reconcile: Reconcile<T>;
}

/** Builds the controller that a {@link ControllerBuilder} describes. */
export function buildCustomController<T extends KubeObject>(
  context: ControllerContext,
  { name, resource, watched, workers, reconcile }: CustomControllerOptions<T>,
): Controller {
  const { world, metrics, informers, journal } = context;
  const objects = informers.informer(resource);

  const queue = new WorkQueue({ world, name, metrics });
  const client = context.clients.client(name);
  const recorder = context.recorder(name);
  const readable = new Set([resource, ...watched.map((other) => other.resource)].map(nameOf));
  const listerOf = <C extends KubeObject>(other: Resource<C>) => {
    if (readable.has(nameOf(other))) return informers.informer(other).lister;
    throw new TypeError(
      `Cannot read ${nameOf(other)} from a cache: ${name} neither owns nor watches them; ` +
        `add .owns() or .watches() to the controller, or ask the API server with context.client`,
    );
  };
  const sync = async (key: string, { causes, signal }: SyncContext) => {
    const { namespace, name: objectName } = splitKey(key);
    const object = objects.lister.get(namespace, objectName);
    if (!object) return;
    const reconciling = new ReconcileContext({
      resource,
      object,
      client,
      recorder,
      causes,
      name,
      signal,
      clock: world.clock,
      log: world.log,
      lister: listerOf,
    });
    const result = await reconcile(object, reconciling);
    if (result?.requeueAfterMs !== undefined) {
      queue.addAfter(key, result.requeueAfterMs, { due: "requeueAfterMs passed" });
    }
  };
  const caches = [
    objects.addEventHandler(ownHandler(resource, queue)),
    ...watched.map((other) => informers.informer(other.resource).addEventHandler(watchedHandler(other, queue))),
  ];
  return queueController({ name, world, journal, resource, queue, caches, workers, sync });
}

/** There is a cache for each version of a resource. */
function nameOf(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}
