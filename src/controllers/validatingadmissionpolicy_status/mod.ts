import { defineController, notPositive } from "../running/mod.ts";
import { buildPolicyStatusController, NAME } from "./controller.ts";

/**
 * Checks the expressions of ValidatingAdmissionPolicies against types. Upstream:
 * `pkg/controller/validatingadmissionpolicystatus`.
 */
export const VALIDATINGADMISSIONPOLICY_STATUS_CONTROLLER = defineController({
  name: NAME,
  queues: ["validatingadmissionpolicy-status"],
  options: {
    workers: {
      flag: "concurrent-validating-admission-policy-status-syncs",
      type: "int32",
      default: 5,
      help: "Admission policies to process at the same time",
      configz: "ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
      objection: notPositive,
    },
  },
  build: buildPolicyStatusController,
});
