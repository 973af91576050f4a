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
import { FieldErrors } from "../validation/mod.ts";

/** Wraps a value inside metadata in the object around it. */
type Surround = (value: unknown) => unknown;

const WHOLE: Surround = (value) => ({ apiVersion: "validation/v1", kind: "Validation", ...Object(value) });

/** The place of a default. */
interface Place {
  /** The schema of the object that contains it. */
  readonly root: Structural;
  readonly isMeta: boolean;
  readonly around: Surround;
}

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
  const root = { ...structural, isEmbedded: true, hasEmbedded: true };
  validateIn(schema, root, at, { root, isMeta: false, around: WHOLE }, errors);
}

function validateIn(
  schema: JSONSchemaProps,
  structural: Structural,
  at: string,
  outer: Place,
  errors: FieldErrors,
): void {
  if (!structural.hasDefaults) return;
  const place = structural.isEmbedded ? { root: structural, isMeta: false, around: WHOLE } : outer;
  if (structural.default !== undefined) {
    if (place.isMeta) validateInMeta(schema, structural.default, `${at}.default`, place, errors);
    else validateDefault(schema, structural, `${at}.default`, errors);
  }
  if (isSchema(schema.items) && structural.items) {
    const around: Surround = (value) => place.around([value]);
    validateIn(schema.items, structural.items, `${at}.items`, { ...place, around }, errors);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = place.isMeta || (structural.isEmbedded && ["metadata", "apiVersion", "kind"].includes(name));
    const around: Surround = (value) => place.around({ [name]: value });
    const below = structural.properties.get(name)!;
    validateIn(property, below, `${at}.properties[${name}]`, { root: place.root, isMeta, around }, errors);
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
  if (errors.count === before) check(schema, value, at, errors);
}

function check(schema: JSONSchemaProps, value: unknown, at: string, errors: FieldErrors): void {
  const found = new Findings();
  compileSchema(schema)(value, "", found);
  reportFindings(found, at, errors);
}

/** A default inside metadata must result in valid metadata. */
function validateInMeta(
  schema: JSONSchemaProps,
  value: unknown,
  at: string,
  { root, around }: Place,
  errors: FieldErrors,
): void {
  const object = around(deepCopy(value));
  const found = new FieldErrors();
  try {
    readEmbedded(object, root);
    validateEmbedded(object, root, "", found);
  } catch (error) {
    if (!(error instanceof EmbeddedError)) throw error;
    return errors.invalid(at, value, `must result in valid metadata: ${error.message.replace(/^\./, "")}`);
  }
  if (found.count === 0) return check(schema, value, at, errors);
  const texts = found.causes.map(({ field, message }) => `${field}: ${message}`);
  const why = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  errors.invalid(at, value, `must result in valid metadata: ${why}`);
}
