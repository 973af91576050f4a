import { type HorizontalPodAutoscalerBehavior, Quantity, type QuantityValue } from "../../../api/mod.ts";

const MOST = 2 ** 31 - 1;

/** What Go's `int64` holds at most. */
export const MOST_INT64 = 2n ** 63n - 1n;

/**
 * A floating point number as a count of replicas: cut off, and as near as 32 bits allow. (What Go makes of a larger one depends
 * on the processor.)
 */
export function toInt32(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.trunc(Math.max(-MOST - 1, Math.min(MOST, value)));
}

/** By how much usage may be off its target, as a fraction of it, before anything is scaled. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** The tolerances of an autoscaler: its own, else the process's. */
export function tolerancesOf(behavior: HorizontalPodAutoscalerBehavior | undefined, tolerance: number): Tolerances {
  const own = (value: QuantityValue | undefined) => value === undefined ? tolerance : approximately(value);
  return { down: own(behavior?.scaleDown?.tolerance), up: own(behavior?.scaleUp?.tolerance) };
}

const FRACTIONS: Readonly<Record<string, number>> = { m: 1e-3, u: 1e-6, n: 1e-9 };

/**
 * What upstream makes of a quantity by a multiplication: not always the nearest number, and it decides where usage is just at the
 * end of what is tolerated. Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go` (AsApproximateFloat64).
 */
function approximately(value: QuantityValue): number {
  const quantity = Quantity.parse(value);
  const text = quantity.toString();
  const fraction = FRACTIONS[text.at(-1) ?? ""];
  return fraction === undefined ? quantity.toNumber() : Number(text.slice(0, -1)) * fraction;
}

/** Whether usage is so near to its target that nothing is to be done. */
export function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}
