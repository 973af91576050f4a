import { decodeBase64 } from "@std/encoding/base64";
import type { APIService } from "../../../api/mod.ts";
import { nowText, type Traits } from "../traits/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";

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

/** Where a remote service is, and how its certificate is verified. */
function validateTrust({ service, caBundle = "", insecureSkipTLSVerify = false }: Spec, errors: FieldErrors): void {
  if (!service) {
    if (caBundle !== "") {
      const bytes = `${decodeBase64(caBundle).length} bytes`;
      errors.invalid("spec.caBundle", bytes, "must not be set for local APIServices");
    }
    if (insecureSkipTLSVerify) {
      errors.invalid("spec.insecureSkipTLSVerify", insecureSkipTLSVerify, "must not be set for local APIServices");
    }
    return;
  }
  if (!service.namespace) errors.required("spec.service.namespace");
  if (!service.name) errors.required("spec.service.name");
  const { port = 0 } = service;
  if (port < 1 || port > 65535) {
    errors.invalid("spec.service.port", port, "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (insecureSkipTLSVerify && caBundle !== "") {
    errors.invalid("spec.insecureSkipTLSVerify", insecureSkipTLSVerify, "may not be true if caBundle is present");
  }
}
