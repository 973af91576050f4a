import type { Allocation } from "./allocations.ts";

/** How many endpoints zones give away and get. */
export interface Redistribution {
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

/**
 * Computes how many endpoints each zone gives to which other zones, until another one would not help much.
 * Upstream: `k8s.io/endpointslice/topologycache/utils.go` (getGivingAndReceivingZones).
 *
 * @param counts Endpoints hinted to each zone.
 */
export function redistribute(
  zones: ReadonlyMap<string, Allocation>,
  counts: ReadonlyMap<string, number>,
): Redistribution {
  const [surplus, deficit] = [new Map<string, number>(), new Map<string, number>()];
  for (const [zone, { desired }] of zones) {
    const count = counts.get(zone) ?? 0;
    if (count > desired) surplus.set(zone, count - desired);
    else if (count < desired) deficit.set(zone, desired - count);
  }
  const [giving, receiving] = [new Map<string, number>(), new Map<string, number>()];
  for (;;) {
    const [giver, toGive] = most(surplus);
    const [receiver, toReceive] = most(deficit);
    if (!giver || !receiver || (toGive < 1 && toReceive < 1) || toGive < 0.5 || toReceive < 0.5) break;
    addTo(giving, giver, 1);
    addTo(surplus, giver, -1);
    addTo(receiving, receiver, 1);
    addTo(deficit, receiver, -1);
  }
  return { giving, receiving };
}

/** Adds to a zone's number. */
export function addTo(numbers: Map<string, number>, zone: string, amount: number): void {
  numbers.set(zone, (numbers.get(zone) ?? 0) + amount);
}

function most(numbers: ReadonlyMap<string, number>): readonly [zone: string, number: number] {
  let best: readonly [string, number] = ["", 0];
  for (const entry of numbers) if (entry[1] > best[1]) best = entry;
  return best;
}
