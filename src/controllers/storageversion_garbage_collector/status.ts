import {
  findCondition,
  formatTime,
  type StorageVersion,
  type StorageVersionCondition,
  type StorageVersionStatus,
} from "../../api/mod.ts";
import { withCondition } from "../running/mod.ts";

const ALL_EQUAL = "AllEncodingVersionsEqual";

/** One API server's entry for a kind. */
export type ServerEntry = NonNullable<StorageVersionStatus["storageVersions"]>[number];

/**
 * The status with the entries of just these API servers.
 * Upstream: `staging/src/k8s.io/apiserver/pkg/storageversion/updater.go` (SetCommonEncodingVersion).
 *
 * @param entries At least one.
 * @param nowMs The wall clock.
 */
export function statusWith(
  { metadata, status }: StorageVersion,
  entries: readonly ServerEntry[],
  nowMs: number,
): StorageVersionStatus {
  const [{ encodingVersion }] = entries;
  const isCommon = entries.every((entry) => entry.encodingVersion === encodingVersion);
  const conditions = withCondition<StorageVersionCondition>(status?.conditions, {
    type: ALL_EQUAL,
    status: isCommon ? "True" : "False",
    observedGeneration: metadata?.generation,
    reason: isCommon ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
    message: isCommon ? "Common encoding version set" : "Common encoding version unset",
  }, nowMs);
  const before = status?.commonEncodingVersion;
  if (isCommon && before !== undefined && before !== encodingVersion) {
    findCondition(conditions, ALL_EQUAL)!.lastTransitionTime = formatTime(nowMs);
  }
  const { commonEncodingVersion: _, ...rest } = status ?? {};
  return {
    ...rest,
    ...isCommon && { commonEncodingVersion: encodingVersion },
    storageVersions: [...entries],
    conditions,
  };
}
