import { CloudError } from "../errors.ts";

/** An invalid answer of the API. */
export class HcloudAnswerError extends CloudError {
  override readonly name = "HcloudAnswerError";
}

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** How much of an untrusted text a message may contain. */
const MAX_SHOWN = 300;
/** The longest name that is compared, written to objects of the cluster, or sent back. */
const MAX_TEXT = 4096;
/** The longest list. A page has fifty entries, and a network fewer than a thousand servers and routes. */
const MAX_LENGTH = 10_000;

/** Makes an untrusted text safe for logs, events and errors: one line, of limited length. */
export function shown(text: string): string {
  // deno-lint-ignore no-control-regex
  const line = text.slice(0, MAX_SHOWN + 1).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/**
 * Reads an answer's fields and checks their types.
 *
 * @example
 * ```ts
 * import { Answer } from "./answers.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const server = new Answer({ id: 42, name: "node-1" }, "server");
 * assertEquals([server.id("id"), server.text("name")], [42, "node-1"]);
 * assertThrows(() => server.text("status"), Error, "server.status is missing or no text");
 * ```
 */
export class Answer {
  readonly #fields: Fields;
  readonly #where: string;

  /**
   * @param where Describes it in errors.
   * @throws {HcloudAnswerError} If `value` is not an object.
   */
  constructor(value: unknown, where: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new HcloudAnswerError(`cannot use the answer of the Hetzner Cloud API: ${where} is not an object`);
    }
    this.#fields = value as Fields;
    this.#where = where;
  }

  /** Whether the field has a value other than `null`. */
  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** A safe integer. */
  integer(name: string): number {
    const value = this.#value(name);
    return Number.isSafeInteger(value) ? value as number : this.#fail(name, "no whole number");
  }

  /** An ID. */
  id(name: string): number {
    const value = this.integer(name);
    return value > 0 ? value : this.#fail(name, "no number above 0");
  }

  text(name: string): string {
    const value = this.#value(name);
    if (typeof value !== "string") return this.#fail(name, "no text");
    return value.length > MAX_TEXT ? this.#fail(name, "too long") : value;
  }

  /** A text; empty if there is none. */
  textIfAny(name: string): string {
    return this.has(name) ? this.text(name) : "";
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    return typeof value === "boolean" ? value : this.#fail(name, "neither true nor false");
  }

  object(name: string): Answer {
    return new Answer(this.#value(name), `${this.#where}.${name}`);
  }

  objectIfAny(name: string): Answer | undefined {
    return this.has(name) ? this.object(name) : undefined;
  }

  objects(name: string): Answer[] {
    return this.#list(name).map((value, i) => new Answer(value, `${this.#where}.${name}[${i}]`));
  }

  texts(name: string): string[] {
    return this.#list(name).map((value) => typeof value === "string" ? value : this.#fail(name, "no list of texts"));
  }

  ids(name: string): number[] {
    return this.#list(name).map((value) =>
      Number.isSafeInteger(value) ? value as number : this.#fail(name, "no list of numbers")
    );
  }

  /** Texts by name, such as labels. */
  record(name: string): Readonly<Record<string, string>> {
    const value = this.#value(name);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.#fail(name, "no object");
    const entries = Object.entries(value);
    if (!entries.every(([, text]) => typeof text === "string")) return this.#fail(name, "no object of texts");
    return Object.fromEntries(entries);
  }

  #list(name: string): readonly unknown[] {
    const value = this.#value(name);
    if (!Array.isArray(value)) return this.#fail(name, "no list");
    return value.length > MAX_LENGTH ? this.#fail(name, "too long") : value;
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] ?? undefined : undefined;
  }

  #fail(name: string, what: string): never {
    throw new HcloudAnswerError(
      `cannot use the answer of the Hetzner Cloud API: ${this.#where}.${name} is missing or ${what}`,
    );
  }
}
