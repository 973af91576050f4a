const LARGEST_INT32 = 2 ** 31 - 1;

/** The integer in `text` as Go's `strconv.Atoi` reads it; `undefined` if there is none. */
export function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** A count in an annotation, which anybody may have changed: what is no 32-bit natural number counts as 0. */
export function parseCount(text: string | undefined): number {
  const count = parseInteger(text) ?? 0;
  return count < 0 || count > LARGEST_INT32 ? 0 : count;
}
