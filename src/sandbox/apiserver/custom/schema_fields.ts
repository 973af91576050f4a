/** What the value of a schema keyword is. */
export type KeywordKind =
  | "text"
  | "flag"
  | "integer"
  | "number"
  | "texts"
  | "json"
  | "jsons"
  | "docs"
  | "rules"
  | "schema"
  | "schemas"
  | "schemaMap"
  | "schemaOrFlag"
  | "schemaOrList"
  | "dependencies";

/** A keyword of a schema. */
export interface Keyword {
  /** What Go calls it; messages that show a whole schema name it so. */
  readonly goName: string;
  readonly kind: KeywordKind;
  /** An explicit zero is kept. */
  readonly pointer: boolean;
}

function row(name: string, goName: string, kind: KeywordKind, pointer = false): [string, Keyword] {
  return [name, { goName, kind, pointer }];
}

/** The keywords of a schema in upstream's order. Upstream: `apiextensions/types_jsonschema.go` (JSONSchemaProps). */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  row("id", "ID", "text"),
  row("$schema", "Schema", "text"),
  row("$ref", "Ref", "text", true),
  row("description", "Description", "text"),
  row("type", "Type", "text"),
  row("nullable", "Nullable", "flag"),
  row("format", "Format", "text"),
  row("title", "Title", "text"),
  row("default", "Default", "json", true),
  row("maximum", "Maximum", "number", true),
  row("exclusiveMaximum", "ExclusiveMaximum", "flag"),
  row("minimum", "Minimum", "number", true),
  row("exclusiveMinimum", "ExclusiveMinimum", "flag"),
  row("maxLength", "MaxLength", "integer", true),
  row("minLength", "MinLength", "integer", true),
  row("pattern", "Pattern", "text"),
  row("maxItems", "MaxItems", "integer", true),
  row("minItems", "MinItems", "integer", true),
  row("uniqueItems", "UniqueItems", "flag"),
  row("multipleOf", "MultipleOf", "number", true),
  row("enum", "Enum", "jsons"),
  row("maxProperties", "MaxProperties", "integer", true),
  row("minProperties", "MinProperties", "integer", true),
  row("required", "Required", "texts"),
  row("items", "Items", "schemaOrList", true),
  row("allOf", "AllOf", "schemas"),
  row("oneOf", "OneOf", "schemas"),
  row("anyOf", "AnyOf", "schemas"),
  row("not", "Not", "schema", true),
  row("properties", "Properties", "schemaMap"),
  row("additionalProperties", "AdditionalProperties", "schemaOrFlag", true),
  row("patternProperties", "PatternProperties", "schemaMap"),
  row("dependencies", "Dependencies", "dependencies"),
  row("additionalItems", "AdditionalItems", "schemaOrFlag", true),
  row("definitions", "Definitions", "schemaMap"),
  row("externalDocs", "ExternalDocs", "docs", true),
  row("example", "Example", "json", true),
  row("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", "flag", true),
  row("x-kubernetes-embedded-resource", "XEmbeddedResource", "flag"),
  row("x-kubernetes-int-or-string", "XIntOrString", "flag"),
  row("x-kubernetes-list-map-keys", "XListMapKeys", "texts"),
  row("x-kubernetes-list-type", "XListType", "text", true),
  row("x-kubernetes-map-type", "XMapType", "text", true),
  row("x-kubernetes-validations", "XValidations", "rules"),
]);
