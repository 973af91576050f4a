/** Numbers on a command line, as Go's `strconv` reads and shows them. */

const DIGITS = /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/;
const INFINITY = /^([+-]?)inf(?:inity)?$/i;
const DECIMAL = /^[+-]?(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/i;
const HEXADECIMAL = /^([+-]?)0x_?([\da-f_]*)(?:\.([\da-f_]*))?p([+-]?\d+)$/i;
/** The largest number of 32 bits. */
const MAX_FLOAT32 = 3.4028234663852886e38;

/** A whole number with or without a base's prefix, as `ParseInt` takes it with base 0; `undefined` for anything else. */
export function readInteger(text: string): bigint | undefined {
  const [, sign, digits] = DIGITS.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits.replaceAll("_", "").replace(/^0(?=[0-7])/, "0o"));
  return sign === "-" ? -value : value;
}

/** Why `text` is not a whole number of so many bits. */
export function integerObjection(text: string, bits: 32 | 64): string | undefined {
  const what = `strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  const value = readInteger(text);
  if (value === undefined) return `${what}: invalid syntax`;
  return BigInt.asIntN(bits, value) === value ? undefined : `${what}: value out of range`;
}

/** Why `text` is not a whole number from 0 on, of 31 bits and written in ten digits. */
export function levelObjection(text: string): string | undefined {
  const what = `strconv.ParseUint: parsing ${JSON.stringify(text)}`;
  if (!/^\d+$/.test(text)) return `${what}: invalid syntax`;
  return Number(text) < 2 ** 31 ? undefined : `${what}: value out of range`;
}

/**
 * A number as `ParseFloat` takes it; `undefined` for anything else. Of 32 bits it is the shortest that rounds to the same, as
 * JSON and people write it: 0.1, not 0.10000000149011612.
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

/** Why `text` is not a number of so many bits. */
export function floatObjection(text: string, bits: 32 | 64): string | undefined {
  const what = `strconv.ParseFloat: parsing ${JSON.stringify(text)}`;
  const value = anyFloat(text);
  if (value === undefined) return `${what}: invalid syntax`;
  const isTooLarge = Math.abs(value) > (bits === 32 ? MAX_FLOAT32 : Number.MAX_VALUE) && !INFINITY.test(text);
  return isTooLarge ? `${what}: value out of range` : undefined;
}

/** As `FormatFloat` shows a number in its shortest form: with an exponent from a million on. */
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

/** How many digits tell a number of so many bits from every other. */
function precisionOf(rounded: number, bits: 32 | 64): number {
  let precision = 1;
  while (precision < 17 && roundedTo(Number(rounded.toPrecision(precision)), bits) !== rounded) precision++;
  return precision;
}
