interface RawJsonSupport {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

/** A number kept as its JSON text. */
export type RawNumber = { readonly rawJSON: string };

const raw = JSON as unknown as RawJsonSupport;

/** A number kept as its text. */
export function rawNumber(text: string): RawNumber {
  return raw.rawJSON(text);
}

/** Whether `value` is an integer kept as text by `parseJson`. */
export function isRawNumber(value: unknown): value is RawNumber {
  return raw.isRawJSON(value);
}

/** The JSON text of a number of any size from `parseJson`. */
export function numberText(value: number | RawNumber): string {
  return typeof value === "number" ? String(value) : value.rawJSON;
}

/** Whether `value` is an object or array, and not a raw number. */
export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !raw.isRawJSON(value);
}
