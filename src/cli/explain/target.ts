import { FlagError } from "../../manager/mod.ts";

/** The user's target, as written. */
export interface Target {
  /** Such as `pvc` or `foos.example.com`. */
  readonly type: string;
  readonly name: string;
}

/**
 * Reads `TYPE/NAME` or `TYPE NAME`.
 *
 * @throws {FlagError} If it is neither.
 *
 * @example
 * ```ts
 * import { parseTarget } from "./target.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseTarget(["pvc/data"]), { type: "pvc", name: "data" });
 * assertEquals(parseTarget(["deploy", "web"]), { type: "deploy", name: "web" });
 * ```
 */
export function parseTarget(words: readonly string[]): Target {
  if (words.length === 0) throw new FlagError("which object? Name it as TYPE/NAME, such as namespace/x");
  const parts = words.length === 1 ? words[0].split("/") : words;
  const [type, name] = parts;
  if (parts.length !== 2 || type === "" || name === "" || parts.some((part) => part.includes("/"))) {
    throw new FlagError(`there must be one object, as TYPE/NAME or TYPE NAME, got ${JSON.stringify(words.join(" "))}`);
  }
  return { type, name };
}
