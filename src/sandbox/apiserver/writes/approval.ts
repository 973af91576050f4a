import type { CertificateSigningRequest } from "../../../api/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";

/** The part of a request in which it is decided. */
export type SigningRequest = Pick<CertificateSigningRequest, "status">;
type Conditions = NonNullable<NonNullable<CertificateSigningRequest["status"]>["conditions"]>;

const FINAL = ["Approved", "Denied", "Failed"];

/** Takes over the conditions of what was sent, with the times that they lack. Upstream: `registry/certificates/certificates/strategy.go`. */
export function takeConditions(request: SigningRequest, sent: SigningRequest, now: string): void {
  const before = request.status?.conditions ?? [];
  const conditions = sent.status?.conditions ?? [];
  for (const condition of conditions) {
    condition.lastUpdateTime ||= now;
    const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
    condition.lastTransitionTime ||= same?.lastTransitionTime || now;
  }
  const { conditions: _conditions, ...rest } = request.status ?? {};
  request.status = conditions.length > 0 ? { ...rest, conditions } : rest;
}

/** A decision that was made stays. Upstream: `apis/certificates/validation/validation.go`. */
export function validateDecision(request: SigningRequest, old: SigningRequest, errors: FieldErrors): void {
  const of = (conditions: Conditions | undefined, type: string) =>
    conditions?.filter((condition) => condition.type === type).length ?? 0;
  for (const type of FINAL) {
    if (of(request.status?.conditions, type) >= of(old.status?.conditions, type)) continue;
    errors.forbidden("status.conditions", `updates may not remove a condition of type "${type}"`);
  }
}

/** Upstream: validateConditions in the same file. */
export function validateConditions({ status }: SigningRequest, errors: FieldErrors): void {
  const at = "status.conditions";
  const seen = new Set<string>();
  for (const [i, { type = "", status: truth = "" }] of (status?.conditions ?? []).entries()) {
    if (!type) errors.required(`${at}[${i}].type`);
    const allowed = FINAL.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (!truth) errors.required(`${at}[${i}].status`);
    else if (!allowed.includes(truth)) errors.notSupported(`${at}[${i}].status`, truth, allowed);
    const other = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (other !== undefined && seen.has(other)) {
      errors.invalid(at, type, "Approved and Denied conditions are mutually exclusive");
    }
    if (seen.has(type)) errors.duplicate(`${at}[${i}].type`, type);
    seen.add(type);
  }
}
