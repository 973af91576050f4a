/** What a request must be. Upstream: `pkg/apis/certificates/validation/validation.go`. */
import type { CertificateSigningRequest } from "../../../../api/mod.ts";
import { certificatesIn, pemBlocks, readCertificateRequest, verifyRequest } from "../../../../x509/mod.ts";
import { dnsLabel, type FieldErrors } from "../../validation/mod.ts";

const SHORTEST_SECONDS = 600;
const LONGEST_DOMAIN = 253;
const LEGACY_SIGNER = "kubernetes.io/legacy-unknown";
const USAGES = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** On every write; what was wrong before may stay so. */
export function validateSpec(
  { spec }: CertificateSigningRequest,
  errors: FieldErrors,
  old?: CertificateSigningRequest,
): void {
  const { request = "", usages = [], signerName = "", expirationSeconds } = spec ?? {};
  const why = requestProblem(request);
  if (why !== undefined) errors.invalid("spec.request", request, why);
  validateUsages(usages, errors, old?.spec?.usages ?? []);
  if (signerName === LEGACY_SIGNER && old?.spec?.signerName !== LEGACY_SIGNER) {
    errors.invalid("spec.signerName", signerName, "the legacy signerName is not allowed via this API version");
  } else validateSignerName(signerName, errors);
  if (expirationSeconds !== undefined && expirationSeconds < SHORTEST_SECONDS) {
    const rule = "may not specify a duration less than 600 seconds (10 minutes)";
    errors.invalid("spec.expirationSeconds", expirationSeconds, rule);
  }
}

function requestProblem(request: string): string | undefined {
  try {
    verifyRequest(readCertificateRequest(atob(request)));
    return undefined;
  } catch (error) {
    return (error as Error).message;
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
  for (const [i, usage] of usages.entries()) {
    if (usages.indexOf(usage) < i) errors.duplicate(`spec.usages[${i}]`, usage);
  }
}

/** Upstream: ValidateSignerName in `pkg/apis/core/validation/names.go`, as far as the path is checked at all. */
export function validateSignerName(name: string, errors: FieldErrors): void {
  const at = "spec.signerName";
  if (!name) return errors.required(at);
  const [domain, path, ...rest] = name.split("/");
  if (path === undefined || rest.length > 0) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return errors.invalid(at, name, form);
  }
  if (domain.length > LONGEST_DOMAIN) errors.tooLong(at, LONGEST_DOMAIN);
  const labels = domain.split(".");
  const wrong = labels.find((label) => dnsLabel(label).length > 0);
  if (wrong !== undefined) {
    const problems = dnsLabel(wrong).map((problem) => `validating label ${JSON.stringify(wrong)}: ${problem}`);
    errors.invalidFor(at, domain, problems);
  }
  if (labels.length < 2) {
    errors.invalid(at, domain, "should be a domain with at least two segments separated by dots");
  }
}

/** What a signer hands over must be certificates in PEM, and stays as it is. */
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
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  try {
    const isEmpty = blocks.some(({ bytes }) => certificatesIn(bytes).length === 0);
    return isEmpty ? "found CERTIFICATE PEM block containing 0 certificates" : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
