import type { KubeObject } from "../api/mod.ts";

/** Makes the cached object from the received one. Idempotent; may modify its argument. */
export type Transform<T> = { apply(object: T): T }["apply"];

type FieldTree = { [name: string]: FieldTree | true };

/**
 * Keeps only the fields that are read. `apiVersion`, `kind` and `metadata` are always kept.
 *
 * @param fields Dotted paths. A path keeps everything below it and passes through arrays implicitly.
 *
 * @example
 * ```ts
 * import type { Pod } from "kubeloop/api";
 * import { projection } from "kubeloop/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const project = projection<Pod>(["spec.nodeName", "spec.containers.name"]);
 * const pod = { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], volumes: [] } };
 * assertEquals(project(pod), { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c" }] } });
 * ```
 */
export function projection<T extends KubeObject>(fields: Iterable<string>): Transform<T> {
  const pick = pickerOf(treeOf(["apiVersion", "kind", "metadata", ...fields]));
  return (object) => pick(object) as T; // the fields left out are optional ones
}

function treeOf(paths: readonly string[]): FieldTree {
  const root: FieldTree = {};
  for (const path of paths) {
    const names = path.split(".");
    const last = names.pop()!;
    let at: FieldTree | true = root;
    for (const name of names) {
      at = at[name] ??= {};
      if (at === true) break; // a shorter path keeps all of it
    }
    if (at !== true) at[last] = true;
  }
  return root;
}

/** Built once, because it runs for every event. */
function pickerOf(tree: FieldTree): (value: unknown) => unknown {
  const fields = Object.entries(tree).map(([name, below]) => ({
    name,
    pick: below === true ? undefined : pickerOf(below),
  }));
  const pick = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(pick);
    const source = value as Record<string, unknown>;
    const picked: Record<string, unknown> = {};
    for (const { name, pick } of fields) {
      const field = source[name];
      if (field !== undefined) picked[name] = pick ? pick(field) : field;
    }
    return picked;
  };
  return pick;
}
