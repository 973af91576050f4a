import type { CustomResourceDefinition } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { ApiError } from "../base/mod.ts";
import { type ServerState, systemOperation } from "../operations/mod.ts";
import { updateObject } from "../writes/mod.ts";

/** Where definitions are stored. */
export const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

/** The collection holds only definitions. */
export function readDefinition(object: StoredObject): CustomResourceDefinition {
  return object as Partial<CustomResourceDefinition> as CustomResourceDefinition;
}

/**
 * Writes the status of a definition and, if given, its finalizers, as upstream's controllers do through the API. Does
 * nothing if somebody else deleted it.
 */
export function writeStatus(
  state: ServerState,
  name: string,
  status: NonNullable<CustomResourceDefinition["status"]>,
  finalizers?: readonly string[],
): void {
  const change = (old: StoredObject | undefined) => {
    const definition = deepCopy(old!);
    definition.status = deepCopy(status);
    if (finalizers) definition.metadata.finalizers = [...finalizers];
    return definition;
  };
  try {
    updateObject(systemOperation(state, DEFINITIONS), name, change, { subresource: "status" });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
  }
}
