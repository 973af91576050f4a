/**
 * Durations in Go's syntax, which flags, configuration files and some objects use: `1h30m`, `250ms`, `1.5s`, `-2us`.
 * Upstream: Go's `time.ParseDuration` and `Duration.String`.
 */

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** One more than Go's longest duration, about 292 years. */
const LIMIT_NS = 2n ** 63n;

/**
 * Milliseconds in a duration; finer parts are kept as a fraction.
 *
 * @throws {Error} With Go's words: `time: invalid duration "x"`, `time: missing unit in duration "1"`,
 * `time: unknown unit "d" in duration "1d"`.
 *
 * @example
 * ```ts
 * import { formatDuration, parseDuration } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseDuration("1h30m"), 5_400_000);
 * assertEquals(parseDuration("1.5us"), 0.0015);
 * assertEquals(formatDuration(5_400_000), "1h30m0s");
 * ```
 */
export function parseDuration(text: string): number {
  const fail = (what: string) => new Error(`time: ${what} ${quote(text)}`);
  const negative = text.startsWith("-");
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  if (unsigned === "0") return 0;
  if (unsigned === "") throw fail("invalid duration");
  const part = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
  let totalNs = 0n;
  while (part.lastIndex < unsigned.length) {
    const [, whole, fraction = "", unit] = part.exec(unsigned)!;
    if (whole === "" && fraction === "") throw fail("invalid duration");
    // Go looks at the size of the number before it looks at the unit.
    if (BigInt(whole || "0") > LIMIT_NS) throw fail("invalid duration");
    if (unit === "") throw fail("missing unit in duration");
    const unitNs = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
    if (unitNs === undefined) throw fail(`unknown unit ${quote(unit)} in duration`);
    totalNs += BigInt(whole || "0") * unitNs + fractionNs(fraction, unitNs);
    if (totalNs > LIMIT_NS) throw fail("invalid duration");
  }
  if (totalNs === LIMIT_NS && !negative) throw fail("invalid duration");
  // Adding 0 turns -0 into 0.
  return Number(negative ? -totalNs : totalNs) / 1e6 + 0;
}

/** In floating point as Go does it, digits that overflow 63 bits left out, so that the last nanosecond is the same. */
function fractionNs(fraction: string, unitNs: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of fraction) {
    const next = value * 10n + BigInt(digit);
    if (next > LIMIT_NS) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unitNs) / scale)));
}

/** A duration as Go prints it: `1h30m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(durationMs: number): string {
  const ns = BigInt(Math.round(Math.abs(durationMs) * 1e6));
  if (ns === 0n) return "0s";
  const sign = durationMs < 0 ? "-" : "";
  if (ns < 1_000n) return `${sign}${ns}ns`;
  if (ns < 1_000_000n) return `${sign}${decimal(ns, 3)}\u00b5s`;
  if (ns < 1_000_000_000n) return `${sign}${decimal(ns, 6)}ms`;
  const minutes = ns / NANOSECONDS.m;
  const seconds = `${decimal(ns % NANOSECONDS.m, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** `value` / 10^`places` without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/(?<!0)0+$/, "");
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}

/** Go's `time` quotes differently from `%q`: bytes beyond ASCII in hexadecimal. */
function quote(text: string): string {
  let quoted = "";
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
    else quoted += character === '"' || character === "\\" ? `\\${character}` : character;
  }
  return `"${quoted}"`;
}
