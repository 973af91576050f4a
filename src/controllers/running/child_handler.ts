import { deepEqual } from "../../base/mod.ts";
import { controllerOf, type KubeObject, type LabelSelector, objectKey, type OwnerReference } from "../../api/mod.ts";
import { type EventHandler, finalStateOf, type Lister } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause } from "./causes.ts";
import { parentsMatching, resolveControllerRef } from "./parents.ts";
import { validSelectorOfCached } from "./selectors.ts";

/** Whose children are watched, and what is called for them. */
export interface ChildHandlerOptions<P extends KubeObject, C extends KubeObject> {
  /** The children's kind in lower case, as it appears in causes. */
  readonly child: string;
  readonly parentKind: string;
  readonly parents: Pick<Lister<P>, "get" | "list">;
  readonly queue: Pick<WorkQueue, "add">;
  /** `undefined` selects nothing. */
  selectorOf(parent: P): LabelSelector | undefined;
  /** Whether a child counts as deleted as soon as its deletion begins. */
  readonly deletingIsDeleted?: boolean;
  /** Called before the parent of a new child is queued. */
  onCreated?(parentKey: string): void;
  /** Called before the parent of a deleted child is queued. */
  onDeleted?(parentKey: string, child: C): void;
  /** Called after the parent of a changed child was queued. */
  onUpdated?(parent: P, before: C, child: C): void;
}

/**
 * Handles events of children by queueing their parents.
 *
 * Contract:
 * 1. A child with a controller queues that one, if the cache has it; one without queues all that could want it.
 * 2. A child that changed its controller queues the former one too.
 * 3. An orphan's change matters only if its labels or its controller changed; its deletion does not matter.
 * 4. A child that is first seen while it is being deleted counts as deleted.
 * 5. A replay of the cache is ignored.
 *
 * Upstream: addPod, updatePod and deletePod of `pkg/controller/statefulset` and `pkg/controller/daemon`.
 */
export function childHandler<P extends KubeObject, C extends KubeObject>(
  options: ChildHandlerOptions<P, C>,
): EventHandler<C> {
  return {
    onAdd: (child) => onAdded(child, options),
    onUpdate: (before, child) => onUpdated(before, child, options),
    onDelete: (deleted) => {
      const child = finalStateOf(deleted);
      if (child) onDeleted(child, options);
    },
  };
}

function onAdded<P extends KubeObject, C extends KubeObject>(child: C, options: ChildHandlerOptions<P, C>): void {
  if (child.metadata?.deletionTimestamp) return onDeleted(child, options);
  const controller = controllerOf(child);
  if (!controller) return enqueueMatching(child, "added", options);
  const parent = resolve(child, controller, options);
  if (!parent) return;
  options.onCreated?.(objectKey(parent));
  options.queue.add(objectKey(parent), cause(options.child, child, "added"));
}

function onUpdated<P extends KubeObject, C extends KubeObject>(
  before: C,
  child: C,
  options: ChildHandlerOptions<P, C>,
): void {
  if (before.metadata?.resourceVersion === child.metadata?.resourceVersion) return;
  if (options.deletingIsDeleted && child.metadata?.deletionTimestamp) return onDeleted(child, options);
  const [oldController, controller] = [controllerOf(before), controllerOf(child)];
  const controllerChanged = !deepEqual(oldController, controller);
  if (controllerChanged && oldController) {
    const parent = resolve(before, oldController, options);
    if (parent) options.queue.add(objectKey(parent), cause(options.child, child, "updated"));
  }
  if (controller) {
    const parent = resolve(child, controller, options);
    if (!parent) return;
    options.queue.add(objectKey(parent), cause(options.child, child, "updated"));
    options.onUpdated?.(parent, before, child);
  } else if (controllerChanged || !deepEqual(before.metadata?.labels ?? {}, child.metadata?.labels ?? {})) {
    enqueueMatching(child, "updated", options);
  }
}

function onDeleted<P extends KubeObject, C extends KubeObject>(child: C, options: ChildHandlerOptions<P, C>): void {
  const controller = controllerOf(child);
  const parent = controller && resolve(child, controller, options);
  if (!parent) return;
  options.onDeleted?.(objectKey(parent), child);
  options.queue.add(objectKey(parent), cause(options.child, child, "deleted"));
}

function enqueueMatching<P extends KubeObject, C extends KubeObject>(
  child: C,
  what: "added" | "updated",
  { child: kind, parents, queue, selectorOf }: ChildHandlerOptions<P, C>,
): void {
  const matching = parentsMatching(parents, child, (parent) => validSelectorOfCached(selectorOf(parent)));
  for (const parent of matching) queue.add(objectKey(parent), cause(kind, child, what));
}

function resolve<P extends KubeObject, C extends KubeObject>(
  child: C,
  controller: OwnerReference,
  { parents, parentKind }: ChildHandlerOptions<P, C>,
): P | undefined {
  return resolveControllerRef(parents, parentKind, child, controller);
}
