/** The rules for jobs. Upstream: `pkg/registry/batch`, `pkg/apis/batch`. */
import {
  type CronJob,
  type Job,
  type JobSpec,
  type ObjectMeta,
  type PodSpec,
  type PodTemplateSpec,
  SelectorError,
  selectorOf,
} from "../../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../../base/mod.ts";
import { parseCronSchedule, TimeZone } from "../../../../rules/mod.ts";
import { attempt } from "../../base/mod.ts";
import type { FeatureGates, Stored, Traits } from "../../traits/mod.ts";
import {
  dnsLabel,
  type FieldErrors,
  fields,
  problemOf,
  unchanged,
  validateLabelSelector,
} from "../../validation/mod.ts";
import { defaultTemplate } from "../pods/mod.ts";
import { validateSelects, workloadWarnings } from "../workloads/mod.ts";
import { validateJobSpec } from "./job_spec.ts";
import { validateJobStatus } from "./job_status.ts";

const UID_LABEL = "batch.kubernetes.io/controller-uid";

/** The defaults that job templates get as well. */
function defaultJobTemplateSpec(spec: JobSpec, gates: FeatureGates): void {
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const condition of onPodConditions) condition.status ||= "True";
  }
  defaultTemplate(spec.template ??= {}, gates);
}

/** The labels of a job's pods, unless the job brings its own selector. */
function labelsOf({ name = "", uid = "" }: ObjectMeta): Record<string, string> {
  return { "job-name": name, "batch.kubernetes.io/job-name": name, "controller-uid": uid, [UID_LABEL]: uid };
}

/** Gives a job a selector for its uid, unless it brings its own. */
function generateSelector({ metadata, spec }: Stored<Job>): void {
  if (!spec || spec.manualSelector) return;
  const template: PodTemplateSpec = spec.template ??= {};
  template.metadata = {
    ...template.metadata,
    labels: { ...template.metadata?.labels, ...labelsOf(metadata), ...template.metadata?.labels },
  };
  const { selector } = spec;
  spec.selector = { ...selector, matchLabels: { [UID_LABEL]: metadata.uid ?? "", ...selector?.matchLabels } };
}

/** Upstream: validateGeneratedSelector. */
function validateGenerated({ metadata, spec }: Stored<Job>, errors: FieldErrors): void {
  if (!spec?.selector || spec.manualSelector) return;
  const wanted = labelsOf(metadata);
  const labels = spec.template?.metadata?.labels ?? {};
  for (const [label, value] of Object.entries(wanted)) {
    const field = `spec.template.metadata.labels[${label}]`;
    if (labels[label] === undefined) errors.required(field, `must be '${value}'`);
    else if (labels[label] !== value) errors.invalid(field, labels, `must be '${value}'`);
  }
  const matches = attempt(() => selectorOf(spec.selector).matches(wanted), SelectorError);
  if (matches === false) errors.invalid("spec.selector", spec.selector, "`selector` not auto-generated");
}

function validateJob(job: Stored<Job>, errors: FieldErrors): void {
  const { metadata, spec = { template: {} } } = job;
  validateGenerated(job, errors);
  validateJobSpec(spec, "spec", errors);
  if (!spec.selector) errors.required("spec.selector");
  else validateLabelSelector(spec.selector, "spec.selector", errors);
  validateSelects(spec.selector, spec.template, errors);
  if (spec.completionMode !== "Indexed" || !spec.completions || spec.completions < 0) return;
  const hostname = `${metadata.name}-${spec.completions - 1}`;
  if (dnsLabel(hostname).length === 0) return;
  errors.invalid("metadata.name", metadata.name, `will not able to create pod with invalid DNS label: ${hostname}`);
}

/** Whether the pod template may still change, because no pod of the job is running. */
function isMutable({ spec, status = {} }: Job): boolean {
  const isSuspended = status.conditions?.some(({ type, status }) => type === "Suspended" && status === "True");
  return spec?.suspend === true && (!status.startTime || isSuspended === true) && !status.active;
}

/** The old spec with the new values of fields that may change. */
function withChangeable(spec: PodSpec, old: PodSpec): PodSpec {
  const merged = deepCopy(old);
  const { nodeSelector, tolerations, schedulingGates, affinity } = spec;
  Object.assign(merged, { nodeSelector, tolerations, schedulingGates });
  const { nodeAffinity: _old, ...kept } = merged.affinity ?? {};
  merged.affinity = affinity?.nodeAffinity ? { ...kept, nodeAffinity: affinity.nodeAffinity } : kept;
  if (!affinity && Object.keys(kept).length === 0) delete merged.affinity;
  for (const list of ["containers", "initContainers"] as const) {
    const [now, before] = [spec[list] ?? [], merged[list] ?? []];
    if (now.length !== before.length) continue;
    for (const [i, container] of before.entries()) {
      if (container.name === now[i].name) container.resources = now[i].resources;
    }
  }
  return merged;
}

function validateJobUpdate(job: Stored<Job>, old: Stored<Job>, errors: FieldErrors): void {
  const { completions, parallelism, completionMode, template = {} } = job.spec ?? {};
  const before: Partial<JobSpec> = old.spec ?? {};
  if (completionMode !== "Indexed") unchanged(completions, before.completions, "spec.completions", errors);
  else if (completions !== undefined && completions !== before.completions && completions !== parallelism) {
    errors.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism");
  }
  // Upstream: validatePodTemplateUpdate.
  if (!isMutable(old)) return unchanged(template, before.template ?? {}, "spec.template", errors);
  const merged = withChangeable(template.spec ?? { containers: [] }, before.template?.spec ?? { containers: [] });
  unchanged(template.spec, merged, "spec.template.spec", errors);
}

const IMMUTABLE = "selector completionMode podFailurePolicy backoffLimitPerIndex managedBy successPolicy";

export const jobs: Traits<Job> = {
  immutable: IMMUTABLE.split(" ").map((field) => `spec.${field}`),
  orphansByDefault: true,
  generation: ({ spec }) => spec,
  defaults({ spec, metadata }, gates) {
    if (!spec) return;
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
    spec.completionMode ??= "NonIndexed";
    spec.suspend ??= false;
    spec.manualSelector ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
    defaultJobTemplateSpec(spec, gates);
    const labels = spec.template?.metadata?.labels;
    if (labels && !metadata.labels) metadata.labels = { ...labels };
  },
  prepareCreate(job) {
    // Omitted labels become those of the template, including the generated ones.
    const takesTemplateLabels = deepEqual(job.metadata.labels, job.spec?.template?.metadata?.labels);
    generateSelector(job);
    if (takesTemplateLabels) job.metadata.labels = { ...job.spec?.template?.metadata?.labels };
  },
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatus: validateJobStatus,
  warnings: (job, old) => workloadWarnings(job, old, job.spec?.template),
};

function validateZone(zone: string, at: string, errors: FieldErrors): void {
  const isLocal = zone === "" || zone.toLowerCase() === "local";
  if (isLocal || problemOf(() => TimeZone.load(zone))) {
    errors.invalid(at, zone, "must be a time zone of https://www.iana.org/time-zones");
  }
}

function validateSchedule(schedule: string, errors: FieldErrors, old: CronJob | undefined, zone: string | undefined) {
  const at = "spec.schedule";
  const problem = problemOf(() => parseCronSchedule(schedule));
  if (problem) errors.invalid(at, schedule, problem);
  if (!schedule.includes("TZ")) return;
  if (!old?.spec?.schedule.includes("TZ")) {
    errors.invalid(at, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (zone !== undefined) {
    errors.invalid(at, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

const cronFields = fields<NonNullable<CronJob["spec"]>>({
  startingDeadlineSeconds: "nonNegative",
  concurrencyPolicy: "*one",
  successfulJobsHistoryLimit: "nonNegative",
  failedJobsHistoryLimit: "nonNegative",
}, "batch.v1.CronJobSpec");

/** A CronJob's job template does not get the defaults of Jobs. */
export const cronJobs: Traits<CronJob> = {
  generation: ({ spec }) => spec,
  defaults({ spec }, gates) {
    if (!spec) return;
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    spec.jobTemplate ??= {};
    spec.jobTemplate.spec ??= { template: {} };
    defaultJobTemplateSpec(spec.jobTemplate.spec, gates);
  },
  validate({ spec }, errors, old) {
    const { schedule, timeZone, jobTemplate } = spec ?? {};
    if (!schedule) errors.required("spec.schedule");
    else validateSchedule(schedule, errors, old, timeZone);
    if (spec) cronFields(spec, "spec", errors);
    if (timeZone !== undefined && timeZone !== old?.spec?.timeZone) validateZone(timeZone, "spec.timeZone", errors);
    validateJobSpec(jobTemplate?.spec ?? { template: {} }, "spec.jobTemplate.spec", errors);
    const { selector, manualSelector } = jobTemplate?.spec ?? {};
    if (selector) errors.invalid("spec.jobTemplate.spec.selector", selector, "`selector` will be auto-generated");
    if (manualSelector) errors.notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]);
  },
  validateCreate({ metadata: { name = "" } }, errors) {
    if (name.length > 52) errors.invalid("metadata.name", name, "must be no more than 52 characters");
  },
  warnings(cronJob, old) {
    const { schedule, jobTemplate } = cronJob.spec ?? {};
    const out = workloadWarnings(cronJob, old, jobTemplate?.spec?.template, "spec.jobTemplate.spec.template");
    if (old && schedule?.includes("TZ")) {
      const where = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
      out.push(`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${where} for more details`);
    }
    return out;
  },
};
