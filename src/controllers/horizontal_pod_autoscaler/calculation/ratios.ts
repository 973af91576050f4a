import { type HorizontalPodAutoscalerBehavior, Quantity, type QuantityValue } from "../../../api/mod.ts";

const MOST = 2 ** 31 - 1;

/** The largest Go `int64`. */
export const MOST_INT64 = 2n ** 63n - 1n;

/**
 * Converts a float to a replica count: truncated and clamped to 32 bits. (For larger ones, Go's result depends on the
 * processor.)
 */
export function toInt32(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.trunc(Math.max(-MOST - 1, Math.min(MOST, value)));
}

/** How far usage may deviate from its target, as a fraction, before anything is scaled. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** An autoscaler's tolerances: its own or, failing that, the process's. */
export function tolerancesOf(behavior: HorizontalPodAutoscalerBehavior | undefined, tolerance: number): Tolerances {
  const own = (value: QuantityValue | undefined) => value === undefined ? tolerance : approximately(value);
  return { down: own(behavior?.scaleDown?.tolerance), up: own(behavior?.scaleUp?.tolerance) };
}

const FRACTIONS: Readonly<Record<string, number>> = { m: 1e-3, u: 1e-6, n: 1e-9 };

/**
 * Upstream's approximation of a quantity by multiplication. It is not always the nearest float, which matters at the
 * exact limit of the tolerance. Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go` (AsApproximateFloat64).
 */
function approximately(value: QuantityValue): number {
  const quantity = Quantity.parse(value);
  const text = quantity.toString();
  const fraction = FRACTIONS[text.at(-1) ?? ""];
  return fraction === undefined ? quantity.toNumber() : Number(text.slice(0, -1)) * fraction;
}

/** Whether usage is so close to its target that nothing must be done. */
export function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}
