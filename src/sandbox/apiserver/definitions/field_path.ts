import type { Structural } from "../custom/mod.ts";

/** The result of following a path: the schema there, and its first field. */
export interface FieldPath {
  /** `undefined` if anything is allowed there. */
  readonly schema: Structural | undefined;
  readonly root: string;
  /** Equal for equivalent paths. */
  readonly text: string;
}

/**
 * Follows a path such as `.spec.color` or `.spec['color']` through a schema. Upstream:
 * `apiserver/schema/cel/validation.go` (ValidFieldPath).
 *
 * @throws {Error} In upstream's wording, if the schema does not know the path.
 */
export function followFieldPath(
  path: string,
  schema: Structural,
  { allowsBrackets = true }: { readonly allowsBrackets?: boolean } = {},
): FieldPath {
  const tokens = path.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/g) ?? [];
  const next = () => {
    const token = tokens.shift();
    if (token === undefined) throw new Error("unexpected end of JSON path");
    return token;
  };
  let at: Structural | undefined = schema;
  let root = "";
  let text = "";
  while (tokens.length > 0) {
    const token = next();
    if (token !== "." && token !== "[") throw new Error(`expected [ or . but got: ${token}`);
    if (token === "[" && !allowsBrackets) throw new Error("array notation is not allowed");
    const name = token === "." ? next() : unquoted(next());
    const { found, isNamed } = stepInto(at, name);
    at = found;
    root ||= name;
    text += isNamed ? `.${name}` : `[${name}]`;
    if (token === "[") {
      const end = next();
      if (end !== "]") throw new Error(`expected ] but got ${end}`);
    }
  }
  return { schema: at, root, text };
}

function unquoted(token: string): string {
  if (!/^'.*'$/s.test(token)) throw new Error(`expected single quoted string but got ${token}`);
  return token.slice(1, -1).replace(/\\(.)/g, "$1");
}

function stepInto(schema: Structural | undefined, name: string) {
  const isNamed = (schema?.properties.size ?? 0) > 0;
  const found = isNamed ? schema?.properties.get(name) : schema?.additional?.schema;
  if (isNamed ? !found : !schema?.additional) throw new Error("does not refer to a valid field");
  return { found, isNamed };
}
