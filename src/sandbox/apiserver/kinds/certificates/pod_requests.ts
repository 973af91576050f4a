import type { PodCertificateRequest } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { dnsSubdomain, type FieldErrors, unchanged } from "../../validation/mod.ts";
import { validateSignerName } from "./request_rules.ts";

const MOST_UID = 128;
const SHORTEST_SECONDS = 3600;
const DAY_SECONDS = 86_400;

/** Upstream: `pkg/registry/certificates/podcertificaterequest`, but for the keys, which are taken as they come. */
export const podCertificateRequests: Traits<PodCertificateRequest> = {
  validate({ spec }, errors) {
    const { signerName = "", podName = "", nodeName = "", serviceAccountName = "" } = spec ?? {};
    validateSignerName(signerName, errors);
    errors.invalidFor("spec.podName", podName, dnsSubdomain(podName));
    validateUid("spec.podUID", spec?.podUID, errors);
    errors.invalidFor("spec.serviceAccountName", serviceAccountName, dnsSubdomain(serviceAccountName));
    validateUid("spec.serviceAccountUID", spec?.serviceAccountUID, errors);
    errors.invalidFor("spec.nodeName", nodeName, dnsSubdomain(nodeName));
    validateUid("spec.nodeUID", spec?.nodeUID, errors);
    const seconds = spec?.maxExpirationSeconds;
    if (seconds === undefined) return errors.required("spec.maxExpirationSeconds", "must be set");
    const most = /^(.*\.)?kubernetes\.io\//.test(signerName) ? DAY_SECONDS : 91 * DAY_SECONDS;
    if (seconds < SHORTEST_SECONDS || seconds > most) {
      errors.invalid("spec.maxExpirationSeconds", seconds, `must be in the range [${SHORTEST_SECONDS}, ${most}]`);
    }
  },
  validateUpdate: ({ spec }, old, errors) => unchanged(spec, old.spec, "spec", errors),
};

function validateUid(at: string, uid = "", errors: FieldErrors): void {
  if (uid === "") errors.invalid(at, uid, "must not be empty");
  if (uid.length > MOST_UID) errors.tooLong(at, MOST_UID);
}
