/** The text of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Anything that was thrown as an error: itself, or one with its text. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
