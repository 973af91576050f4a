import type { Job, JobStatus } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { type FieldErrors, nonNegatives } from "../../validation/mod.ts";
import { countIndexes, NOT_INDEXES } from "./indexes.ts";

type ConditionType = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";

function has(status: JobStatus | undefined, type: ConditionType, value = "True"): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === value) ?? false;
}

const isFinished = (status: JobStatus | undefined) => has(status, "Complete") || has(status, "Failed");

/** A status and the one it replaces; most rules only apply to changed fields. */
class Change {
  readonly status: JobStatus;
  readonly before: JobStatus;
  readonly spec: Partial<NonNullable<Job["spec"]>>;
  readonly #errors: FieldErrors;

  constructor(job: Job, { status: before = {} }: Job, errors: FieldErrors) {
    const { spec = {}, status = {} } = job;
    this.spec = spec;
    this.status = status;
    this.before = before;
    this.#errors = errors;
  }

  of(...fields: readonly (keyof JobStatus)[]): boolean {
    return fields.some((field) => !deepEqual(this.status[field], this.before[field]));
  }

  ofCondition(...types: readonly ConditionType[]): boolean {
    return types.some((type) => has(this.status, type) !== has(this.before, type));
  }

  get ofFinished(): boolean {
    return isFinished(this.status) !== isFinished(this.before);
  }

  refuse(isWrong: boolean, field: keyof JobStatus, why: string): void {
    if (isWrong) this.#errors.invalid(`status.${field}`, this.status[field] ?? null, why);
  }

  require(isMissing: boolean, field: keyof JobStatus): void {
    if (isMissing) this.#errors.required(`status.${field}`, "of a job that is finished");
  }
}

const counters = nonNegatives<JobStatus>("active", "succeeded", "failed", "ready", "terminating");

/** Rules within a status, for changed fields. Upstream: validateJobStatus. */
function validateConsistent(change: Change): void {
  const { spec, status } = change;
  const [complete, failed] = [has(status, "Complete"), has(status, "Failed")];
  const [failing, succeeding] = [has(status, "FailureTarget"), has(status, "SuccessCriteriaMet")];
  const { completionTime, startTime, active = 0, ready = 0, terminating = 0 } = status;
  const refuse = (isWrong: boolean, why: string) => change.refuse(isWrong, "conditions", why);
  refuse(change.ofCondition("Complete", "Failed") && complete && failed, "Complete and Failed cannot both be True");
  refuse(
    change.ofCondition("Complete", "FailureTarget") && complete && failing,
    "Complete and FailureTarget cannot both be True",
  );
  const completes = change.ofCondition("Complete") || change.of("completionTime");
  change.refuse(completes && completionTime !== undefined && !complete, "completionTime", "needs Complete=True");
  change.require(completes && !completionTime && complete, "completionTime");
  const isBackwards = completionTime && startTime ? completionTime < startTime : false;
  change.refuse(change.of("startTime", "completionTime") && isBackwards, "completionTime", "is before `startTime`");
  const fails = change.ofCondition("Failed") || change.of("failedIndexes");
  refuse(fails && failed && !failing, "Failed=True needs FailureTarget=True");
  const succeeds = change.ofCondition("Complete", "SuccessCriteriaMet") || spec.successPolicy !== undefined;
  refuse(succeeds && complete && !succeeding, "Complete=True needs SuccessCriteriaMet=True");
  change.refuse(change.of("ready", "active") && ready > active, "ready", "cannot be more than are active");
  refuse(succeeding && failed, "SuccessCriteriaMet and Failed cannot both be True");
  refuse(succeeding && failing, "SuccessCriteriaMet and FailureTarget cannot both be True");
  if (!isFinished(status)) return;
  const finishes = (field: keyof JobStatus) => change.ofFinished || change.of(field);
  const { failed: uncountedFailed = [], succeeded: uncounted = [] } = status.uncountedTerminatedPods ?? {};
  change.refuse(finishes("active") && active > 0, "active", "must be 0 in a finished job");
  change.refuse(finishes("terminating") && terminating > 0, "terminating", "must be 0 in a finished job");
  const isEmptySuspended = spec.suspend === true && spec.completions === 0;
  change.require(finishes("startTime") && !startTime && !isEmptySuspended, "startTime");
  const isOpen = uncountedFailed.length + uncounted.length > 0;
  const field = "uncountedTerminatedPods";
  change.refuse(finishes(field) && isOpen, field, "must be empty in a finished job");
}

function validateIndexes(change: Change): void {
  const { completedIndexes = "", failedIndexes } = change.status;
  const { completions, backoffLimitPerIndex, completionMode } = change.spec;
  const isWrong = (text = "") => completions !== undefined && countIndexes(text, completions) === undefined;
  if (change.of("completedIndexes")) {
    const isOdd = completedIndexes !== "" && completionMode !== "Indexed";
    change.refuse(isOdd, "completedIndexes", "may only be set with completionMode Indexed");
    change.refuse(isWrong(completedIndexes), "completedIndexes", NOT_INDEXES);
  }
  if (!change.of("failedIndexes")) return;
  if (backoffLimitPerIndex !== undefined) change.refuse(isWrong(failedIndexes), "failedIndexes", NOT_INDEXES);
  else change.refuse(failedIndexes !== undefined, "failedIndexes", "needs a backoffLimitPerIndex");
}

/** Validates a change of a job's status. Upstream: ValidateJobStatusUpdate. */
export function validateJobStatus(job: Job, old: Job, errors: FieldErrors): void {
  const change = new Change(job, old, errors);
  const { spec, status, before } = change;
  counters(status, "status", errors);
  validateConsistent(change);
  validateIndexes(change);
  for (const type of ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"] as const) {
    change.refuse(has(before, type) && !has(status, type), "conditions", `${type}=True cannot be undone`);
  }
  change.refuse((status.failed ?? 0) < (before.failed ?? 0), "failed", "cannot be decreased");
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  change.refuse(!mayShrink && (status.succeeded ?? 0) < (before.succeeded ?? 0), "succeeded", "cannot be decreased");
  const { completionTime, startTime } = before;
  const isMoved = status.completionTime !== undefined && status.completionTime !== completionTime;
  change.refuse(completionTime !== undefined && isMoved, "completionTime", "field is immutable");
  const isResuming = has(before, "Suspended") && has(status, "Suspended", "False");
  const isKept = startTime === undefined || startTime === status.startTime || isResuming || spec.suspend === true;
  change.refuse(!isKept, "startTime", "is immutable for an unsuspended job once set");
  const isLate = has(before, "Complete") && !has(before, "SuccessCriteriaMet") && has(status, "SuccessCriteriaMet");
  change.refuse(isLate, "conditions", "cannot set SuccessCriteriaMet=True after Complete=True");
}
