import { goQuote } from "../../../base/mod.ts";
import type { StructType, ValueType } from "../schema/mod.ts";
import type { JsonTree } from "./json_tree.ts";

/** What a document's text reveals that its parsed value does not. */
export interface CloserLook {
  /** Why it cannot be decoded; `undefined` if it can. */
  readonly error?: string;
  /** Unknown and duplicate fields, in the order of the document: `unknown field "spec.foo"`. */
  readonly strict: readonly string[];
}

/** Upstream reports no more than this. */
const MOST_STRICT_ERRORS = 100;

/**
 * Finds what strict decoding refuses in a document. Slow; only for documents known to be odd. Upstream:
 * `sigs.k8s.io/json` (UnmarshalStrict).
 *
 * @param struct The type it is decoded into; `undefined` for custom resources, whose fields are not known here.
 */
export function lookCloser(tree: JsonTree, struct: StructType | undefined): CloserLook {
  const look = new Look();
  look.value(tree, struct && { kind: "struct", struct }, "");
  return look;
}

class Look implements CloserLook {
  error: string | undefined;
  readonly strict: string[] = [];

  /** @param type `undefined` if anything is allowed. */
  value(tree: JsonTree, type: ValueType | undefined, path: string): void {
    if (type?.kind === "scalar") return this.#scalar(tree, type.scalar, path);
    if (tree.kind === "object") return this.#members(tree.members, type, path);
    if (tree.kind !== "array") return;
    const item = type?.kind === "list" ? type.item : undefined;
    for (const [i, each] of tree.items.entries()) this.value(each, item, `${path}[${i}]`);
  }

  #members(members: ReadonlyArray<readonly [string, JsonTree]>, type: ValueType | undefined, path: string): void {
    const struct = type?.kind === "struct" ? type.struct : undefined;
    const seen = new Set<string>();
    for (const [name, value] of members) {
      const at = path === "" ? name : `${path}.${name}`;
      const field = struct?.fields.get(name);
      const isKnown = !struct || field !== undefined || (path === "" && ["apiVersion", "kind"].includes(name));
      if (seen.has(name)) { if (isKnown) this.#note("duplicate", at); }
      else if (!isKnown) this.#note("unknown", at);
      seen.add(name);
      if (!struct || field) this.value(value, field ? field.type : type?.kind === "map" ? type.item : undefined, at);
    }
  }

  /** Whether a number is written as an integer can only be told from its text. */
  #scalar(tree: JsonTree, scalar: string, path: string): void {
    const isInteger = scalar === "int32" || scalar === "int64" || scalar === "intOrString";
    if (!isInteger || tree.kind !== "number" || /^-?\d+$/.test(tree.text)) return;
    this.error ??= `${path}: must be an integer, not ${tree.text}`;
  }

  #note(what: "duplicate" | "unknown", path: string): void {
    if (this.strict.length < MOST_STRICT_ERRORS) this.strict.push(`${what} field ${goQuote(path)}`);
  }
}
