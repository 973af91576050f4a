import type { ResourceClaimTemplate, ResourceV1ResourceClaim } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { validateAnnotations, validateLabels } from "../../validation/mod.ts";
import { validateClaimStatus, withoutFreedDevices } from "./claim_status.ts";
import { defaultRequests, validateRequests } from "./requests.ts";

/** Upstream: `pkg/registry/resource/resourceclaim`. */
export const resourceClaims: Traits<ResourceV1ResourceClaim> = {
  answersDeleted: true,
  immutable: ["spec"],
  keepsMetadataOnStatus: true,
  defaults: ({ spec }) => defaultRequests(spec),
  prepareCreate(claim) {
    claim.status = {};
  },
  prepareStatus: (claim, old) => withoutFreedDevices(claim, old),
  validateCreate: ({ spec }, errors) => validateRequests(spec, "spec", errors),
  validateStatus: validateClaimStatus,
};

/** Upstream: `pkg/registry/resource/resourceclaimtemplate`. */
export const resourceClaimTemplates: Traits<ResourceClaimTemplate> = {
  answersDeleted: true,
  immutable: ["spec"],
  defaults: ({ spec }) => defaultRequests(spec?.spec),
  validateCreate({ spec }, errors) {
    validateLabels(spec?.metadata?.labels, "spec.metadata.labels", errors);
    validateAnnotations(spec?.metadata?.annotations, "spec.metadata.annotations", errors);
    validateRequests(spec?.spec, "spec.spec", errors);
  },
};
