import { type CronJob, type Job, type JobSpec, type PodTemplateSpec, selectorOf } from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import type { Stored, Traits } from "../traits.ts";
import type { FieldErrors } from "../validation/field_errors.ts";
import { defaultPodSpec } from "./pod_defaults.ts";
import { validateTemplate } from "./pod_validation.ts";

const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
const JOB_NAME = "batch.kubernetes.io/job-name";
const RESTART_POLICIES = ["OnFailure", "Never"];

/** Upstream: `pkg/registry/batch/job/strategy.go` and `pkg/apis/batch/v1/defaults.go`. */
export const jobs: Traits<Job> = {
  orphansByDefault: true,
  generation: ({ spec }) => spec,
  defaults({ spec, metadata }) {
    if (!spec) return;
    defaultJobSpec(spec);
    const labels = spec.template?.metadata?.labels;
    if (labels && !metadata.labels) metadata.labels = { ...labels };
  },
  prepareCreate(job) {
    // Labels that were left out are those of the template, including the generated ones.
    const takesTemplateLabels = deepEqual(job.metadata.labels, job.spec?.template?.metadata?.labels);
    generateSelector(job);
    if (takesTemplateLabels) job.metadata.labels = { ...job.spec?.template?.metadata?.labels };
  },
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatus: validateJobStatus,
};

function defaultJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const condition of onPodConditions) condition.status ||= "True";
  }
  if (spec.template?.spec) defaultPodSpec(spec.template.spec);
}

/** A job selects its pods by labels that carry its uid, unless it brings a selector of its own. */
function generateSelector({ metadata, spec }: Stored<Job>): void {
  if (!spec || spec.manualSelector) return;
  const template: PodTemplateSpec = spec.template ??= {};
  const { uid, name } = metadata;
  template.metadata = {
    ...template.metadata,
    labels: {
      "controller-uid": uid!,
      [CONTROLLER_UID]: uid!,
      "job-name": name!,
      [JOB_NAME]: name!,
      ...template.metadata?.labels,
    },
  };
  const matchLabels = { ...spec.selector?.matchLabels };
  if (!("controller-uid" in matchLabels)) matchLabels[CONTROLLER_UID] ??= uid!;
  spec.selector = { ...spec.selector, matchLabels };
}

function validateJob({ metadata, spec }: Stored<Job>, errors: FieldErrors): void {
  validateTemplate(spec?.template, "spec.template", RESTART_POLICIES, errors);
  for (const field of ["parallelism", "completions", "backoffLimit", "activeDeadlineSeconds"] as const) {
    const value = spec?.[field];
    if (value !== undefined && value < 0) errors.invalid(`spec.${field}`, value, "must be greater than or equal to 0");
  }
  if (spec?.completionMode === "Indexed" && spec.completions === undefined) {
    errors.required("spec.completions", "when completion mode is Indexed");
  }
  const labels = spec?.template?.metadata?.labels ?? {};
  if (!spec?.manualSelector && labels[CONTROLLER_UID] !== metadata.uid) {
    errors.invalid("spec.template.metadata.labels", labels, `must be '${metadata.uid}'`);
  }
  if (!spec?.selector) return errors.required("spec.selector");
  const { matchLabels = {}, matchExpressions = [] } = spec.selector;
  const isGenerated = matchExpressions.length === 0 && Object.keys(matchLabels).length === 1 &&
    (matchLabels[CONTROLLER_UID] ?? matchLabels["controller-uid"]) === metadata.uid;
  if (!spec.manualSelector && !isGenerated) {
    errors.invalid("spec.selector", spec.selector, "`selector` not auto-generated");
  }
  if (!selectorOf(spec.selector).matches(labels)) {
    errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  }
}

const IMMUTABLE = [
  "selector",
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

function validateJobUpdate({ spec }: Job, old: Job, errors: FieldErrors): void {
  for (const field of IMMUTABLE) {
    if (!deepEqual(spec?.[field], old.spec?.[field])) {
      errors.invalid(`spec.${field}`, spec?.[field], "field is immutable");
    }
  }
  const scalesIndexes = spec?.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (spec?.completions !== old.spec?.completions && !scalesIndexes) {
    errors.invalid("spec.completions", spec?.completions, "field is immutable");
  }
  const template = deepCopy(spec?.template);
  if (old.spec?.suspend && template) takeSchedulingFields(template, old.spec.template);
  if (!deepEqual(template, old.spec?.template)) {
    errors.invalid("spec.template", spec?.template, "field is immutable");
  }
}

/** What a suspended job may still change in its template. */
function takeSchedulingFields(template: PodTemplateSpec, old: PodTemplateSpec | undefined): void {
  template.metadata = { ...template.metadata, labels: old?.metadata?.labels, annotations: old?.metadata?.annotations };
  if (!template.spec || !old?.spec) return;
  const { nodeSelector, tolerations, schedulingGates, affinity } = old.spec;
  Object.assign(template.spec, { nodeSelector, tolerations, schedulingGates });
  if (template.spec.affinity || affinity) {
    template.spec.affinity = { ...template.spec.affinity, nodeAffinity: affinity?.nodeAffinity };
  }
  for (const [i, container] of template.spec.containers.entries()) {
    container.resources = old.spec.containers[i]?.resources;
  }
}

function validateJobStatus({ status }: Job, old: Job, errors: FieldErrors): void {
  const has = (type: string, of = status) =>
    of?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
  for (const field of ["failed", "succeeded"] as const) {
    if ((status?.[field] ?? 0) < (old.status?.[field] ?? 0)) {
      errors.invalid(`status.${field}`, status?.[field] ?? 0, `cannot decrease the ${field} counter`);
    }
  }
  for (const type of ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"]) {
    if (has(type, old.status) && !has(type)) {
      errors.invalid("status.conditions", type, `cannot disable the ${type}=True condition`);
    }
  }
  if (has("Complete")) {
    if (!status?.completionTime) {
      errors.required("status.completionTime", "completionTime is required for Complete jobs");
    }
    if (!has("SuccessCriteriaMet")) {
      errors.invalid(
        "status.conditions",
        "Complete",
        "cannot set Complete=True condition without the SuccessCriteriaMet condition",
      );
    }
  }
  if (has("Failed") && !has("FailureTarget")) {
    errors.invalid(
      "status.conditions",
      "Failed",
      "cannot set Failed=True condition without the FailureTarget condition",
    );
  }
}

/** Upstream: `pkg/registry/batch/cronjob/strategy.go`. The job template gets no job defaults. */
export const cronJobs: Traits<CronJob> = {
  longestName: 52,
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (!spec) return;
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    const podSpec = spec.jobTemplate?.spec?.template?.spec;
    if (podSpec) defaultPodSpec(podSpec);
  },
  validate({ spec }, errors) {
    if (!spec?.schedule) errors.required("spec.schedule");
    validateTemplate(spec?.jobTemplate?.spec?.template, "spec.jobTemplate.spec.template", RESTART_POLICIES, errors);
  },
};
