import { defineController } from "../running/mod.ts";

/** Checks the expressions of ValidatingAdmissionPolicies against types. Not implemented yet. Upstream: `pkg/controller/validatingadmissionpolicystatus`. */
export const VALIDATINGADMISSIONPOLICY_STATUS_CONTROLLER = defineController({
  name: "validatingadmissionpolicy-status-controller",
  options: {
    workers: {
      flag: "concurrent-validating-admission-policy-status-syncs",
      type: "int32",
      default: 5,
      help: "Admission policies worked on at a time",
      configz: "ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
    },
  },
});
