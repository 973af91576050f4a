import type { CertificateSigningRequest } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { FieldErrors } from "../../validation/mod.ts";

/** The part of a request that holds the decision. */
export type SigningRequest = Pick<CertificateSigningRequest, "status">;
type Condition = NonNullable<NonNullable<CertificateSigningRequest["status"]>["conditions"]>[number];

const AT = "status.conditions";
const DECISIONS = ["Approved", "Denied"];
const FINAL = [...DECISIONS, "Failed"];

function ofType({ status }: SigningRequest, type: string): readonly Condition[] {
  return status?.conditions?.filter((condition) => condition.type === type) ?? [];
}

/** Sets missing times of conditions. Upstream: populateConditionTimestamps. */
export function stampConditions({ status }: SigningRequest, old: SigningRequest, now: string): void {
  for (const condition of status?.conditions ?? []) {
    condition.lastUpdateTime ||= now;
    const same = ofType(old, condition.type).find((other) => other.status === condition.status);
    condition.lastTransitionTime ||= same?.lastTransitionTime || now;
  }
}

/** Restores the old decisions, unless some were added or removed. Upstream: preserveConditionInstances. */
export function keepDecisions(request: SigningRequest, old: SigningRequest): void {
  const { conditions } = request.status ?? {};
  for (const type of DECISIONS) {
    const before = [...ofType(old, type)];
    if (!conditions || before.length !== ofType(request, type).length) continue;
    for (const [i, condition] of conditions.entries()) {
      if (condition.type === type) conditions[i] = { ...before.shift()! };
    }
  }
}

/** A decision cannot be withdrawn. Upstream: `apis/certificates/validation/validation.go`. */
export function validateDecision(request: SigningRequest, old: SigningRequest, errors: FieldErrors): void {
  for (const type of FINAL) {
    if (ofType(request, type).length >= ofType(old, type).length) continue;
    errors.forbidden(AT, `updates may not remove a condition of type "${type}"`);
  }
}

/** Decisions can only be made through the approval subresource. */
export function validateUndecided(request: SigningRequest, old: SigningRequest, errors: FieldErrors): void {
  for (const type of DECISIONS) {
    const [before, after] = [ofType(old, type), ofType(request, type)];
    if (after.length > before.length) {
      errors.forbidden(AT, `updates may not add a condition of type "${type}"`);
    } else if (after.length === before.length && !deepEqual(before, after)) {
      errors.forbidden(AT, `updates may not modify a condition of type "${type}"`);
    }
  }
}

/** Upstream: validateConditions in the same file. Existing errors may stay. */
export function validateConditions(request: SigningRequest, errors: FieldErrors, old: SigningRequest = {}): void {
  const seen = new Set<string>();
  const before = (old.status?.conditions ?? []).map(({ type }) => type);
  const mayRepeat = new Set(before).size < before.length;
  const mayContradict = DECISIONS.every((type) => before.includes(type));
  for (const [i, { type = "", status: truth = "" }] of (request.status?.conditions ?? []).entries()) {
    if (!type && !before.includes("")) errors.required(`${AT}[${i}].type`);
    const allowed = FINAL.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (!truth) errors.required(`${AT}[${i}].status`);
    else if (!allowed.includes(truth)) errors.notSupported(`${AT}[${i}].status`, truth, allowed);
    const contradicts = DECISIONS.includes(type) && DECISIONS.some((other) => other !== type && seen.has(other));
    if (contradicts && !mayContradict) {
      errors.invalid(AT, type, "Approved and Denied conditions are mutually exclusive");
    }
    if (seen.has(type) && !mayRepeat) errors.duplicate(`${AT}[${i}].type`, type);
    seen.add(type);
  }
}
