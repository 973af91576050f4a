import type { ResourceClaimTemplate, ResourceV1ResourceClaim } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { IMMUTABLE, internal, validateAnnotations, validateLabels } from "../../validation/mod.ts";
import { validateClaimStatus, withoutFreedDevices } from "./claim_status.ts";
import { defaultRequests, validateRequests } from "./requests.ts";

/** Upstream: `pkg/registry/resource/resourceclaim`. */
export const resourceClaims: Traits<ResourceV1ResourceClaim> = {
  answersDeleted: true,
  updateSteps: ["metadata", "metadataUpdate", "update"],
  defaults: ({ spec }) => defaultRequests(spec),
  prepareCreate(claim) {
    claim.status = {};
  },
  prepareStatus: (claim, old) => withoutFreedDevices(claim, old),
  validate: ({ spec }, errors) => validateRequests(spec, "spec", errors),
  validateUpdate({ spec }, old, errors) {
    if (!deepEqual(spec, old.spec)) errors.invalid("spec", internal("resource.ResourceClaimSpec", spec), IMMUTABLE);
  },
  validateStatus: validateClaimStatus,
};

/** Upstream: `pkg/registry/resource/resourceclaimtemplate`. */
export const resourceClaimTemplates: Traits<ResourceClaimTemplate> = {
  answersDeleted: true,
  updateSteps: ["metadataUpdate", "update"],
  defaults: ({ spec }) => defaultRequests(spec?.spec),
  validate({ spec }, errors) {
    validateLabels(spec?.metadata?.labels, "spec.metadata.labels", errors);
    validateAnnotations(spec?.metadata?.annotations, "spec.metadata.annotations", errors);
    validateRequests(spec?.spec, "spec.spec", errors);
  },
  validateUpdate({ spec }, old, errors) {
    if (!deepEqual(spec, old.spec)) {
      errors.invalid("spec", internal("resource.ResourceClaimTemplateSpec", spec), IMMUTABLE);
    }
  },
};
