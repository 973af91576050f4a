/** Go's spellings of true and false. */
const TRUTHS: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

/**
 * A boolean as Go reads it (`strconv.ParseBool`).
 *
 * @throws {Error} In Go's words.
 */
export function parseBoolean(text: string): boolean {
  if (Object.hasOwn(TRUTHS, text)) return TRUTHS[text];
  throw new Error(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/**
 * An integer as Go reads it (`strconv.Atoi`), limited to safe integers.
 *
 * @throws {Error} In Go's words.
 */
export function parseInteger(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value + 0;
  throw new Error(`strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`);
}
