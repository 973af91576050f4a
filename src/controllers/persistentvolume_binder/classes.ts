import { parseTime, type PersistentVolumeClaim, type StorageClass } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";

const DEFAULT_ANNOTATIONS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/**
 * The class that claims without one get: of several the youngest, and of those the first by name.
 * Upstream: `pkg/volume/util/storageclass.go` (GetDefaultClass).
 */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const [first] = classes
    .filter(({ metadata }) => DEFAULT_ANNOTATIONS.some((name) => metadata?.annotations?.[name] === "true"))
    .sort((a, b) => bornMs(b) - bornMs(a) || (nameOf(a) < nameOf(b) ? -1 : 1));
  return first;
}

function nameOf({ metadata }: StorageClass): string {
  return metadata?.name ?? "";
}

/** A class without a time sorts as the oldest. */
function bornMs({ metadata }: StorageClass): number {
  const time = metadata?.creationTimestamp;
  return time ? parseTime(time) : -Infinity;
}

/**
 * Whether a claim's volume waits for its first pod to be scheduled. A missing class delays nothing.
 *
 * @throws {Error} If the class does not say.
 */
export function isBindingDelayed(
  claim: PersistentVolumeClaim,
  classes: Pick<Lister<StorageClass>, "get">,
): boolean {
  const name = storageClassOf(claim);
  const found = name ? classes.get(undefined, name) : undefined;
  if (!found) return false;
  if (found.volumeBindingMode === undefined) {
    throw new Error(`VolumeBindingMode not set for StorageClass ${JSON.stringify(name)}`);
  }
  return found.volumeBindingMode === "WaitForFirstConsumer";
}
