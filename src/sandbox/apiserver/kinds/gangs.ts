import type {
  GangSchedulingPolicy,
  PodGroup,
  PodGroupResourceClaim,
  PodGroupResourceClaimStatus,
  PodGroupSchedulingPolicy,
  PodGroupTemplate,
  PodGroupTemplateReference,
  Workload,
} from "../../../api/mod.ts";
import type { FeatureGates, Traits } from "../traits/mod.ts";
import { all, type Check, each, fields, unchanged, uniqueBy, upTo } from "../validation/mod.ts";

/** Templates that a Workload may have. */
const MOST_TEMPLATES = 8;
/** Claims that the pods of a group may share. */
const MOST_CLAIMS = 4;

const gangFields = fields<GangSchedulingPolicy>({ minCount: "!positive" }, "scheduling.v1alpha2.GangSchedulingPolicy");

/** One way of scheduling, and not both. */
const policy: Check<PodGroupSchedulingPolicy> = ({ basic, gang }, at, errors) => {
  if (basic && gang) errors.invalid(at, { basic, gang }, "must specify exactly one of: `basic`, `gang`");
  else if (!basic && !gang) errors.invalid(at, {}, "must specify one of: `basic`, `gang`");
  if (gang) gangFields(gang, `${at}.gang`, errors);
};

/** Few enough, and each name once. */
function named<T extends { readonly name: string }>(most: number, check: Check<T>): Check<readonly T[]> {
  return upTo(most, all(uniqueBy(({ name }) => name), each(check)));
}

const claimFields = fields<PodGroupResourceClaim>({
  name: "!label",
  resourceClaimName: "subdomain",
  resourceClaimTemplateName: "subdomain",
}, "scheduling.v1alpha2.PodGroupResourceClaim");

/** A claim of a user or one from a template, and not both. */
const claims = named<PodGroupResourceClaim>(MOST_CLAIMS, (claim, at, errors) => {
  claimFields(claim, at, errors);
  if ((claim.resourceClaimName === undefined) !== (claim.resourceClaimTemplateName === undefined)) return;
  errors.invalid(at, claim, "must specify one of `resourceClaimName` and `resourceClaimTemplateName`");
});

const claimStatuses = named<PodGroupResourceClaimStatus>(
  MOST_CLAIMS,
  fields<PodGroupResourceClaimStatus>(
    { resourceClaimName: "subdomain" },
    "scheduling.v1alpha2.PodGroupResourceClaimStatus",
  ),
);

type WorkloadTemplate = NonNullable<PodGroupTemplateReference["workload"]>;

const workloadTemplate = fields<WorkloadTemplate>({ workloadName: "!subdomain", podGroupTemplateName: "!label" });

/** From which template a group is made, which is a workload's. */
const templateReference: Check<PodGroupTemplateReference> = ({ workload }, at, errors) => {
  if (workload) workloadTemplate(workload, `${at}.workload`, errors);
  else errors.invalid(at, {}, "must specify one of: `workload`");
};

type Asking = Partial<
  Pick<PodGroupTemplate, "priority" | "priorityClassName" | "resourceClaims" | "schedulingConstraints">
>;

/** Drops what needs features that are off, unless `old` has it already. */
function dropDisabled(asking: Asking | undefined, old: Asking | undefined, gates: FeatureGates): void {
  if (!asking) return;
  for (const field of ["priority", "priorityClassName", "schedulingConstraints"] as const) delete asking[field];
  if (!sharesClaims(old, gates)) delete asking.resourceClaims;
}

/** Whether claims are shared here, or were when `old` was written. */
function sharesClaims(old: Asking | undefined, gates: FeatureGates): boolean {
  return gates.has("DRAWorkloadResourceClaims") || Boolean(old?.resourceClaims?.length);
}

function dropFromTemplates({ spec }: Workload, old: Workload | undefined, gates: FeatureGates): void {
  for (const [i, template] of spec?.podGroupTemplates?.entries() ?? []) {
    dropDisabled(template, old?.spec?.podGroupTemplates?.[i], gates);
    delete template.disruptionMode;
  }
}

const templates = named(
  MOST_TEMPLATES,
  fields<PodGroupTemplate>({ name: "!", schedulingPolicy: policy, resourceClaims: claims }),
);

/** Upstream: `pkg/registry/scheduling/workload`. */
export const workloads: Traits<Workload> = {
  immutable: ["spec.podGroupTemplates"],
  prepareCreate: (workload, { state }) => dropFromTemplates(workload, undefined, state.gates),
  prepareUpdate: (workload, old, { state }) => dropFromTemplates(workload, old, state.gates),
  validate({ spec }, errors) {
    const at = "spec.podGroupTemplates";
    if (!spec?.podGroupTemplates?.length) errors.required(at);
    else templates(spec.podGroupTemplates, at, errors);
  },
  validateUpdate({ spec }, old, errors) {
    if (old.spec?.controllerRef) unchanged(spec?.controllerRef, old.spec.controllerRef, "spec.controllerRef", errors);
  },
};

/** Upstream: `pkg/registry/scheduling/podgroup`. */
export const podGroups: Traits<PodGroup> = {
  finalizers: ["scheduling.k8s.io/podgroup-protection"],
  immutable: ["spec.podGroupTemplateRef", "spec.schedulingPolicy", "spec.resourceClaims"],
  keepsMetadataOnStatus: true,
  defaults({ spec }) {
    if (spec) spec.disruptionMode ??= "Pod";
  },
  prepareCreate({ spec }, { state: { gates } }) {
    dropDisabled(spec, undefined, gates);
    delete spec?.disruptionMode;
  },
  prepareUpdate: ({ spec }, old, { state: { gates } }) => dropDisabled(spec, old.spec, gates),
  prepareStatus({ status }, old, { state: { gates } }) {
    if (status && !sharesClaims(old.spec, gates)) delete status.resourceClaimStatuses;
  },
  validate({ spec }, errors) {
    if (spec?.podGroupTemplateRef) templateReference(spec.podGroupTemplateRef, "spec.podGroupTemplateRef", errors);
    policy(spec?.schedulingPolicy ?? {}, "spec.schedulingPolicy", errors);
    claims(spec?.resourceClaims ?? [], "spec.resourceClaims", errors);
  },
  validateStatus({ spec, status }, _old, errors) {
    const at = "status.resourceClaimStatuses";
    const statuses = status?.resourceClaimStatuses ?? [];
    const known = new Set(spec?.resourceClaims?.map(({ name }) => name));
    for (const [i, { name }] of statuses.entries()) {
      if (!known.has(name)) {
        errors.invalid(`${at}[${i}].name`, name, "must match the name of an entry in `spec.resourceClaims`");
      }
    }
    claimStatuses(statuses, at, errors);
  },
  validateUpdate({ spec }, old, errors) {
    // Groups have one by default, so that it is not dropped with what else needs the feature.
    if (spec?.disruptionMode !== old.spec?.disruptionMode) errors.forbidden("spec.disruptionMode", "");
  },
};
