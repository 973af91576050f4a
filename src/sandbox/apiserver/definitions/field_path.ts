import type { Structural } from "../custom/mod.ts";

/** The result of following a path: the schema there, and its first field. */
export interface FieldPath {
  /** `undefined` if anything is allowed there. */
  readonly schema: Structural | undefined;
  readonly root: string;
  /** Equal for equivalent paths. */
  readonly text: string;
}

const STEP = /^(?:\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\])/s;

/**
 * Follows a path such as `.spec.color` or `.spec['color']` through a schema. Upstream:
 * `apiserver/schema/cel/validation.go` (ValidFieldPath).
 *
 * @returns `undefined` if the schema does not know the path.
 */
export function followFieldPath(
  path: string,
  schema: Structural,
  { allowsBrackets = true }: { readonly allowsBrackets?: boolean } = {},
): FieldPath | undefined {
  let at: Structural | undefined = schema;
  let root = "";
  let text = "";
  for (let rest = path; rest !== "";) {
    const [step, plain, quoted] = STEP.exec(rest) ?? [];
    if (step === undefined || (quoted !== undefined && !allowsBrackets)) return undefined;
    const name: string = plain ?? quoted.replace(/\\(.)/g, "$1");
    const isNamed: boolean = (at?.properties.size ?? 0) > 0;
    if (isNamed ? !at?.properties.has(name) : !at?.additional) return undefined;
    at = isNamed ? at?.properties.get(name) : at?.additional?.schema;
    root ||= name;
    text += isNamed ? `.${name}` : `[${name}]`;
    rest = rest.slice(step.length);
  }
  return { schema: at, root, text };
}
