import type { Lease } from "../../../api/mod.ts";
import type { Environment, Traits } from "../traits/mod.ts";

/** Fields for elections that a coordinator holds. */
function dropElection({ spec }: Lease, { gates }: Environment): void {
  if (gates.has("CoordinatedLeaderElection")) return;
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

export const leases: Traits<Lease> = {
  createsOnUpdate: true,
  needsResourceVersion: true,
  hasPlainMetadata: true,
  prepareCreate: (lease, { state }) => dropElection(lease, state),
  prepareUpdate: (lease, _old, { state }) => dropElection(lease, state),
  validate({ spec = {} }, errors) {
    const { leaseDurationSeconds: seconds = 1, leaseTransitions: count = 0 } = spec;
    if (seconds <= 0) errors.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0");
    if (count < 0) errors.invalid("spec.leaseTransitions", count, "must be greater than or equal to 0");
  },
};
