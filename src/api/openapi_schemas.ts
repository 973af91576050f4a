/**
 * The schemas of the built-in API as JSON, as servers publish them but without descriptions, by their full name:
 * `io.k8s.api.core.v1.Pod`; with those of versions that are served on request only. They are read when they are first asked for, since
 * few programs need them.
 *
 * @example
 * ```ts
 * import { openApiSchemas } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * const schemas = await openApiSchemas();
 * assertEquals(schemas["io.k8s.api.core.v1.PodSpec"].required, ["containers"]);
 * ```
 */
export async function openApiSchemas(): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const { default: { schemas } } = await import("./generated_schemas.json", { with: { type: "json" } });
  return schemas;
}
