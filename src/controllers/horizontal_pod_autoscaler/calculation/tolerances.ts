import { type HorizontalPodAutoscalerBehavior, Quantity, type QuantityValue } from "../../../api/mod.ts";

/** By how much usage may be off its target, as a fraction of it, before anything is scaled. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** The tolerances of an autoscaler: its own, else the process's. */
export function tolerancesOf(behavior: HorizontalPodAutoscalerBehavior | undefined, tolerance: number): Tolerances {
  const own = (value: QuantityValue | undefined) => value === undefined ? tolerance : Quantity.parse(value).toNumber();
  return { down: own(behavior?.scaleDown?.tolerance), up: own(behavior?.scaleUp?.tolerance) };
}

/** Whether usage is so near to its target that nothing is to be done. */
export function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}
