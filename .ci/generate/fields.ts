import type { GoField } from "./go_structs.ts";
import { isUsual, type Schema, type Schemas } from "./schema.ts";

/** Versions that the embedded server serves with a feature gate only. */
const GATED =
  /\.(apiserverinternal\.v1alpha1|certificates\.v1beta1|resource\.v1alpha3|resource\.v1beta2|scheduling\.v1alpha2|storagemigration\.v1beta1)\./;

/** Types that are scalars, whatever their schema says. */
const SCALARS: Readonly<Record<string, string>> = {
  "api.resource.Quantity": "quantity",
  "util.intstr.IntOrString": "intOrString",
  "meta.v1.Time": "time",
  "meta.v1.MicroTime": "microTime",
  "runtime.RawExtension": "raw",
  "meta.v1.FieldsV1": "raw",
  "apiextensions.v1.JSON": "raw",
  "apiextensions.v1.JSONSchemaPropsOrArray": "schemas|apiextensions.v1.JSONSchemaProps",
  "apiextensions.v1.JSONSchemaPropsOrBool": "boolean|apiextensions.v1.JSONSchemaProps",
  "apiextensions.v1.JSONSchemaPropsOrStringArray": "strings|apiextensions.v1.JSONSchemaProps",
};

function typeCode(schema: Schema): string {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref) {
    const name = shortName(ref.split("/").at(-1)!);
    return SCALARS[name] ?? name;
  }
  if (schema.type === "array") return `[]${typeCode(schema.items!)}`;
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return `{}${typeCode(schema.additionalProperties)}`;
  }
  if (schema.format === "byte") return "bytes";
  if (schema.type === "integer") return schema.format === "int32" ? "int32" : "int64";
  return ["string", "number", "boolean"].find((type) => type === schema.type) ?? "raw";
}

/** The flags of a field: whether an empty value is written, and how patches and apply treat it. */
function fieldFlags(schema: Schema, code: string, go: GoField | undefined): string {
  const flags: string[] = [];
  const pointer = go?.isPointer ?? false;
  const omits = go === undefined || go.omitsEmpty || go.omitsZero;
  const struct = !pointer &&
    (/^[a-z].*\./.test(code) || ["time", "microTime", "quantity", "intOrString"].includes(code));
  if (pointer) flags.push("pointer");
  if (!omits || (struct && go !== undefined && !go.omitsZero)) flags.push("always");
  const strategy = schema["x-kubernetes-patch-strategy"] ?? "";
  if (strategy.includes("retainKeys")) flags.push("retainKeys");
  if (strategy.includes("replace")) flags.push("replace");
  if (strategy.includes("merge")) flags.push(`merge=${schema["x-kubernetes-patch-merge-key"] ?? ""}`);
  const list = schema["x-kubernetes-list-type"];
  if (list === "set") flags.push("set");
  if (list === "map") flags.push(`keys=${(schema["x-kubernetes-list-map-keys"] ?? []).join("+")}`);
  if (schema["x-kubernetes-map-type"] === "atomic") flags.push("atomic");
  const values = [schema, schema.items, schema.additionalProperties].find((one) => typeof one === "object" && one.enum);
  if (typeof values === "object") flags.push(`enum=${values.enum!.join("|").replaceAll(" ", "~")}`);
  if (go && go.numbers.length > 0) flags.push(`number=${go.numbers.join(".")}`);
  return flags.join(",");
}

/** `io.k8s.api.core.v1.Pod` -> `core.v1.Pod`. */
function shortName(name: string): string {
  return name.replace(/^io\.k8s\.(api|apimachinery\.pkg(\.apis)?|[\w-]+\.pkg\.apis)\./, "")
    .replace(/^io\.k8s\.apimachinery\.pkg\./, "").replace(/^apiserverinternal\./, "internal.");
}

/**
 * The fields of every type that the embedded server can serve, in Go's order, with what OpenAPI says (shape, merge keys, list and map
 * types, values) and what only the Go source says (pointers, `omitempty`), which decides which zero values the API server writes.
 */
export function renderFields(schemas: Schemas, goFieldsOf: (schema: string) => readonly GoField[]): string {
  const lines: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isUsual(name) && !GATED.test(name)) continue;
    const short = shortName(name);
    if (schema.type !== "object" || SCALARS[short] || short.endsWith("List")) continue;
    const go = goFieldsOf(name);
    const isTypeMeta = (field: string) => field === "apiVersion" || field === "kind";
    const order = (field: string) =>
      (go.findIndex((entry) => entry.name === field) + 1) || (isTypeMeta(field) ? 0 : 999);
    const fields = Object.entries(schema.properties ?? {})
      .sort(([a], [b]) => order(a) - order(b))
      .map(([field, property]) => {
        const code = typeCode(property);
        const flags = fieldFlags(property, code, go.find((entry) => entry.name === field));
        return `${field}:${code}${flags ? `:${flags}` : ""}`;
      });
    const atomic = schema["x-kubernetes-map-type"] === "atomic" ? "atomic;" : "";
    lines.push(`  ${JSON.stringify(short)}: ${JSON.stringify(atomic + fields.join(" "))},`);
  }
  return `/** Type name to its fields, \`name:type:flags\` separated by spaces; see \`types.ts\`. */\n` +
    `export const FIELDS: Readonly<Record<string, string>> = {\n${lines.join("\n")}\n};\n`;
}
