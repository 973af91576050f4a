import type { Lease } from "../../../api/mod.ts";
import type { Traits } from "../traits/mod.ts";

/** Fields for elections that a coordinator holds, which need a feature that is off unless it is asked for. */
function dropElection({ spec }: Lease): void {
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

export const leases: Traits<Lease> = {
  createsOnUpdate: true,
  needsResourceVersion: true,
  hasPlainMetadata: true,
  updateSteps: ["metadataUpdate", "rules"],
  prepareCreate: dropElection,
  prepareUpdate: dropElection,
  validate({ spec = {} }, errors) {
    const { leaseDurationSeconds: seconds = 1, leaseTransitions: count = 0 } = spec;
    if (seconds <= 0) errors.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0");
    if (count < 0) errors.invalid("spec.leaseTransitions", count, "must be greater than or equal to 0");
  },
};
