import type { CustomResourceDefinitionVersion, JSONSchemaProps } from "../../../api/mod.ts";
import { type Structural, structuralOf } from "../custom/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";
import { followFieldPath } from "./field_path.ts";

type Columns = NonNullable<CustomResourceDefinitionVersion["additionalPrinterColumns"]>;
type Subresources = NonNullable<CustomResourceDefinitionVersion["subresources"]>;
type SelectableFields = NonNullable<CustomResourceDefinitionVersion["selectableFields"]>;

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const SCALE_PATHS = [
  ["specReplicasPath", /^\.spec\./, ".spec"],
  ["statusReplicasPath", /^\.status\./, ".status"],
  ["labelSelectorPath", /^\.(spec|status)\./, "either .spec or .status"],
] as const;
const MOST_SELECTABLE_FIELDS = 8;
const LONGEST_WARNING_BYTES = 256;

/** Upstream: ValidateCustomResourceColumnDefinition. */
export function validateColumns(columns: Columns = [], at: string, errors: FieldErrors): void {
  for (const [i, { name, type, format, jsonPath }] of columns.entries()) {
    const of = `${at}[${i}]`;
    if (!name) errors.required(`${of}.name`);
    if (!type) errors.required(`${of}.type`);
    else if (!COLUMN_TYPES.includes(type)) errors.invalid(`${of}.type`, type, `must be one of ${COLUMN_TYPES}`);
    const isOdd = format && !COLUMN_FORMATS.includes(format);
    if (isOdd) errors.invalid(`${of}.format`, format, `must be one of ${COLUMN_FORMATS}`);
    if (!jsonPath) errors.required(`${of}.JSONPath`);
    else validatePath(jsonPath, `${of}.JSONPath`, errors);
  }
}

function validatePath(path: string, at: string, errors: FieldErrors): boolean {
  if (path.startsWith(".")) return true;
  errors.invalid(at, path, "must be a simple json path starting with .");
  return false;
}

/** Upstream: ValidateCustomResourceDefinitionSubresources. */
export function validateSubresources({ scale }: Subresources = {}, at: string, errors: FieldErrors): void {
  if (!scale) return;
  for (const [field, root, where] of SCALE_PATHS) {
    const path = scale[field];
    const of = `${at}.scale.${field}`;
    if (!path && field !== "labelSelectorPath") errors.required(of);
    if (path && validatePath(path, of, errors) && !root.test(path)) {
      errors.invalid(of, path, `should be a json path under ${where}`);
    }
  }
}

/** Upstream: ValidateCustomResourceSelectableFields. */
export function validateSelectableFields(
  fields: SelectableFields,
  schema: JSONSchemaProps,
  at: string,
  errors: FieldErrors,
): void {
  const structural = structuralOf(schema);
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const of = `${at}[${i}].jsonPath`;
    const text = jsonPath ? validateSelectable(jsonPath, structural, of, errors) : errors.required(of);
    if (text === undefined) continue;
    if (seen.has(text)) errors.duplicate(of, jsonPath);
    seen.add(text);
  }
  if (seen.size > MOST_SELECTABLE_FIELDS) errors.tooMany(at, seen.size, MOST_SELECTABLE_FIELDS);
}

/** Returns the normalized path if it leads to a field. */
function validateSelectable(path: string, structural: Structural, at: string, errors: FieldErrors): string | undefined {
  const found = followFieldPath(path, structural, { allowsBrackets: false });
  if (!found) {
    errors.invalid(at, path, "must lead to a field of the schema");
    return undefined;
  }
  if (found.root === "metadata") errors.invalid(at, path, "must not point to fields in metadata");
  if (!["string", "boolean", "integer"].includes(found.schema?.type ?? "")) {
    errors.invalid(at, path, "must point to a field of type string, boolean or integer");
  }
  return found.text;
}

/** Validates the warning for clients of a deprecated version. Upstream: validateDeprecationWarning. */
export function validateDeprecation(version: CustomResourceDefinitionVersion, at: string, errors: FieldErrors): void {
  const { deprecated, deprecationWarning: text } = version;
  if (text === undefined) return;
  const add = (why: string) => errors.invalid(`${at}.deprecationWarning`, text, why);
  if (!deprecated) return add("can only be set for deprecated versions");
  if (text.length > LONGEST_WARNING_BYTES) add("must be <= 256 characters long");
  if (text === "") add("must not be an empty string");
  const found = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  if (found) add(`must only contain printable UTF-8 characters; non-printable character found at index ${found.index}`);
}
