import type {
  PodGroup,
  PodGroupResourceClaim,
  PodGroupResourceClaimStatus,
  PodGroupSchedulingPolicy,
  PodGroupTemplate,
  Workload,
} from "../../../api/mod.ts";
import type { FeatureGates, Traits } from "../traits/mod.ts";
import {
  all,
  type Check,
  dnsLabel,
  dnsSubdomain,
  each,
  type FieldErrors,
  fields,
  formatted,
  positive,
  required,
  unchanged,
} from "../validation/mod.ts";

/** Templates that a Workload may have. */
const MOST_TEMPLATES = 8;
/** Claims that the pods of a group may share. */
const MOST_CLAIMS = 4;

/** One way of scheduling, and not both. */
const policy: Check<PodGroupSchedulingPolicy> = ({ basic, gang }, at, errors) => {
  if (basic && gang) errors.invalid(at, { basic, gang }, "must specify exactly one of: `basic`, `gang`");
  else if (!basic && !gang) errors.invalid(at, {}, "must specify one of: `basic`, `gang`");
  if (gang) positive(gang.minCount, `${at}.gang.minCount`, errors);
};

/** Few enough, and each name once. */
function named<T extends { readonly name: string }>(most: number, check: Check<T>): Check<readonly T[]> {
  return (items, at, errors) => {
    if (items.length > most) return errors.tooMany(at, items.length, most);
    const names = new Set<string>();
    for (const [i, { name }] of items.entries()) {
      if (names.has(name)) errors.duplicate(`${at}[${i}]`, name);
      names.add(name);
    }
    each(check)(items, at, errors);
  };
}

/** A claim of a user or one from a template, and not both. */
const oneSource: Check<PodGroupResourceClaim> = (claim, at, errors) => {
  const count = [claim.resourceClaimName, claim.resourceClaimTemplateName].filter((name) => name !== undefined).length;
  if (count !== 1) errors.invalid(at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
};

const claims = named<PodGroupResourceClaim>(
  MOST_CLAIMS,
  all(
    oneSource,
    fields<PodGroupResourceClaim>({
      name: required(formatted(dnsLabel)),
      resourceClaimName: formatted(dnsSubdomain),
      resourceClaimTemplateName: formatted(dnsSubdomain),
    }),
  ),
);

const claimStatuses = named<PodGroupResourceClaimStatus>(
  MOST_CLAIMS,
  fields<PodGroupResourceClaimStatus>({ resourceClaimName: formatted(dnsSubdomain) }),
);

/** Claims are shared only where that is on. */
function dropClaims(asking: { resourceClaims?: unknown } | undefined, gates: FeatureGates): void {
  if (!gates.has("DRAWorkloadResourceClaims")) delete asking?.resourceClaims;
}

const template = fields<PodGroupTemplate>({ name: required(), schedulingPolicy: policy, resourceClaims: claims });

function validateTemplates(templates: readonly PodGroupTemplate[], at: string, errors: FieldErrors): void {
  if (templates.length === 0) errors.required(at);
  if (templates.length > MOST_TEMPLATES) errors.tooMany(at, templates.length, MOST_TEMPLATES);
  const names = new Set<string>();
  for (const [i, { name }] of templates.entries()) {
    if (names.has(name)) errors.duplicate(`${at}[${i}]`, name);
    names.add(name);
  }
  each(template)(templates, at, errors);
}

/** Upstream: `pkg/registry/scheduling/workload`. */
export const workloads: Traits<Workload> = {
  defaults({ spec }, gates) {
    for (const template of spec?.podGroupTemplates ?? []) dropClaims(template, gates);
  },
  validate: ({ spec }, errors) => validateTemplates(spec?.podGroupTemplates ?? [], "spec.podGroupTemplates", errors),
  validateUpdate({ spec }, old, errors) {
    if (old.spec?.controllerRef) unchanged(spec?.controllerRef, old.spec.controllerRef, "spec.controllerRef", errors);
    unchanged(spec?.podGroupTemplates, old.spec?.podGroupTemplates, "spec.podGroupTemplates", errors);
  },
};

/** Upstream: `pkg/registry/scheduling/podgroup`. */
export const podGroups: Traits<PodGroup> = {
  finalizers: ["scheduling.k8s.io/podgroup-protection"],
  defaults({ spec, status }, gates) {
    dropClaims(spec, gates);
    if (!gates.has("DRAWorkloadResourceClaims")) delete status?.resourceClaimStatuses;
  },
  validate({ spec }, errors) {
    policy(spec?.schedulingPolicy ?? {}, "spec.schedulingPolicy", errors);
    claims(spec?.resourceClaims ?? [], "spec.resourceClaims", errors);
  },
  validateStatus: ({ status }, _old, errors) =>
    claimStatuses(status?.resourceClaimStatuses ?? [], "status.resourceClaimStatuses", errors),
  validateUpdate: ({ spec }, old, errors) => unchanged(spec, old.spec, "spec", errors),
};
