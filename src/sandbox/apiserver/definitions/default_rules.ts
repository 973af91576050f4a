import type { JSONSchemaProps } from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import {
  compileSchema,
  EmbeddedError,
  Findings,
  isSchema,
  prune,
  readEmbedded,
  reportFindings,
  type Structural,
  validateEmbedded,
} from "../custom/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";

/**
 * Checks that defaults are valid by their own schemas. Upstream: `apiserver/schema/defaulting/validation.go`.
 *
 * @param structural The structure of `schema`.
 */
export function validateDefaults(
  schema: JSONSchemaProps,
  structural: Structural,
  at: string,
  errors: FieldErrors,
): void {
  if (!structural.hasDefaults) return;
  if (structural.default !== undefined) validateDefault(schema, structural, `${at}.default`, errors);
  if (isSchema(schema.items) && structural.items) {
    validateDefaults(schema.items, structural.items, `${at}.items`, errors);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateDefaults(property, structural.properties.get(name)!, `${at}.properties[${name}]`, errors);
  }
}

function validateDefault(schema: JSONSchemaProps, structural: Structural, at: string, errors: FieldErrors): void {
  const value = structural.default;
  const pruned = deepCopy(value);
  // With a path, only embedded objects keep the fields that every object has.
  prune(pruned, structural, at);
  if (!deepEqual(pruned, value)) errors.invalid(at, value, "must not have unknown fields");
  try {
    readEmbedded(deepCopy(value), structural, at);
  } catch (error) {
    if (!(error instanceof EmbeddedError)) throw error;
    return errors.invalid(error.field, error.value, error.detail);
  }
  const before = errors.count;
  validateEmbedded(value, structural, at, errors);
  if (errors.count > before) return;
  const found = new Findings();
  compileSchema(schema)(value, "", found);
  reportFindings(found, at, errors);
}
