import type { APIService } from "../../../api/mod.ts";
import { nowText, type Traits } from "../traits/mod.ts";
import { type FieldErrors, fields } from "../validation/mod.ts";

const HIGHEST = [["groupPriorityMinimum", 20000], ["versionPriority", 1000]] as const;

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
    for (const [field, most] of HIGHEST) {
      const value = spec?.[field] ?? 0;
      if (value <= 0 || value > most) errors.invalid(`spec.${field}`, value, `must be positive and less than ${most}`);
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
