/** The rules for requests. Upstream: `pkg/apis/certificates/validation/validation.go`. */
import type { CertificateSigningRequest } from "../../../../api/mod.ts";
import { certificatesIn, pemBlocks, readCertificateRequest, verifyRequest } from "../../../../x509/mod.ts";
import { structOf } from "../../schema/mod.ts";
import { attempt } from "../../base/mod.ts";
import { type FieldErrors, problemOf, repetitions } from "../../validation/mod.ts";
import { validateSignerName } from "./signers.ts";

const SHORTEST_SECONDS = 600;
const LEGACY_SIGNER = "kubernetes.io/legacy-unknown";
const USAGES = structOf("certificates.v1.CertificateSigningRequestSpec")?.fields.get("usages")?.values ?? [];

/** Applies to every write; existing errors may stay. */
export function validateSpec(
  { spec }: CertificateSigningRequest,
  errors: FieldErrors,
  old?: CertificateSigningRequest,
): void {
  const { request = "", usages = [], signerName = "", expirationSeconds } = spec ?? {};
  const why = problemOf(() => verifyRequest(readCertificateRequest(atob(request))));
  if (why !== undefined) errors.invalid("spec.request", request === "" ? null : request, why);
  validateUsages(usages, errors, old?.spec?.usages ?? []);
  if (signerName === LEGACY_SIGNER && old?.spec?.signerName !== LEGACY_SIGNER) {
    errors.invalid("spec.signerName", signerName, "the legacy signerName is not allowed via this API version");
  } else validateSignerName(signerName, errors);
  if (expirationSeconds !== undefined && expirationSeconds < SHORTEST_SECONDS) {
    errors.invalid("spec.expirationSeconds", expirationSeconds, "must be 10 minutes or more");
  }
}

function validateUsages(usages: readonly string[], errors: FieldErrors, old: readonly string[]): void {
  if (usages.length === 0) errors.required("spec.usages");
  if (old.every((usage) => USAGES.includes(usage))) {
    for (const [i, usage] of usages.entries()) {
      if (!USAGES.includes(usage)) errors.notSupported(`spec.usages[${i}]`, usage, USAGES);
    }
  }
  if (new Set(old).size < old.length) return;
  for (const i of repetitions(usages)) errors.duplicate(`spec.usages[${i}]`, usages[i]);
}

/** A signer's certificate must be valid PEM and cannot change. */
export function validateCertificate(
  { status }: CertificateSigningRequest,
  old: CertificateSigningRequest,
  errors: FieldErrors,
): void {
  const [before, after] = [old.status?.certificate ?? "", status?.certificate ?? ""];
  if (before === after) return;
  if (certificateProblem(before) === undefined) {
    const why = certificateProblem(after);
    if (why !== undefined) errors.invalid("status.certificate", "<certificate data>", why);
  }
  if (before !== "") errors.forbidden("status.certificate", "updates may not modify existing certificate content");
}

function certificateProblem(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const blocks = [...pemBlocks(atob(base64))];
  const foreign = blocks.find(({ type }) => type !== "CERTIFICATE");
  if (foreign) return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(foreign.type)}`;
  if (blocks.some(({ hasHeaders }) => hasHeaders)) return "no PEM block headers are permitted";
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  const counts = blocks.map(({ bytes }) => attempt(() => certificatesIn(bytes))?.length);
  return counts.every(Boolean) ? undefined : "must contain certificates in each PEM block";
}
