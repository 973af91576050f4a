import type { StatusCause } from "../../../api/mod.ts";

/** Collects what validation finds, in upstream's words. Upstream: `k8s.io/apimachinery/pkg/util/validation/field`. */
export class FieldErrors {
  readonly causes: StatusCause[] = [];

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, `Invalid value: ${show(value)}: ${detail}`);
  }

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, `Required value${detail ? `: ${detail}` : ""}`);
  }

  forbidden(field: string, detail: string): void {
    this.#add("FieldValueForbidden", field, `Forbidden: ${detail}`);
  }

  duplicate(field: string, value: unknown): void {
    this.#add("FieldValueDuplicate", field, `Duplicate value: ${show(value)}`);
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    const list = supported.map((text) => JSON.stringify(text)).join(", ");
    this.#add("FieldValueNotSupported", field, `Unsupported value: ${show(value)}: supported values: ${list}`);
  }

  notFound(field: string, value: unknown): void {
    this.#add("FieldValueNotFound", field, `Not found: ${show(value)}`);
  }

  tooLong(field: string, limitBytes: number): void {
    this.#add("FieldValueTooLong", field, `Too long: may not be more than ${limitBytes} bytes`);
  }

  tooMany(field: string, count: number, limit: number): void {
    this.#add("FieldValueTooMany", field, `Too many: ${count}: must have at most ${limit} items`);
  }

  #add(reason: string, field: string, message: string): void {
    this.causes.push({ reason, message, field });
  }
}

function show(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(value);
}
