import type { CertificateSigningRequest } from "../../../api/mod.ts";
import type { Traits } from "../traits/mod.ts";

/** Requests for certificates; the requestor is whoever creates them. */
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
  prepareStatus({ status }, old) {
    const isDecision = (type: string) => type === "Approved" || type === "Denied";
    const decided = old.status?.conditions?.filter(({ type }) => isDecision(type)) ?? [];
    const others = status?.conditions?.filter(({ type }) => !isDecision(type)) ?? [];
    if (status && decided.length + others.length > 0) status.conditions = [...decided, ...others];
  },
  validateStatus({ status }, old, errors) {
    if (!old.status?.certificate || status?.certificate === old.status.certificate) return;
    errors.forbidden("status.certificate", "updates may not set or modify the certificate");
  },
};
