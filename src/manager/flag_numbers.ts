/** Numbers on the command line, read and formatted like Go's `strconv`. */

const DIGITS = /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/;
const INFINITY = /^([+-]?)inf(?:inity)?$/i;
const DECIMAL = /^[+-]?(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/i;
const HEXADECIMAL = /^([+-]?)0x_?([\da-f_]*)(?:\.([\da-f_]*))?p([+-]?\d+)$/i;
/** The largest 32-bit float. */
const MAX_FLOAT32 = 3.4028234663852886e38;

/** Parses an integer with or without a base prefix, like `ParseInt` with base 0; `undefined` for anything else. */
export function readInteger(text: string): bigint | undefined {
  const [, sign, digits] = DIGITS.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits.replaceAll("_", "").replace(/^0(?=[0-7])/, "0o"));
  return sign === "-" ? -value : value;
}

/** Why `text` is not an integer of `bits` bits. */
export function integerObjection(text: string, bits: 32 | 64): string | undefined {
  const what = `strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  const value = readInteger(text);
  if (value === undefined) return `${what}: invalid syntax`;
  return BigInt.asIntN(bits, value) === value ? undefined : `${what}: value out of range`;
}

/** Why `text` is not a non-negative 31-bit decimal integer. */
export function levelObjection(text: string): string | undefined {
  const what = `strconv.ParseUint: parsing ${JSON.stringify(text)}`;
  if (!/^\d+$/.test(text)) return `${what}: invalid syntax`;
  return Number(text) < 2 ** 31 ? undefined : `${what}: value out of range`;
}

/**
 * Parses a number like `ParseFloat`; `undefined` for anything else. For 32 bits, returns the shortest number that
 * rounds to the same value: 0.1, not 0.10000000149011612.
 */
export function readFloat(text: string, bits: 32 | 64): number | undefined {
  const value = anyFloat(text);
  if (value === undefined || !Number.isFinite(value)) return value;
  const rounded = roundedTo(value, bits);
  return Number(rounded.toPrecision(precisionOf(rounded, bits)));
}

function anyFloat(text: string): number | undefined {
  if (/^nan$/i.test(text)) return NaN;
  const [, sign] = INFINITY.exec(text) ?? [];
  if (sign !== undefined) return sign === "-" ? -Infinity : Infinity;
  if (DECIMAL.test(text)) return Number(text.replaceAll("_", ""));
  const [, minus, whole, fraction = "", exponent] = HEXADECIMAL.exec(text)?.map((part) => part ?? "") ?? [];
  const digits = `${whole}${fraction}`.replaceAll("_", "");
  if (whole === undefined || digits === "") return undefined;
  const value = Number(`0x${digits}`) * 2 ** (Number(exponent) - 4 * fraction.replaceAll("_", "").length);
  return minus === "-" ? -value : value;
}

/** Why `text` is not a float of `bits` bits. */
export function floatObjection(text: string, bits: 32 | 64): string | undefined {
  const what = `strconv.ParseFloat: parsing ${JSON.stringify(text)}`;
  const value = anyFloat(text);
  if (value === undefined) return `${what}: invalid syntax`;
  const isTooLarge = Math.abs(value) > (bits === 32 ? MAX_FLOAT32 : Number.MAX_VALUE) && !INFINITY.test(text);
  return isTooLarge ? `${what}: value out of range` : undefined;
}

/** Formats a number like `FormatFloat` in its shortest form, with an exponent from a million up. */
export function floatText(value: number, bits: 32 | 64): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const rounded = roundedTo(value, bits);
  const precision = precisionOf(rounded, bits);
  const [digits, power] = rounded.toExponential(precision - 1).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return rounded.toFixed(Math.max(0, precision - 1 - exponent));
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function roundedTo(value: number, bits: 32 | 64): number {
  return bits === 32 ? Math.fround(value) : value;
}

/** How many digits identify a float of `bits` bits. */
function precisionOf(rounded: number, bits: 32 | 64): number {
  let precision = 1;
  while (precision < 17 && roundedTo(Number(rounded.toPrecision(precision)), bits) !== rounded) precision++;
  return precision;
}
