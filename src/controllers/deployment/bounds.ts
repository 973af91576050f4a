import { type Deployment, type IntOrString, scaledValue } from "../../api/mod.ts";

/** The number that upstream's users set for "no limit". */
const MAX_INT32 = 2 ** 31 - 1;

/** How many pods a Deployment wants; 1 is the API server's default. */
export function desiredReplicas(deployment: Deployment): number {
  return deployment.spec?.replicas ?? 1;
}

export function isRollingUpdate(deployment: Deployment): boolean {
  return deployment.spec?.strategy?.type === "RollingUpdate";
}

/** The deadline for progress in seconds, if one is set. */
export function progressDeadlineSeconds(deployment: Deployment): number | undefined {
  return limited(deployment.spec?.progressDeadlineSeconds);
}

/** How many old ReplicaSets are kept, if there is a limit. */
export function revisionHistoryLimit(deployment: Deployment): number | undefined {
  return limited(deployment.spec?.revisionHistoryLimit);
}

/**
 * How many pods a rolling update may add, and how many may be unavailable. Both 0 would block it, so one pod may be
 * unavailable then. Upstream: `pkg/controller/deployment/util` (ResolveFenceposts).
 *
 * @throws {Error} If one is neither a number nor a percentage.
 *
 * @example
 * ```ts
 * import { resolveBounds } from "./bounds.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(resolveBounds("25%", "25%", 10), { surge: 3, unavailable: 2 });
 * assertEquals(resolveBounds(0, 0, 10), { surge: 0, unavailable: 1 });
 * ```
 */
export function resolveBounds(
  maxSurge: IntOrString | undefined,
  maxUnavailable: IntOrString | undefined,
  replicas: number,
): { readonly surge: number; readonly unavailable: number } {
  const surge = scaledValue(maxSurge ?? 0, replicas, { roundUp: true });
  const unavailable = scaledValue(maxUnavailable ?? 0, replicas, { roundUp: false });
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** How many pods may exceed the wanted number; 0 unless it is a rolling update, or if the value is invalid. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? lenientBounds(deployment).surge : 0;
}

/** How many pods may be unavailable; 0 unless it is a rolling update, or if the value is invalid. */
export function maxUnavailable(deployment: Deployment): number {
  if (!isRollingUpdate(deployment)) return 0;
  return Math.min(lenientBounds(deployment).unavailable, desiredReplicas(deployment));
}

/** How many pods must be available. */
export function minAvailable(deployment: Deployment): number {
  return desiredReplicas(deployment) - maxUnavailable(deployment);
}

/** How many pods there may be, for the annotation for proportional scaling. */
export function maxReplicas(deployment: Deployment): number {
  return desiredReplicas(deployment) + maxSurge(deployment);
}

function lenientBounds(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const rolling = deployment.spec?.strategy?.rollingUpdate;
  try {
    return resolveBounds(rolling?.maxSurge, rolling?.maxUnavailable, desiredReplicas(deployment));
  } catch {
    return { surge: 0, unavailable: 0 }; // validation refuses such values; this is upstream's fallback
  }
}

function limited(value: number | undefined): number | undefined {
  return value === MAX_INT32 ? undefined : value;
}
