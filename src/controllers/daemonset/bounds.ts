import { errorText } from "../../base/mod.ts";
import { type DaemonSet, scaledValue } from "../../api/mod.ts";

/** How many pods an update may add or remove at a time. */
export interface UpdateBounds {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * The bounds of an update on `desired` nodes.
 * Upstream: `pkg/controller/daemon/update.go` (updatedDesiredNodeCounts).
 *
 * @throws {Error} If one is neither a number nor a percentage.
 */
export function updateBounds(daemonSet: DaemonSet, desired: number): UpdateBounds {
  const { type, rollingUpdate } = daemonSet.spec?.updateStrategy ?? {};
  const isRolling = type === "RollingUpdate" && rollingUpdate !== undefined;
  const maxUnavailable = isRolling
    ? named("MaxUnavailable", () => scaledValue(rollingUpdate.maxUnavailable, desired, { roundUp: true }))
    : 0;
  const maxSurge = named("MaxSurge", () => surge(daemonSet, desired));
  const isStuck = desired > 0 && maxUnavailable === 0 && maxSurge === 0;
  return { maxSurge, maxUnavailable: isStuck ? 1 : maxUnavailable };
}

/** Whether a node may temporarily have two pods; `false` if the value is invalid. */
export function allowsSurge(daemonSet: DaemonSet): boolean {
  try {
    return surge(daemonSet, 1) > 0;
  } catch {
    return false;
  }
}

function surge({ spec }: DaemonSet, desired: number): number {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== "RollingUpdate" || rollingUpdate?.maxSurge === undefined) return 0;
  return scaledValue(rollingUpdate.maxSurge, desired, { roundUp: true });
}

function named(what: string, compute: () => number): number {
  try {
    return compute();
  } catch (error) {
    const message = `couldn't get unavailable numbers: invalid value for ${what}: ${errorText(error)}`;
    throw new Error(message, { cause: error });
  }
}
