import type { CustomResourceDefinitionVersion, JSONSchemaProps } from "../../../api/mod.ts";
import { isSchema, type Keyword, KEYWORDS } from "../custom/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";

/** What several versions have in common, and where messages say it stands; see {@link liftedOf}. */
export interface Lifted {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectableFields: boolean;
}

/** A version as messages show it: with Go's names, and without what was lifted out of all versions. */
export function internalVersion(version: CustomResourceDefinitionVersion, lifted: Lifted): JsonObject {
  const { schema, subresources, additionalPrinterColumns, selectableFields } = version;
  return {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: lifted.schema || !schema ? null : { OpenAPIV3Schema: internalSchema(schema.openAPIV3Schema) },
    Subresources: lifted.subresources || !subresources ? null : internalSubresources(subresources),
    AdditionalPrinterColumns: lifted.columns || !additionalPrinterColumns
      ? null
      : additionalPrinterColumns.map(({ name, type, format = "", description = "", priority = 0, jsonPath }) => ({
        Name: name,
        Type: type,
        Format: format,
        Description: description,
        Priority: priority,
        JSONPath: jsonPath,
      })),
    SelectableFields: lifted.selectableFields || !selectableFields
      ? null
      : selectableFields.map(({ jsonPath }) => ({ JSONPath: jsonPath })),
  };
}

function internalSubresources(
  { status, scale }: NonNullable<CustomResourceDefinitionVersion["subresources"]>,
): JsonObject {
  return {
    Status: status ? {} : null,
    Scale: scale
      ? {
        SpecReplicasPath: scale.specReplicasPath,
        StatusReplicasPath: scale.statusReplicasPath,
        LabelSelectorPath: scale.labelSelectorPath ?? null,
      }
      : null,
  };
}

/** A schema as messages show it. */
export function internalSchema(schema: JSONSchemaProps | undefined): JsonObject | null {
  if (!schema) return null;
  const values = schema as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    [...KEYWORDS].map(([name, keyword]) => [keyword.goName, internalValue(values[name], keyword)]),
  );
}

function internalValue(value: unknown, { kind, pointer }: Keyword): unknown {
  if (value === undefined) return pointer ? null : kind === "text" ? "" : kind === "flag" ? false : null;
  switch (kind) {
    case "schema":
      return isSchema(value) ? internalSchema(value) : null;
    case "schemas":
      return Array.isArray(value) ? value.map(internalSchema) : null;
    case "schemaMap":
    case "dependencies":
      return isObject(value) ? mapValues(value, (one) => isSchema(one) ? internalSchema(one) : one) : null;
    case "schemaOrFlag":
      return { Allows: value !== false, Schema: isSchema(value) ? internalSchema(value) : null };
    case "schemaOrList":
      return {
        Schema: isSchema(value) ? internalSchema(value) : null,
        JSONSchemas: Array.isArray(value) ? value.map(internalSchema) : null,
      };
    case "rules":
      return Array.isArray(value) ? value.map(internalRule) : null;
    case "docs":
      return isObject(value) ? { Description: value.description ?? "", URL: value.url ?? "" } : null;
    default:
      return value;
  }
}

function internalRule(rule: Readonly<Record<string, unknown>>): JsonObject {
  return {
    Rule: rule.rule ?? "",
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function mapValues(record: JsonObject, map: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
