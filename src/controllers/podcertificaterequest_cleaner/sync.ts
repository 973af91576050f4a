import { parseTime, type PodCertificateRequest } from "../../api/mod.ts";

/** Issuing a pod's certificate is expected to take less time. */
const THRESHOLD_MS = 15 * 60_000;

/** Whether a request is old enough to delete, whatever its outcome. */
export function isOld({ metadata }: PodCertificateRequest, nowMs: number): boolean {
  return nowMs >= parseTime(metadata?.creationTimestamp ?? "0001-01-01T00:00:00Z") + THRESHOLD_MS;
}
