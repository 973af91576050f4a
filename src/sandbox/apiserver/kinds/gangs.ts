import type { PodGroup, PodGroupSchedulingPolicy, PodGroupTemplate, Workload } from "../../../api/mod.ts";
import type { Traits } from "../traits/mod.ts";
import { type Check, each, type FieldErrors, fields, positive, required, unchanged } from "../validation/mod.ts";

/** Templates that a Workload may have. */
const MOST_TEMPLATES = 8;

/** One way of scheduling, and not both. */
const policy: Check<PodGroupSchedulingPolicy> = ({ basic, gang }, at, errors) => {
  if (basic && gang) errors.invalid(at, { basic, gang }, "must specify exactly one of: `basic`, `gang`");
  else if (!basic && !gang) errors.invalid(at, {}, "must specify one of: `basic`, `gang`");
  if (gang) positive(gang.minCount, `${at}.gang.minCount`, errors);
};

const template = fields<PodGroupTemplate>({ name: required(), schedulingPolicy: policy });

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
  validate: ({ spec }, errors) => validateTemplates(spec?.podGroupTemplates ?? [], "spec.podGroupTemplates", errors),
  validateUpdate({ spec }, old, errors) {
    if (old.spec?.controllerRef) unchanged(spec?.controllerRef, old.spec.controllerRef, "spec.controllerRef", errors);
    unchanged(spec?.podGroupTemplates, old.spec?.podGroupTemplates, "spec.podGroupTemplates", errors);
  },
};

/** Upstream: `pkg/registry/scheduling/podgroup`. */
export const podGroups: Traits<PodGroup> = {
  finalizers: ["scheduling.k8s.io/podgroup-protection"],
  validate: ({ spec }, errors) => policy(spec?.schedulingPolicy ?? {}, "spec.schedulingPolicy", errors),
  validateUpdate: ({ spec }, old, errors) => unchanged(spec, old.spec, "spec", errors),
};
