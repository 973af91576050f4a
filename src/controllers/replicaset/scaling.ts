/** Most pods that one sync creates or deletes. */
const BURST_REPLICAS = 500;

/** What a ReplicaSet needs to come to its number of pods. */
export type Scaling =
  | { readonly action: "none" }
  | { readonly action: "create"; readonly count: number }
  | { readonly action: "delete"; readonly count: number };

/** Decides by the number of active pods; what is beyond the burst waits for the next sync. */
export function planScaling(activePods: number, replicas: number): Scaling {
  if (activePods < replicas) return { action: "create", count: Math.min(replicas - activePods, BURST_REPLICAS) };
  if (activePods > replicas) return { action: "delete", count: Math.min(activePods - replicas, BURST_REPLICAS) };
  return { action: "none" };
}
