import { parseTime, type PodCertificateRequest } from "../../api/mod.ts";

/** Every way to a pod's certificate is expected to be shorter. */
const THRESHOLD_MS = 15 * 60_000;

/** Whether a request has been there long enough, whatever came of it. */
export function isOld({ metadata }: PodCertificateRequest, nowMs: number): boolean {
  return nowMs >= parseTime(metadata?.creationTimestamp ?? "0001-01-01T00:00:00Z") + THRESHOLD_MS;
}
