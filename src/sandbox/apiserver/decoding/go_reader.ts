import { goQuote } from "../../../base/mod.ts";
import { parseTime, Quantity } from "../../../api/mod.ts";
import { type GoName, goNamesOf, type ScalarType, type StructType, type ValueType } from "../schema/mod.ts";
import { problemOf } from "../validation/mod.ts";
import { base64Error } from "../base/mod.ts";
import type { JsonTree } from "./json_tree.ts";

/** What Go finds when it reads a document into a struct. */
export interface GoFindings {
  /** Why it cannot be read; `undefined` if it can. */
  readonly error?: string;
  /** Unknown fields and members that come twice, in the order of the document: `unknown field "spec.foo"`. */
  readonly strict: readonly string[];
}

/** Upstream stops counting here. */
const MOST_STRICT_ERRORS = 100;

/**
 * Reads a document as Go would, to learn in Go's words what is wrong with it. Slow; for documents that are known to be wrong.
 * Upstream: `sigs.k8s.io/json` (UnmarshalStrict).
 *
 * @param struct What to read it into; `undefined` for custom resources, whose fields are not known here.
 */
export function readAsGo(tree: JsonTree, struct: StructType | undefined): GoFindings {
  const reader = new GoReader();
  try {
    if (struct) reader.readStruct(tree, struct, { struct: "", fields: [] }, "");
    else reader.readAnything(tree, "");
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { error: error.message, strict: [] };
  }
  return { error: reader.error, strict: reader.strict };
}

/** Why a value that stands alone cannot be read as a scalar; `undefined` if it can. */
export function scalarErrorAsGo(tree: JsonTree, scalar: ScalarType): string | undefined {
  const reader = new GoReader();
  try {
    reader.readScalar(tree, scalar, scalar, { struct: "", fields: [] });
    return reader.error;
  } catch (error) {
    if (error instanceof Stopped) return error.message;
    throw error;
  }
}

/** A type's own reading has failed: nothing after it is looked at. */
class Stopped extends Error {}

/** Where Go's messages say that it is: the innermost struct, and the fields that lead there from the outermost. */
interface Place {
  readonly struct: string;
  readonly fields: readonly string[];
}

class GoReader {
  /** The first mismatch of types. */
  error: string | undefined;
  readonly strict: string[] = [];

  readStruct(tree: JsonTree, struct: StructType, place: Place, path: string): void {
    if (tree.kind === "null") return;
    if (tree.kind !== "object") return this.#mismatch(tree.kind, shortNameOf(struct), place);
    const names = goNamesOf(struct);
    const seen = new Set<string>();
    const structName = struct.name.split(".").at(-1)!;
    for (const [name, value] of tree.members) {
      const at = path === "" ? name : `${path}.${name}`;
      const field = struct.fields.get(name);
      if (seen.has(name)) {
        if (field || isTypeMeta(name)) this.#note("duplicate", at);
      } else if (!field && !(path === "" && isTypeMeta(name))) this.#note("unknown", at);
      seen.add(name);
      const known = names.get(name);
      if (!field || !known) continue;
      const inner = { struct: structName, fields: [...place.fields, ...known.embedded, name] };
      this.#readValue(value, field.type, known, inner, at);
    }
  }

  /** Nothing is known of the type: only what comes twice is wrong. */
  readAnything(tree: JsonTree, path: string): void {
    if (tree.kind === "array") tree.items.forEach((item, i) => this.readAnything(item, `${path}[${i}]`));
    if (tree.kind !== "object") return;
    const seen = new Set<string>();
    for (const [name, value] of tree.members) {
      const at = path === "" ? name : `${path}.${name}`;
      if (seen.has(name)) this.#note("duplicate", at);
      seen.add(name);
      this.readAnything(value, at);
    }
  }

  #readValue(
    tree: JsonTree,
    type: ValueType,
    { type: goType }: Pick<GoName, "type">,
    place: Place,
    path: string,
  ): void {
    if (tree.kind === "null") return;
    switch (type.kind) {
      case "struct":
        return this.readStruct(tree, type.struct, place, path);
      case "list": {
        if (tree.kind !== "array") return this.#mismatch(tree.kind, goType, place);
        const item = { type: goType.replace(/^\[\]\*?/, "") };
        return tree.items.forEach((each, i) => this.#readValue(each, type.item, item, place, `${path}[${i}]`));
      }
      case "map":
        return this.#readMap(tree, type.item, goType, place, path);
      case "scalar":
        return this.readScalar(tree, type.scalar, goType, place);
    }
  }

  #readMap(tree: JsonTree, item: ValueType, goType: string, place: Place, path: string): void {
    if (tree.kind !== "object") return this.#mismatch(tree.kind, goType, place);
    const seen = new Set<string>();
    const itemType = { type: goType.replace(/^map\[[^\]]*\]/, "") };
    for (const [key, value] of tree.members) {
      if (seen.has(key)) this.#note("duplicate", `${path}.${key}`);
      seen.add(key);
      this.#readValue(value, item, itemType, place, `${path}.${key}`);
    }
  }

  readScalar(tree: JsonTree, scalar: ScalarType, goType: string, place: Place): void {
    switch (scalar) {
      case "string":
        if (tree.kind !== "string") this.#mismatch(tree.kind, goType, place);
        break;
      case "bytes": {
        if (tree.kind !== "string") return this.#mismatch(tree.kind, goType, place);
        const error = base64Error(tree.value);
        if (error !== undefined) this.error ??= error;
        break;
      }
      case "boolean":
        if (tree.kind !== "bool") this.#mismatch(tree.kind, goType, place);
        break;
      case "integer":
      case "number":
        this.#readNumber(tree, goType, place);
        break;
      case "intOrString":
        // Such a type reads itself, and then nothing is read after a failure.
        if (tree.kind !== "string") this.#stopping(() => this.#readNumber(tree, "int32", place));
        break;
      case "time":
      case "microTime":
        this.#stopping(() => this.#readTime(tree, scalar, place));
        break;
      case "quantity":
        this.#stopping(() => void (this.error ??= quantityError(tree)));
        break;
      case "raw":
        break;
    }
  }

  #readNumber(tree: JsonTree, goType: string, place: Place): void {
    if (tree.kind !== "number") return this.#mismatch(tree.kind, goType, place);
    if (!fits(tree.text, goType)) this.#mismatch(`number ${tree.text}`, goType, place);
  }

  #readTime(tree: JsonTree, scalar: "time" | "microTime", place: Place): void {
    if (tree.kind !== "string") return this.#mismatch(tree.kind, "string", place);
    const error = problemOf(() => parseTime(tree.value));
    if (error === undefined) return;
    const layout = scalar === "time" ? "05Z" : "05.000000Z";
    this.error ??= error.replace("05Z07:00", `${layout}07:00`);
  }

  /** Does something whose failure is the last thing that is found. */
  #stopping(read: () => void): void {
    const before = this.error;
    this.error = undefined;
    read();
    if (this.error !== undefined) throw new Stopped(this.error);
    this.error = before;
  }

  #mismatch(found: string, goType: string, { struct, fields }: Place): void {
    const where = struct === "" ? "Go value" : `Go struct field ${struct}.${fields.join(".")}`;
    this.error ??= `json: cannot unmarshal ${found} into ${where} of type ${goType}`;
  }

  #note(what: "duplicate" | "unknown", path: string): void {
    if (this.strict.length < MOST_STRICT_ERRORS) this.strict.push(`${what} field ${goQuote(path)}`);
  }
}

function isTypeMeta(name: string): boolean {
  return name === "apiVersion" || name === "kind";
}

/** `v1.PodSpec` of `core.v1.PodSpec`. */
function shortNameOf({ name }: StructType): string {
  return name.split(".").slice(-2).join(".");
}

const LIMITS: Readonly<Record<string, bigint>> = { int32: 2n ** 31n, int64: 2n ** 63n };

function fits(text: string, goType: string): boolean {
  const limit = LIMITS[goType];
  if (limit === undefined) return true;
  if (!/^-?\d+$/.test(text)) return false;
  const value = BigInt(text);
  return value < limit && value >= -limit;
}

/** Why a value is no quantity. */
function quantityError(tree: JsonTree): string | undefined {
  const text = tree.kind === "string" ? tree.value : tree.kind === "number" ? tree.text : "{}";
  return problemOf(() => Quantity.parse(text));
}
