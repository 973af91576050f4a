import type { PodCertificateRequest } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  alsoEmpty,
  byteLength,
  type Check,
  type FieldErrors,
  fields,
  validateAnnotations,
} from "../../validation/mod.ts";
import { validatePodKey } from "./pod_keys.ts";
import { validatePodRequestStatus } from "./pod_request_status.ts";
import { validateSignerName } from "./signers.ts";

const MOST_UID = 128;
const SHORTEST_SECONDS = 3600;
const DAY_SECONDS = 86_400;

const uid: Check<string> = (text, at, errors) => {
  if (text === "") errors.invalid(at, text, "must not be empty");
  if (byteLength(text) > MOST_UID) errors.tooLong(at, MOST_UID);
};

const names = fields<PodCertificateRequest["spec"]>({
  podName: "*subdomain",
  podUID: alsoEmpty(uid, ""),
  serviceAccountName: "*subdomain",
  serviceAccountUID: alsoEmpty(uid, ""),
  nodeName: "*subdomain",
  nodeUID: alsoEmpty(uid, ""),
});

/** Upstream: `pkg/registry/certificates/podcertificaterequest`. */
export const podCertificateRequests: Traits<PodCertificateRequest> = {
  needsResourceVersion: true,
  immutable: ["spec"],
  keepsMetadataOnStatus: true,
  defaults({ spec }) {
    if (spec) spec.maxExpirationSeconds ??= DAY_SECONDS;
  },
  validateCreate({ spec }, errors) {
    const { signerName = "" } = spec ?? {};
    validateSignerName(signerName, errors);
    validateUserAnnotations(spec?.unverifiedUserAnnotations, errors);
    names(spec, "spec", errors);
    const seconds = spec?.maxExpirationSeconds;
    if (seconds === undefined) return errors.required("spec.maxExpirationSeconds", "must be set");
    const most = /^(.*\.)?kubernetes\.io\//.test(signerName) ? DAY_SECONDS : 91 * DAY_SECONDS;
    if (seconds < SHORTEST_SECONDS || seconds > most) {
      errors.invalid("spec.maxExpirationSeconds", seconds, `must be in the range [${SHORTEST_SECONDS}, ${most}]`);
    }
    validatePodKey(spec, errors);
  },
  validateStatus: validatePodRequestStatus,
};

/** Upstream: ValidateUserAnnotations in `pkg/apis/core/validation/validation.go`. */
function validateUserAnnotations(annotations: Record<string, string> | undefined, errors: FieldErrors): void {
  const at = "spec.unverifiedUserAnnotations";
  const count = errors.count;
  validateAnnotations(annotations, at, errors);
  if (errors.count > count) return;
  for (const key in annotations) {
    if (key.includes("/")) continue;
    errors.invalid(at, key.toLowerCase(), 'must be a domain-prefixed key (such as "acme.io/foo")');
  }
}
