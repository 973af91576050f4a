import type { APIService } from "../../../api/mod.ts";
import { nowText, type Traits } from "../traits/mod.ts";
import { type FieldErrors, fields } from "../validation/mod.ts";

/** Upstream: `kube-aggregator/pkg/registry/apiservice/strategy.go`. */
export const apiServices: Traits<APIService> = {
  names: "path",
  defaults({ spec }) {
    if (spec?.service) spec.service.port ??= 443;
  },
  /** Services in this process are available at once; the aggregator checks all others. */
  prepareCreate(service, { state }) {
    service.status = {};
    if (service.spec?.service) return;
    service.status.conditions = [{
      type: "Available",
      status: "True",
      lastTransitionTime: nowText(state),
      reason: "Local",
      message: "Local APIServices are always available",
    }];
  },
  validate({ metadata, spec }, errors) {
    const wanted = `${spec?.version ?? ""}.${spec?.group ?? ""}`;
    if (metadata.name !== wanted) {
      errors.invalid("metadata.name", metadata.name, `must be \`spec.version+"."+spec.group\`: "${wanted}"`);
    }
    const { groupPriorityMinimum = 0, versionPriority = 0 } = spec ?? {};
    if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20000) {
      errors.invalid("spec.groupPriorityMinimum", groupPriorityMinimum, "must be positive and less than 20000");
    }
    if (versionPriority <= 0 || versionPriority > 1000) {
      errors.invalid("spec.versionPriority", versionPriority, "must be positive and less than 1000");
    }
    validateTrust(spec ?? {}, errors);
  },
};

type Spec = Pick<NonNullable<APIService["spec"]>, "service" | "caBundle" | "insecureSkipTLSVerify">;

const reference = fields<NonNullable<Spec["service"]>>({ namespace: "!", name: "!", port: "*port" });

/** Where a remote service is, and how its certificate is verified. */
function validateTrust({ service, caBundle, insecureSkipTLSVerify }: Spec, errors: FieldErrors): void {
  const why = service ? "may not be true if caBundle is present" : "must not be set for local APIServices";
  if (service) reference(service, "spec.service", errors);
  else if (caBundle) errors.invalid("spec.caBundle", caBundle, why);
  if (insecureSkipTLSVerify && (caBundle || !service)) errors.invalid("spec.insecureSkipTLSVerify", true, why);
}
