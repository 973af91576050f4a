import { Quantity, type QuantityValue } from "../api/mod.ts";
import { compareUtf8 } from "../base/mod.ts";

/**
 * Amounts by resource name: the contents of `requests`, `hard` or `used`, as numbers. Upstream: `v1.ResourceList` with
 * the functions of `apiserver/pkg/quota/v1/resources.go`.
 */
export type Amounts = ReadonlyMap<string, Quantity>;

/**
 * Reads the amounts that a field of an object states.
 *
 * @throws {QuantityError} If one of them is not a quantity.
 *
 * @example
 * ```ts
 * import { addAmounts, amountsText, parseAmounts } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * const web = parseAmounts({ cpu: "500m", memory: "1Gi" });
 * assertEquals(amountsText(addAmounts(web, parseAmounts({ cpu: 1 }))), "cpu=1500m,memory=1Gi");
 * ```
 */
export function parseAmounts(list: Readonly<Record<string, QuantityValue>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, value]) => [name, Quantity.parse(value)]));
}

/** The amounts as a field of an object holds them, in the order of names. */
export function formatAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(sorted(amounts).map(([name, amount]) => [name, amount.toString()]));
}

/** `cpu=1,pods=3`, in the order of names, as quota's messages show amounts. */
export function amountsText(amounts: Amounts): string {
  return sorted(amounts).map(([name, amount]) => `${name}=${amount}`).join(",");
}

function sorted(amounts: Amounts): [string, Quantity][] {
  return [...amounts].sort(([a], [b]) => compareUtf8(a, b));
}

/** The sum, over the resources of either. */
export function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum = new Map(left);
  for (const [name, amount] of right) sum.set(name, sum.get(name)?.add(amount) ?? amount);
  return sum;
}

/** The larger amount of each, over the resources of either. */
export function maxAmounts(left: Amounts, right: Amounts): Amounts {
  const largest = new Map(left);
  for (const [name, amount] of right) {
    const other = largest.get(name);
    if (!other || amount.compare(other) > 0) largest.set(name, amount);
  }
  return largest;
}

/** By how much each amount in `left` exceeds that in `right`; zero if it does not. */
export function excessAmounts(left: Amounts, right: Amounts): Amounts {
  const excess = new Map<string, Quantity>();
  for (const [name, amount] of left) {
    const rest = right.has(name) ? amount.sub(right.get(name)!) : amount;
    excess.set(name, rest.sign > 0 ? rest : Quantity.ZERO);
  }
  for (const name of right.keys()) if (!left.has(name)) excess.set(name, Quantity.ZERO);
  return excess;
}

/** Only the amounts whose names `keep` accepts. */
export function filterAmounts(amounts: Amounts, keep: (name: string, amount: Quantity) => boolean): Amounts {
  return new Map([...amounts].filter(([name, amount]) => keep(name, amount)));
}

/** Whether both have the same resources in the same amounts. */
export function sameAmounts(left: Amounts, right: Amounts): boolean {
  return left.size === right.size && [...left].every(([name, amount]) => right.get(name)?.equals(amount));
}
