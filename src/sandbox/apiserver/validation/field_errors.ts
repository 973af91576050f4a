import type { StatusCause } from "../../../api/mod.ts";
import { goQuote, isRawNumber } from "../../../base/mod.ts";

export { goQuote as quote };

const LONGEST_SHOWN = 100;

/** Collects validation errors, in upstream's wording. Upstream: `k8s.io/apimachinery/pkg/util/validation/field`. */
export class FieldErrors {
  readonly causes: StatusCause[] = [];
  readonly #shown = new WeakMap<object, string>();

  /** The number of errors so far; compare it before and after to know whether a part is valid. */
  get count(): number {
    return this.causes.length;
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, "Invalid value", this.#show(value), detail);
  }

  /** Adds one error for each of `problems`. */
  invalidFor(field: string, value: unknown, problems: readonly string[]): void {
    for (const problem of problems) this.invalid(field, value, problem);
  }

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, "Required value", detail);
  }

  forbidden(field: string, detail: string): void {
    this.#add("FieldValueForbidden", field, "Forbidden", detail);
  }

  duplicate(field: string, value: unknown): void {
    this.#add("FieldValueDuplicate", field, "Duplicate value", this.#show(value));
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    this.#add("FieldValueNotSupported", field, "Unsupported value", this.#show(value), this.#list(supported));
  }

  notFound(field: string, value: unknown, detail = ""): void {
    this.#add("FieldValueNotFound", field, "Not found", this.#show(value), detail);
  }

  tooLong(field: string, limitBytes: number): void {
    this.#add("FieldValueTooLong", field, "Too long", `may not be more than ${counted(limitBytes, "byte")}`);
  }

  tooMany(field: string, count: number, limit: number): void {
    this.#add("FieldValueTooMany", field, "Too many", `${count}`, `must have at most ${counted(limit, "item")}`);
  }

  typeInvalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueTypeInvalid", field, "Invalid value", this.#show(value), detail);
  }

  /** Drops errors since `count`. */
  forgetSince(count: number): void {
    this.causes.length = count;
  }

  #show(value: unknown): string {
    return typeof value === "object" && value !== null ? this.#once(value, () => show(value)) : show(value);
  }

  #list(supported: readonly string[]): string {
    if (supported.length === 0) return "";
    return this.#once(supported, () => `supported values: ${supported.map(goQuote).join(", ")}`);
  }

  /** The text of a list or object. Made once, since the errors of all items may show the whole. */
  #once(value: object, make: () => string): string {
    let text = this.#shown.get(value);
    if (text === undefined) this.#shown.set(value, text = make());
    return text;
  }

  #add(reason: string, field: string, ...parts: readonly string[]): void {
    this.causes.push({ reason, message: parts.filter((part) => part !== "").join(": "), field });
  }
}

/** `1 item`, `2 items`. */
function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Long values would hide the message and are left out; the field says where to look. */
function show(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (value === undefined || value === null) return "null";
  if (isRawNumber(value)) return value.rawJSON;
  if (typeof value !== "object") return String(value);
  const text = goJson(value);
  return text.length <= LONGEST_SHOWN ? text : "";
}

/** JSON as Go writes it, with `<`, `>` and `&` escaped; with `indent`, one field per line. */
export function goJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
