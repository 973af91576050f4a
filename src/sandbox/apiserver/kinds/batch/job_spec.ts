import type { JobSpec, PodFailurePolicyRule, SuccessPolicyRule } from "../../../../api/mod.ts";
import {
  atMost,
  byteLength,
  each,
  type FieldErrors,
  fields,
  nonNegative,
  nonNegatives,
  oneOf,
  repetitions,
  required,
  validateDomainPath,
  valuesOf,
} from "../../validation/mod.ts";
import { validateTemplate } from "../pods/mod.ts";
import { countIndexes, NOT_INDEXES } from "./indexes.ts";

/** How many pods of an indexed job may run, and how many indexes fail. */
const MOST_INDEXED = 100_000;

const counts = nonNegatives<JobSpec>(
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
);

/** Upstream: validateJobSpec, which Jobs and the templates of CronJobs share. */
export function validateJobSpec(spec: JobSpec, at: string, errors: FieldErrors): void {
  counts(spec, at, errors);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  }
  if (spec.managedBy !== undefined) {
    validateDomainPath(spec.managedBy, `${at}.managedBy`, errors);
    if (byteLength(spec.managedBy) > 63) errors.tooLong(`${at}.managedBy`, 63);
  }
  validateMode(spec, at, errors);
  if (spec.podFailurePolicy) {
    const rules = spec.podFailurePolicy.rules ?? [];
    const path = `${at}.podFailurePolicy.rules`;
    atMost(rules, 20, path, errors);
    for (const [i, rule] of rules.entries()) validateFailureRule(rule, spec, `${path}[${i}]`, errors);
  }
  if (spec.successPolicy) validateSuccessPolicy(spec, `${at}.successPolicy`, errors);
  if (spec.podReplacementPolicy !== undefined) {
    const policies = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
    oneOf(...policies)(spec.podReplacementPolicy, `${at}.podReplacementPolicy`, errors);
  }
  validateTemplate(spec.template, `${at}.template`, errors);
  validateEnds(spec, `${at}.template.spec.restartPolicy`, errors);
}

/** A job's pods must end by themselves. */
function validateEnds({ template, podFailurePolicy }: JobSpec, at: string, errors: FieldErrors): void {
  const policy = template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") errors.required(at, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") errors.notSupported(at, policy, ["OnFailure", "Never"]);
  else if (podFailurePolicy && policy !== "Never") {
    errors.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}

function validateMode(spec: JobSpec, at: string, errors: FieldErrors): void {
  const { completionMode, completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  if (completionMode !== undefined) modes(completionMode, `${at}.completionMode`, errors);
  if (completionMode === undefined || completionMode === "NonIndexed") {
    const why = "requires indexed completion mode";
    if (backoffLimitPerIndex !== undefined) errors.invalid(`${at}.backoffLimitPerIndex`, backoffLimitPerIndex, why);
    if (maxFailedIndexes !== undefined) errors.invalid(`${at}.maxFailedIndexes`, maxFailedIndexes, why);
  }
  if (completionMode !== "Indexed") return;
  if (completions === undefined) errors.required(`${at}.completions`, "when completion mode is Indexed");
  else if (maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    errors.invalid(`${at}.maxFailedIndexes`, maxFailedIndexes, "must be less than or equal to completions");
  }
  for (const [field, value] of Object.entries({ parallelism, maxFailedIndexes: maxFailedIndexes ?? 0 })) {
    if (value <= MOST_INDEXED) continue;
    errors.invalid(`${at}.${field}`, value, `must be less than or equal to ${MOST_INDEXED}`);
  }
}

const modes = valuesOf("batch.v1.JobSpec", "completionMode");
const failureRule = fields<PodFailurePolicyRule>({
  action: "!one",
  onPodConditions: each(fields<NonNullable<PodFailurePolicyRule["onPodConditions"]>[number]>({
    type: "*qualified",
    status: required(oneOf("False", "True", "Unknown")),
  })),
}, "batch.v1.PodFailurePolicyRule");
const exitCodes = fields<{ operator?: string }>(
  { operator: "!one" },
  "batch.v1.PodFailurePolicyOnExitCodesRequirement",
);

function validateFailureRule(rule: PodFailurePolicyRule, spec: JobSpec, at: string, errors: FieldErrors): void {
  const { action = "", onExitCodes, onPodConditions = [] } = rule;
  failureRule(rule, at, errors);
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    errors.invalid(`${at}.action`, action, "requires the backoffLimitPerIndex to be set");
  }
  if (onExitCodes) validateExitCodes(onExitCodes, spec, `${at}.onExitCodes`, errors);
  atMost(onPodConditions, 20, `${at}.onPodConditions`, errors);
  if (onExitCodes && onPodConditions.length > 0) {
    errors.invalid(at, rule, "must not have both onExitCodes and onPodConditions");
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    errors.invalid(at, rule, "must have one of onExitCodes and onPodConditions");
  }
}

function validateExitCodes(
  { operator, containerName, values: sent }: NonNullable<PodFailurePolicyRule["onExitCodes"]>,
  { template }: JobSpec,
  at: string,
  errors: FieldErrors,
): void {
  const values = sent ?? [];
  exitCodes({ operator }, at, errors);
  const { containers = [], initContainers = [] } = template?.spec ?? {};
  if (containerName !== undefined && ![...containers, ...initContainers].some(({ name }) => name === containerName)) {
    errors.invalid(`${at}.containerName`, containerName, "must be the name of a container of the template");
  }
  if (values.length === 0) errors.invalid(`${at}.values`, null, "at least one value is required");
  atMost(values, 255, `${at}.values`, errors);
  const repeated = repetitions(values);
  for (const [i, value] of values.entries()) {
    if (operator === "In" && value === 0) errors.invalid(`${at}.values[${i}]`, value, "must not be 0");
    if (repeated.has(i)) errors.duplicate(`${at}.values[${i}]`, value);
  }
  if (values.some((value, i) => i > 0 && values[i - 1] > value)) {
    errors.invalid(`${at}.values`, values, "must be ordered");
  }
}

function validateSuccessPolicy(spec: JobSpec, at: string, errors: FieldErrors): void {
  if (spec.completionMode !== "Indexed") {
    return errors.invalid(at, spec.successPolicy, "requires indexed completion mode");
  }
  const rules = spec.successPolicy?.rules ?? [];
  if (rules.length === 0) errors.required(`${at}.rules`, "must not be empty");
  atMost(rules, 20, `${at}.rules`, errors);
  for (const [i, rule] of rules.entries()) {
    validateSuccessRule(rule, spec.completions ?? 0, `${at}.rules[${i}]`, errors);
  }
}

function validateSuccessRule(
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  completions: number,
  at: string,
  errors: FieldErrors,
): void {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.required(at, "must have succeededCount or succeededIndexes");
  }
  let indexes = 0;
  if (succeededIndexes !== undefined) {
    const field = `${at}.succeededIndexes`;
    if (byteLength(succeededIndexes) > 64 * 1024) errors.tooLong(field, 64 * 1024);
    const counted = countIndexes(succeededIndexes, completions);
    if (counted === undefined) errors.invalid(field, succeededIndexes, NOT_INDEXES);
    indexes = counted ?? 0;
  }
  if (succeededCount === undefined) return;
  const field = `${at}.succeededCount`;
  nonNegative(succeededCount, field, errors);
  const most = succeededIndexes === undefined ? completions : Math.min(completions, indexes);
  if (succeededCount > most) errors.invalid(field, succeededCount, `must be less than or equal to ${most}`);
}
