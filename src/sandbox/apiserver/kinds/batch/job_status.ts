import type { Job, JobStatus } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { type FieldErrors, nonNegatives } from "../../validation/mod.ts";
import { countIndexes, firstOverlap } from "./indexes.ts";

type ConditionType = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";

function has(status: JobStatus | undefined, type: ConditionType, value = "True"): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === value) ?? false;
}

const isFinished = (status: JobStatus | undefined) => has(status, "Complete") || has(status, "Failed");

/** What differs between two statuses: rules about a field hold only where something about it changed. */
class Changes {
  readonly #status: JobStatus;
  readonly #before: JobStatus;

  constructor(status: JobStatus, before: JobStatus) {
    this.#status = status;
    this.#before = before;
  }

  of(...fields: readonly (keyof JobStatus)[]): boolean {
    return fields.some((field) => !deepEqual(this.#status[field], this.#before[field]));
  }

  ofCondition(...types: readonly ConditionType[]): boolean {
    return types.some((type) => has(this.#status, type) !== has(this.#before, type));
  }

  get ofFinished(): boolean {
    return isFinished(this.#status) !== isFinished(this.#before);
  }
}

const counters = nonNegatives<JobStatus>("active", "succeeded", "failed", "ready", "terminating");

function validateUncounted({ uncountedTerminatedPods }: JobStatus, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [i, uid] of (uncountedTerminatedPods?.[list] ?? []).entries()) {
      const at = `status.uncountedTerminatedPods.${list}[${i}]`;
      if (uid === "") errors.invalid(at, uid, "must not be empty");
      else if (seen.has(uid)) errors.duplicate(at, uid);
      seen.add(uid);
    }
  }
}

/** What a status says of itself, where it changed. Upstream: validateJobStatus. */
function validateConsistent({ spec, status = {} }: Job, changes: Changes, errors: FieldErrors): void {
  const [complete, failed] = [has(status, "Complete"), has(status, "Failed")];
  const [failing, succeeding] = [has(status, "FailureTarget"), has(status, "SuccessCriteriaMet")];
  const { completionTime, startTime, active = 0, ready, terminating = 0 } = status;
  const conditions = (why: string) => errors.invalid("status.conditions", status.conditions, why);
  if (changes.ofCondition("Complete", "Failed") && complete && failed) conditions("Complete and Failed contradict");
  if (changes.ofCondition("Complete", "FailureTarget") && complete && failing) {
    conditions("Complete and FailureTarget contradict");
  }
  if (changes.ofCondition("Complete") || changes.of("completionTime")) {
    if (completionTime && !complete) {
      errors.invalid("status.completionTime", completionTime, "needs the condition Complete=True");
    }
    if (!completionTime && complete) errors.required("status.completionTime", "with Complete=True");
  }
  if (changes.of("startTime", "completionTime") && startTime && completionTime && completionTime < startTime) {
    errors.invalid("status.completionTime", completionTime, "must be equal to or after `startTime`");
  }
  if ((changes.ofCondition("Failed") || changes.of("failedIndexes")) && failed && !failing) {
    conditions("Failed=True needs FailureTarget=True");
  }
  if (changes.ofCondition("Complete", "SuccessCriteriaMet") && complete && !succeeding) {
    conditions("Complete=True needs SuccessCriteriaMet=True");
  }
  validateFinished({ spec, status }, changes, errors);
  validateIndexes({ spec, status }, changes, errors);
  if ((changes.ofFinished || changes.of("terminating")) && terminating > 0 && isFinished(status)) {
    errors.invalid("status.terminating", terminating, "terminating>0 is invalid for finished job");
  }
  if (changes.of("ready", "active") && ready !== undefined && ready > active) {
    errors.invalid("status.ready", ready, "cannot set more ready pods than active");
  }
  if (succeeding && failed) conditions("SuccessCriteriaMet and Failed contradict");
  if (succeeding && failing) conditions("SuccessCriteriaMet and FailureTarget contradict");
  if (spec?.successPolicy && !succeeding && complete) conditions("Complete=True needs SuccessCriteriaMet=True");
}

type SpecAndStatus = { readonly spec?: Job["spec"]; readonly status: JobStatus };

function validateFinished({ spec, status }: SpecAndStatus, changes: Changes, errors: FieldErrors): void {
  if (!isFinished(status)) return;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  if ((changes.ofFinished || changes.of("active")) && active > 0) {
    errors.invalid("status.active", active, "active>0 is invalid for finished job");
  }
  const isEmptySuspended = spec?.suspend === true && spec.completions === 0;
  if ((changes.ofFinished || changes.of("startTime")) && !startTime && !isEmptySuspended) {
    errors.required("status.startTime", "startTime is required for finished job");
  }
  const count = (uncounted?.failed?.length ?? 0) + (uncounted?.succeeded?.length ?? 0);
  if ((changes.ofFinished || changes.of("uncountedTerminatedPods")) && count > 0) {
    errors.invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job");
  }
}

function validateIndexes({ spec, status }: SpecAndStatus, changes: Changes, errors: FieldErrors): void {
  const { completedIndexes = "", failedIndexes } = status;
  const { completions, backoffLimitPerIndex, completionMode } = spec ?? {};
  const check = (field: "completedIndexes" | "failedIndexes", text: string) => {
    const counted = countIndexes(text, completions ?? 0);
    if (typeof counted === "number") return;
    errors.invalid(`status.${field}`, text, `error parsing ${field}: ${counted.problem}`);
  };
  const [completedChanged, failedChanged] = [changes.of("completedIndexes"), changes.of("failedIndexes")];
  if (completedChanged && completions !== undefined) check("completedIndexes", completedIndexes);
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    check("failedIndexes", failedIndexes);
  }
  if (completedChanged && completedIndexes !== "" && completionMode !== "Indexed") {
    errors.invalid("status.completedIndexes", completedIndexes, "is for the completionMode Indexed only");
  }
  if (failedIndexes === undefined) return;
  if (failedChanged && backoffLimitPerIndex === undefined) {
    errors.invalid("status.failedIndexes", failedIndexes, "needs a backoffLimitPerIndex");
  }
  if (!(completedChanged || failedChanged) || completions === undefined) return;
  const overlap = firstOverlap(completedIndexes, failedIndexes, completions);
  if (overlap === undefined) return;
  errors.invalid("status.failedIndexes", failedIndexes, `overlaps completedIndexes at ${overlap}`);
}

/** How a job's status may change. Upstream: ValidateJobStatusUpdate with all of its options. */
export function validateJobStatus(job: Job, old: Job, errors: FieldErrors): void {
  const { spec, status = {} } = job;
  const { status: before = {} } = old;
  const changes = new Changes(status, before);
  counters(status, "status", errors);
  validateUncounted(status, errors);
  validateConsistent(job, changes, errors);
  for (const type of ["Failed", "Complete", "FailureTarget"] as const) {
    if (!has(before, type) || has(status, type)) continue;
    errors.invalid("status.conditions", status.conditions, `cannot disable the terminal ${type}=True condition`);
  }
  if ((status.failed ?? 0) < (before.failed ?? 0)) {
    errors.invalid("status.failed", status.failed ?? 0, "cannot decrease the failed counter");
  }
  const mayShrink = spec?.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (!mayShrink && (status.succeeded ?? 0) < (before.succeeded ?? 0)) {
    errors.invalid("status.succeeded", status.succeeded ?? 0, "cannot decrease the succeeded counter");
  }
  if (status.completionTime && before.completionTime && status.completionTime !== before.completionTime) {
    errors.invalid("status.completionTime", status.completionTime, "field is immutable");
  }
  const isResuming = has(before, "Suspended") && has(status, "Suspended", "False");
  if (before.startTime && before.startTime !== status.startTime && !isResuming && !spec?.suspend) {
    errors.invalid("status.startTime", status.startTime ?? null, "field is immutable for unsuspended job once set");
  }
  const [succeeded, succeeding] = [has(before, "SuccessCriteriaMet"), has(status, "SuccessCriteriaMet")];
  if (succeeded && !succeeding) {
    errors.invalid("status.conditions", status.conditions, "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (has(before, "Complete") && !succeeded && succeeding) {
    errors.invalid("status.conditions", status.conditions, "cannot set SuccessCriteriaMet=True after Complete=True");
  }
}
