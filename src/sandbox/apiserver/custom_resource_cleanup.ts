import type { CustomResourceDefinition } from "../../api/mod.ts";
import { deepCopy } from "../../base/mod.ts";
import type { StoredObject } from "../storage/mod.ts";
import { ApiError } from "./errors.ts";
import { CLEANUP_FINALIZER } from "./kinds/custom_resource_definitions.ts";
import { type ServerState, systemOperation } from "./operation.ts";
import { deleteEach } from "./writes/delete.ts";
import { updateObject } from "./writes/update.ts";

/** What to clean up after. */
export interface CleanUp {
  /** The definition that is being deleted. */
  readonly definition: CustomResourceDefinition & StoredObject;
  /** Where its instances are stored. */
  readonly collection: string;
  /** Fires when the server closes. */
  readonly signal: AbortSignal;
}

/** Whether the instances of a definition have to go before it can. */
export function needsCleanUp({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(CLEANUP_FINALIZER) === true;
}

/**
 * Deletes the instances of a definition that is being deleted, waits for their finalizers, and lets the definition go. Errors
 * are logged. Upstream: `apiextensions-apiserver/pkg/controller/finalizer`.
 */
export async function cleanUpInstances(state: ServerState, { definition, collection, signal }: CleanUp): Promise<void> {
  const { store, world } = state;
  const gone = Promise.withResolvers<void>();
  const check = () => store.count(collection) === 0 && gone.resolve();
  const unsubscribe = store.subscribe(collection, check);
  signal.addEventListener("abort", () => gone.resolve(), { once: true });
  try {
    // The write that marked the definition is not over yet.
    await Promise.resolve();
    const instances = [...store.list(collection) ?? []].map(({ object }) => object);
    await deleteEach(systemOperation(state, collection), instances, { signal });
    check();
    await gone.promise;
    if (!signal.aborted) release(state, definition.metadata.name!);
  } catch (err) {
    if (!signal.aborted) world.log.error("Custom resources could not be cleaned up", { definition: collection, err });
  } finally {
    unsubscribe();
  }
}

/** Takes the finalizer away. Somebody else may have done so before, which ends the definition at once. */
function release(state: ServerState, name: string): void {
  const change = (old: StoredObject | undefined) => {
    const definition = deepCopy(old!);
    definition.metadata.finalizers = old!.metadata.finalizers?.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    return definition;
  };
  try {
    updateObject(systemOperation(state, "customresourcedefinitions.apiextensions.k8s.io"), name, change);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
  }
}
