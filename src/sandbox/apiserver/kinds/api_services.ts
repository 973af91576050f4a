import type { APIService } from "../../../api/mod.ts";
import { nowText } from "../environment.ts";
import type { Traits } from "../traits.ts";

/** Upstream: `kube-aggregator/pkg/registry/apiservice/strategy.go`. */
export const apiServices: Traits<APIService> = {
  names: "path",
  /** Those that are served here are available at once; of others nobody knows, since nothing is proxied. */
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
  },
};
