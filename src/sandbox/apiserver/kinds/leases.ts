import type { Lease } from "../../../api/mod.ts";
import type { Environment, Traits } from "../traits/mod.ts";
import { fields } from "../validation/mod.ts";

function dropElection({ spec }: Lease, { gates }: Environment): void {
  if (gates.has("CoordinatedLeaderElection")) return;
  delete spec?.strategy;
  delete spec?.preferredHolder;
}

const validateSpec = fields<NonNullable<Lease["spec"]>>(
  { leaseDurationSeconds: "positive", leaseTransitions: "nonNegative" },
  "coordination.v1.LeaseSpec",
);

export const leases: Traits<Lease> = {
  createsOnUpdate: true,
  needsResourceVersion: true,
  hasPlainMetadata: true,
  prepareCreate: (lease, { state }) => dropElection(lease, state),
  prepareUpdate: (lease, _old, { state }) => dropElection(lease, state),
  validate: ({ spec = {} }, errors) => validateSpec(spec, "spec", errors),
};
