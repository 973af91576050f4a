import { type CertificateSigningRequest, parseTime } from "../../api/mod.ts";
import { certificatesIn, pemBlocks } from "../../x509/mod.ts";
import { conditionsOf, isIssued } from "../certificates/mod.ts";

const HOUR_MS = 3_600_000;
/** How long decided requests may stay. */
const DECIDED_MS = HOUR_MS;
/** How long undecided requests, or approved ones without a certificate, may stay. */
const PENDING_MS = 24 * HOUR_MS;

/** Why a request must be deleted, in upstream's words; `undefined` if it may stay. */
export function reasonToDelete(request: CertificateSigningRequest, nowMs: number): string | undefined {
  // A time that is not set is null.
  const isOlder = (time: string | undefined, ms: number) => !!time && nowMs - parseTime(time) > ms;
  const has = (type: string, ms: number) =>
    conditionsOf(request, type).some(({ lastUpdateTime }) => isOlder(lastUpdateTime, ms));
  const issued = isIssued(request);
  if (issued && has("Approved", DECIDED_MS)) {
    return "Cleaning CSR as it is more than approvedExpiration duration old and approved.";
  }
  if (has("Denied", DECIDED_MS)) return "Cleaning CSR as it is more than deniedExpiration duration old and denied.";
  if (has("Failed", DECIDED_MS)) return "Cleaning CSR as it is more than deniedExpiration duration old and failed.";
  const { status, metadata } = request;
  if (!status?.conditions?.length && isOlder(metadata?.creationTimestamp, PENDING_MS)) {
    return "Cleaning CSR as it is more than pendingExpiration duration old and unhandled.";
  }
  if (issued && conditionsOf(request, "Approved").length > 0 && hasExpired(status?.certificate ?? "", nowMs)) {
    return "Cleaning CSR as the associated certificate is expired.";
  }
  if (!issued && has("Approved", PENDING_MS)) {
    return "Cleaning CSR as it is approved but unissued for more than pendingExpiration duration.";
  }
  return undefined;
}

/** Whether the first certificate has expired; a malformed one has not. */
function hasExpired(certificate: string, nowMs: number): boolean {
  try {
    const [block] = pemBlocks(atob(certificate)).take(1);
    const [first] = block ? certificatesIn(block.bytes) : [];
    return first !== undefined && nowMs > first.notAfterMs;
  } catch {
    return false;
  }
}
