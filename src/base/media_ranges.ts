/** A part of an `Accept` header. */
export interface MediaRange {
  /** In lower case: `application/json`, `text/*`. */
  readonly type: string;
  /** Without `q`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * The parts of an `Accept` header, the preferred one first. The standard library's negotiation keeps no parameters, by which Kubernetes
 * distinguishes an object from its metadata and from a table. What is not a media type is left out.
 *
 * Upstream: `munnerz/goautoneg` (ParseAccept).
 *
 * @example
 * ```ts
 * import { mediaRanges } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const [first, second] = mediaRanges("text/plain;q=0.5, application/json;as=Table");
 * assertEquals([first.type, first.parameters.get("as"), second.type], ["application/json", "Table", "text/plain"]);
 * ```
 */
export function mediaRanges(accept: string): MediaRange[] {
  const ranges = accept.split(",").map(parseRange).filter(({ type }) => type.includes("/"));
  const isWild = ({ type }: MediaRange) => Number(type.startsWith("*"));
  return ranges.sort((a, b) => b.quality - a.quality || isWild(a) - isWild(b));
}

function parseRange(text: string): MediaRange & { readonly quality: number } {
  const [name, ...pairs] = text.split(";").map((part) => part.trim());
  const parameters = new Map(pairs.map((pair): [string, string] => {
    const [key, value = ""] = pair.split("=", 2);
    return [key.trim(), value.trim()];
  }));
  const quality = Number(parameters.get("q") ?? 1) || 0;
  parameters.delete("q");
  return { type: name === "*" ? "*/*" : name.toLowerCase(), parameters, quality };
}

/**
 * Whether an `Accept` header names this very form: a media type with its parameters.
 *
 * @example
 * ```ts
 * import { acceptsForm } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const forms = ["application/json;as=Table", "application/json;as=List"];
 * assertEquals(forms.map((form) => acceptsForm("application/json;v=v1;as=Table", form)), [true, false]);
 * ```
 */
export function acceptsForm(accept: string, form: string): boolean {
  const [wanted] = mediaRanges(form);
  return mediaRanges(accept).some(({ type, parameters }) =>
    type === wanted.type && [...wanted.parameters].every(([key, value]) => parameters.get(key) === value)
  );
}
