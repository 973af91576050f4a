import { fnv1_32 } from "../../base/mod.ts";
import { safeEncode } from "../../api/mod.ts";
import type { RevisionData } from "./revision_data.ts";

/** Leaves room in a name of 253 bytes for a dash and a hash. */
const LONGEST_PREFIX = 223;
const encoder = new TextEncoder();

/**
 * The hash that names a StatefulSet's revision. (A DaemonSet's is the hash of its pod template.)
 * Upstream: `pkg/controller/history` (HashControllerRevision).
 *
 * @param collisionCount How many names were taken by other data before.
 */
export function revisionHash({ text }: RevisionData, collisionCount: number): string {
  return safeEncode(String(fnv1_32(encoder.encode(`${text}${collisionCount}`))));
}

/** The name of the revision with this hash. */
export function revisionName(parentName: string, hash: string): string {
  return `${parentName.slice(0, LONGEST_PREFIX)}-${hash}`;
}
