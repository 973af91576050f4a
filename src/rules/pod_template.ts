import { deepEqual } from "../base/mod.ts";
import { parseTime, POD_TEMPLATE_HASH_LABEL, type PodTemplateSpec, Quantity } from "../api/mod.ts";
import { type GoStruct, type GoType, POD_TEMPLATE_SPEC } from "./pod_template_schema.ts";
import { isNil, toRecord } from "./typed_encoding.ts";

/**
 * Whether two pod templates mean the same, apart from the label `pod-template-hash`: this is how a Deployment finds its
 * current ReplicaSet. Upstream: `pkg/controller/deployment/util` (EqualIgnoreHash).
 *
 * Quantities are compared by value, empty and absent lists and maps are equal, unknown fields are ignored; but where Go
 * has a pointer, absent differs from present and empty (`securityContext: {}`).
 *
 * @example
 * ```ts
 * import { equalIgnoreHash } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * const template = (cpu: string, labels: Record<string, string>) => ({
 *   metadata: { labels },
 *   spec: { containers: [{ name: "c", resources: { limits: { cpu } } }] },
 * });
 * assertEquals(equalIgnoreHash(template("1000m", {}), template("1", { "pod-template-hash": "x" })), true);
 * assertEquals(equalIgnoreHash(template("2", {}), template("1", {})), false);
 * ```
 */
export function equalIgnoreHash(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return a === b || typedEqual(withoutHash(a), withoutHash(b), POD_TEMPLATE_SPEC);
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const labels = template?.metadata?.labels;
  if (!labels || !Object.hasOwn(labels, POD_TEMPLATE_HASH_LABEL)) return template;
  const { [POD_TEMPLATE_HASH_LABEL]: _, ...others } = labels;
  return { ...template, metadata: { ...template.metadata, labels: others } };
}

/** Whether two values from JSON are equal after decoding into a Go value of `type`. Rarely allocates. */
function typedEqual(a: unknown, b: unknown, type: GoType): boolean {
  if (a === b) return true;
  switch (type.tag) {
    case "struct":
      return structsEqual(toRecord(a), toRecord(b), type);
    case "pointer":
      return isNil(a) || isNil(b) ? isNil(a) && isNil(b) : typedEqual(a, b, type.target);
    case "slice": {
      const left = Array.isArray(a) ? a : [];
      const right = Array.isArray(b) ? b : [];
      return left.length === right.length && left.every((item, i) => typedEqual(item, right[i], type.element));
    }
    case "map": {
      const left = toRecord(a);
      const right = toRecord(b);
      const keys = Object.keys(left);
      return keys.length === Object.keys(right).length &&
        keys.every((key) => Object.hasOwn(right, key) && typedEqual(left[key], right[key], type.value));
    }
    case "quantity":
      return quantitiesEqual(a, b);
    case "time":
      return isNil(a) || isNil(b) ? isNil(a) && isNil(b) : parseTime(String(a)) === parseTime(String(b));
    case "string":
      return (a ?? "") === (b ?? "");
    case "bool":
      return (a ?? false) === (b ?? false);
    case "int":
    case "intOrString":
      return deepEqual(a ?? 0, b ?? 0);
    case "opaque":
      return deepEqual(a ?? null, b ?? null);
  }
}

function structsEqual(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  type: GoStruct,
): boolean {
  return type.fields.every((field) =>
    field.inlined ? typedEqual(a, b, field.type) : typedEqual(a[field.jsonKey], b[field.jsonKey], field.type)
  );
}

function quantitiesEqual(a: unknown, b: unknown): boolean {
  return Quantity.parse(a as string | number | null).equals(Quantity.parse(b as string | number | null));
}
