import { parseTime, Quantity, type QuantityValue, type Time } from "../../../api/mod.ts";
import { errorText } from "../../running/mod.ts";

/** A figure in thousandths; what 64 bits do not hold becomes what upstream makes of it. */
export function milliOf(value: QuantityValue | undefined): bigint {
  return Quantity.parse(value).milliInt64();
}

/** When a figure was taken; long ago if it does not say. */
export function takenMs(timestamp: Time | null | undefined): number {
  return timestamp ? parseTime(timestamp) : 0;
}

/** One segment of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}

/** Asks one of the APIs; a failure says which. */
export async function fetched<T>(api: "resource" | "custom" | "external", ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${errorText(error)}`, { cause: error });
  }
}

/** @throws {Error} If the API has nothing to say. */
export function someOf<T>(api: "resource" | "custom" | "external", items: readonly T[] | undefined): readonly T[] {
  if (!items?.length) throw new Error(`no metrics returned from ${api} metrics API`);
  return items;
}
