/** Requirements of kubelets' certificates. Upstream: `pkg/apis/certificates/helpers.go`. */
import { type CertificateRequest, commonNameOf } from "../../x509/mod.ts";

const NODES = "system:nodes";
const NODE_PREFIX = "system:node:";
const SERVING_USAGES = ["digital signature", "key encipherment", "server auth"];
const CLIENT_USAGES = ["client auth", "digital signature", "key encipherment"];

/** The objection to a kubelet's request for a client certificate, in upstream's words. */
export function kubeletClientObjection(
  { subject, names }: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (!isNodes(subject.O)) return "subject organization is not system:nodes";
  if (names.dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (names.email.length > 0) return "Email subjectAltNames are not allowed";
  if (names.ip.length > 0) return "IP subjectAltNames are not allowed";
  if (names.uri.length > 0) return "URI subjectAltNames are not allowed";
  return commonNameObjection(subject) ?? usagesObjection(usages, CLIENT_USAGES);
}

/** The objection to a kubelet's request for a serving certificate. */
export function kubeletServingObjection(
  { subject, names }: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (!isNodes(subject.O)) return "subject organization is not system:nodes";
  if (names.dns.length === 0 && names.ip.length === 0) return "DNS or IP subjectAltName is required";
  if (names.email.length > 0) return "Email subjectAltNames are not allowed";
  if (names.uri.length > 0) return "URI subjectAltNames are not allowed";
  return usagesObjection(usages, SERVING_USAGES) ?? commonNameObjection(subject);
}

function isNodes(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === NODES;
}

function commonNameObjection(subject: CertificateRequest["subject"]): string | undefined {
  if (commonNameOf(subject).startsWith(NODE_PREFIX)) return undefined;
  return `subject common name does not begin with ${NODE_PREFIX}`;
}

/** Key encipherment is only for RSA keys. */
function usagesObjection(usages: readonly string[], wanted: readonly string[]): string | undefined {
  const found = new Set(usages);
  const missing = wanted.filter((usage) => !found.has(usage));
  const isRight = found.size + missing.length === wanted.length &&
    missing.every((usage) => usage === "key encipherment");
  return isRight ? undefined : `usages did not match [${wanted.join(" ")}]`;
}
