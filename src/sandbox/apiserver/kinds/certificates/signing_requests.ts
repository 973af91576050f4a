import type { CertificateSigningRequest } from "../../../../api/mod.ts";
import { nowText, type Traits } from "../../traits/mod.ts";
import {
  keepDecisions,
  stampConditions,
  validateConditions,
  validateDecision,
  validateUndecided,
} from "./conditions.ts";
import { validateCertificate, validateSpec } from "./request_rules.ts";

/** Requests for certificates; the creator becomes the requestor. */
export const certificateSigningRequests: Traits<CertificateSigningRequest> = {
  names: "path",
  prepareCreate({ spec }, { user }) {
    if (!spec) return;
    spec.username = user.username;
    spec.groups = [...user.groups];
    if (user.uid) spec.uid = user.uid;
    else delete spec.uid;
    if (user.extra) {
      spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, value]) => [key, [...value]]));
    } else delete spec.extra;
  },
  prepareUpdate(request, old) {
    request.spec = old.spec;
  },
  prepareStatus(request, old, { state }) {
    keepDecisions(request, old);
    stampConditions(request, old, nowText(state));
  },
  validate: validateSpec,
  validateStatus(request, old, errors) {
    validateSpec(request, errors, old);
    validateConditions(request, errors, old);
    validateDecision(request, old, errors);
    validateUndecided(request, old, errors);
    validateCertificate(request, old, errors);
  },
};
