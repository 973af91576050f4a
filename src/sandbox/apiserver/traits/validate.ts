import type { StoredObject } from "../../storage/mod.ts";
import type { Traits, UpdateStep } from "./traits.ts";
import {
  FieldErrors,
  validateAnyMetadata,
  validateAnyMetadataUpdate,
  validateMetadata,
  validateMetadataUpdate,
} from "../validation/mod.ts";

const UPDATE_STEPS: readonly UpdateStep[] = ["metadataUpdate", "rules", "update"];
const STATUS_STEPS: readonly UpdateStep[] = ["metadataUpdate", "status"];

/**
 * What is wrong with an object that is to be created, in the order in which upstream finds it: the kind's own rules, and where
 * they find nothing those for all objects. Upstream: `apiserver/pkg/registry/rest/create.go`.
 */
export function findCreateErrors(object: StoredObject, traits: Traits): FieldErrors {
  const errors = new FieldErrors();
  if (!traits.checksMetadataLast) validateMetadata(object, traits, errors);
  traits.validate?.(object, errors);
  traits.validateCreate?.(object, errors);
  if (traits.checksMetadataLast && errors.count === 0) validateAnyMetadata(object, errors);
  return errors;
}

/**
 * As {@link findCreateErrors} for a change. What all objects must fulfil comes first, and most kinds look at metadata once more.
 * Upstream: `apiserver/pkg/registry/rest/update.go`.
 *
 * @param subresource Empty for the main resource.
 */
export function findUpdateErrors(
  object: StoredObject,
  old: StoredObject,
  traits: Traits,
  subresource = "",
): FieldErrors {
  const errors = new FieldErrors();
  validateAnyMetadata(object, errors);
  validateAnyMetadataUpdate(object, old, errors);
  if (subresource !== "" && subresource !== "status") return errors;
  const steps = subresource === "status" ? traits.statusSteps ?? STATUS_STEPS : traits.updateSteps ?? UPDATE_STEPS;
  for (const step of steps) runStep(step, object, old, { traits, errors });
  return errors;
}

function runStep(
  step: UpdateStep,
  object: StoredObject,
  old: StoredObject,
  { traits, errors }: { readonly traits: Traits; readonly errors: FieldErrors },
): void {
  switch (step) {
    case "metadata":
      return validateMetadata(object, traits, errors);
    case "metadataUpdate":
      return validateMetadataUpdate(object, old, traits, errors);
    case "rules":
      return traits.validate?.(object, errors, old);
    case "update":
      return traits.validateUpdate?.(object, old, errors);
    case "status":
      return traits.validateStatus?.(object, old, errors);
  }
}
