import { CloudError } from "../errors.ts";
import { annotationKey, type Annotations } from "./annotations.ts";

/** Which certificates a load balancer's ports must have. */
export type CertificateWish =
  /** No preference. */
  | { readonly kind: "any" }
  /** Certificates that the user created, each by ID or name. */
  | { readonly kind: "uploaded"; readonly certificates: readonly (number | string)[] }
  /** One that the cloud creates and renews. */
  | {
    readonly kind: "managed";
    readonly name: string;
    readonly domains: readonly string[];
    readonly isStaging: boolean;
  };

/** How many certificates a Service may name; a load balancer can have far fewer. */
const MAX_CERTIFICATES = 100;

/** @throws {CloudError} If a managed certificate has no domains, or there are too many certificates. */
export function readCertificateWish(annotations: Annotations, uid: string): CertificateWish {
  if (annotations.text("certificate-type") === "managed") {
    const domains = annotations.texts("http-managed-certificate-domains");
    if (!domains) {
      throw new CloudError(
        `no domains for managed certificate: set ${annotationKey("http-managed-certificate-domains")}`,
      );
    }
    return {
      kind: "managed",
      name: annotations.text("http-managed-certificate-name") || `ccm-managed-certificate-${uid}`,
      domains,
      isStaging: isTrue(annotations),
    };
  }
  const certificates = annotations.texts("http-certificates");
  if (certificates && certificates.length > MAX_CERTIFICATES) {
    throw new CloudError(`${annotationKey("http-certificates")} names more than ${MAX_CERTIFICATES} certificates`);
  }
  return certificates ? { kind: "uploaded", certificates: certificates.map(readCertificate) } : { kind: "any" };
}

/** Malformed values count as false, as upstream. */
function isTrue(annotations: Annotations): boolean {
  try {
    return annotations.flag("http-managed-certificate-acme-staging") ?? false;
  } catch {
    return false;
  }
}

function readCertificate(text: string): number | string {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) && id > 0 ? id : text;
}
