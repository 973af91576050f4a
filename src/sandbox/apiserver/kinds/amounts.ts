import { Quantity, type QuantityValue } from "../../../api/mod.ts";

/** Amounts finer than a thousandth, which the API does not keep. Upstream: SetDefaults_ResourceList. */
export function roundAmounts(amounts: Record<string, QuantityValue> | undefined): void {
  for (const name in amounts) {
    const amount = amounts[name];
    if (typeof amount !== "string" || !/[nu]$/.test(amount)) continue;
    amounts[name] = Quantity.parse(amount).roundUp(-3).toString();
  }
}
