import { errorText } from "../../base/mod.ts";

/** Characters of a cloud's error that events and logs take. */
const LONGEST_TEXT = 1_000;

/** What a cloud says of an error, however much it says. */
export function cloudText(error: unknown): string {
  const text = errorText(error);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/** An error that says what was tried. It keeps its cause, which may say when to try again. */
export function failedTo(what: string, cause: unknown): Error {
  return new Error(`failed to ${what}: ${cloudText(cause)}`, { cause });
}
