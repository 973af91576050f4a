/** Values that are written once, wherever they stand. */
import { createHash } from "node:crypto";
import { isContainer, stringifyJson } from "../../src/base/mod.ts";

/** A value, and what stands for it. */
export interface Part {
  readonly part: string;
  readonly value: unknown;
}

/** Shorter ones are not worth a name. */
const SHORTEST = 100;

/** The parts of some values: what stands in more than one place. */
export class Parts {
  /** In how many places a value stands that is longer than {@link SHORTEST}, by its text. */
  readonly #places = new Map<string, number>();
  readonly #parts = new Map<string, Part>();

  constructor(values: readonly unknown[]) {
    for (const value of values) this.#count(value);
  }

  /** `value` with names for its parts. */
  without(value: unknown): unknown {
    if (!isContainer(value)) return value;
    const text = stringifyJson(value);
    if ((this.#places.get(text) ?? 0) < 2) return mapped(value, (each) => this.without(each));
    const part = `<part ${createHash("sha256").update(text).digest("hex").slice(0, 12)}>`;
    if (!this.#parts.has(part)) this.#parts.set(part, { part, value: mapped(value, (each) => this.without(each)) });
    return part;
  }

  /** Those that values were given for, in the order of their names. */
  all(): readonly Part[] {
    return [...this.#parts.values()].sort((a, b) => a.part < b.part ? -1 : 1);
  }

  /** What is in a value that was met before stands in no further place. */
  #count(value: unknown): void {
    if (!isContainer(value)) return;
    const text = stringifyJson(value);
    if (text.length < SHORTEST) return;
    const places = this.#places.get(text) ?? 0;
    this.#places.set(text, places + 1);
    if (places === 0) mapped(value, (each) => this.#count(each));
  }
}

/** `value` with its parts in their places. */
export function withParts(value: unknown, parts: ReadonlyMap<string, unknown>): unknown {
  if (isContainer(value)) return mapped(value, (each) => withParts(each, parts));
  return typeof value === "string" && parts.has(value) ? withParts(parts.get(value), parts) : value;
}

function mapped(value: object, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, map(each)]));
}
