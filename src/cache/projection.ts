import type { KubeObject, Resource } from "../api/mod.ts";

/** Makes the object that is cached from the one that came; idempotent, and may change what it is given. */
export type Transform<T> = { apply(object: T): T }["apply"];

/** The transform of one resource's objects. */
export interface Projection<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly apply: Transform<T>;
}

type FieldTree = { [name: string]: FieldTree | true };

/**
 * Declares what is read of a resource, so that nothing else is kept: a list of fields or a function. Everybody who shares
 * the informer sees the projected objects, index functions included. `apiVersion`, `kind` and `metadata` are always kept.
 *
 * @param fields Paths with dots; a path keeps everything below it, and goes through arrays without saying so.
 *
 * @example
 * ```ts
 * import { project } from "./mod.ts";
 * import { PODS } from "../api/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const { apply } = project(PODS, ["spec.nodeName", "spec.containers.name"]);
 * const pod = { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], volumes: [] } };
 * assertEquals(apply(pod), { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c" }] } });
 * ```
 */
export function project<T extends KubeObject>(
  resource: Resource<T>,
  fields: readonly string[] | Transform<T>,
): Projection<T> {
  if (typeof fields === "function") return { resource, apply: fields };
  const tree = treeOf(["apiVersion", "kind", "metadata", ...fields]);
  return { resource, apply: (object) => pick(object, tree) as T };
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

function pick(value: unknown, tree: FieldTree): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  const source = value as Record<string, unknown>;
  const picked: Record<string, unknown> = {};
  for (const [name, below] of Object.entries(tree)) {
    if (source[name] !== undefined) picked[name] = below === true ? source[name] : pick(source[name], below);
  }
  return picked;
}
