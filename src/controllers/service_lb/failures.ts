import { errorText } from "../../base/mod.ts";

/** How much of a cloud's error events and logs show. */
const LONGEST_TEXT = 1_000;

/** The truncated text of a cloud's error. */
export function cloudText(error: unknown): string {
  const text = errorText(error);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/** An error that says what failed. It keeps its cause, which may say when to retry. */
export function failedTo(what: string, cause: unknown): Error {
  return new Error(`failed to ${what}: ${cloudText(cause)}`, { cause });
}
