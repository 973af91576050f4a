import type { IntOrString } from "./generated_types.ts";
import { goQuote, parseInt64 } from "../base/mod.ts";

/**
 * The number that an int-or-percentage stands for: an integer as it is, a percentage of `total`.
 * Upstream: `k8s.io/apimachinery/pkg/util/intstr` (GetScaledValueFromIntOrPercent).
 *
 * @param options.roundUp Whether a fraction counts as one more, or is dropped.
 * @throws {Error} If there is no value, or a string that is not `<integer>%`; upstream's words.
 *
 * @example
 * ```ts
 * import { scaledValue } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(scaledValue("25%", 10, { roundUp: true }), 3);
 * assertEquals(scaledValue("25%", 10, { roundUp: false }), 2);
 * assertEquals(scaledValue(4, 10, { roundUp: true }), 4);
 * ```
 */
export function scaledValue(
  value: IntOrString | null | undefined,
  total: number,
  { roundUp }: { readonly roundUp: boolean },
): number {
  if (value === undefined || value === null) throw new Error("nil value for IntOrString");
  if (typeof value === "number") return value;
  if (!value.endsWith("%")) throw invalid("invalid type: string is not a percentage");
  const product = parseGoInteger(value.slice(0, -1), value) * total / 100;
  // Never -0, which is a different value to some.
  return (roundUp ? Math.ceil(product) : Math.floor(product)) + 0;
}

function parseGoInteger(digits: string, whole: string): number {
  const fail = (why: string) =>
    invalid(`invalid value ${goQuote(whole)}: strconv.Atoi: parsing ${goQuote(digits)}: ${why}`);
  if (!/^[+-]?\d+$/.test(digits)) throw fail("invalid syntax");
  const value = parseInt64(digits);
  if (value === undefined) throw fail("value out of range");
  return Number(value);
}

function invalid(why: string): Error {
  return new Error(`invalid value for IntOrString: ${why}`);
}
