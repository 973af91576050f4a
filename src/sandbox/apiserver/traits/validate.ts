import { isObject } from "../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { Traits, WriteContext } from "./traits.ts";
import { FieldErrors, unchanged, validateMetadata, validateMetadataUpdate } from "../validation/mod.ts";

/** Validates an object for creation. Upstream: `apiserver/pkg/registry/rest/create.go`. */
export function findCreateErrors(object: StoredObject, traits: Traits): FieldErrors {
  const errors = new FieldErrors();
  validateMetadata(object, traits, errors);
  traits.validate?.(object, errors);
  traits.validateCreate?.(object, errors);
  return errors;
}

/**
 * Like {@link findCreateErrors}, for an update. Upstream: `apiserver/pkg/registry/rest/update.go`.
 *
 * @param subresource Empty for the main resource.
 */
export function findUpdateErrors(
  object: StoredObject,
  old: StoredObject,
  { traits, subresource = "", context }: {
    readonly traits: Traits;
    readonly subresource?: string;
    readonly context: WriteContext;
  },
): FieldErrors {
  const errors = new FieldErrors();
  validateMetadataUpdate(object, old, traits, errors);
  if (subresource === "status") traits.validateStatus?.(object, old, errors, context);
  if (subresource === "") {
    traits.validate?.(object, errors, old);
    for (const path of traits.immutable ?? []) unchanged(valueAt(object, path), valueAt(old, path), path, errors);
    traits.validateUpdate?.(object, old, errors);
  }
  return errors;
}

function valueAt(object: unknown, path: string): unknown {
  return path.split(".").reduce((at, name) => isObject(at) ? at[name] : undefined, object);
}
