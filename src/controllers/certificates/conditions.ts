import type { CertificateSigningRequest } from "../../api/mod.ts";

export type Condition = NonNullable<NonNullable<CertificateSigningRequest["status"]>["conditions"]>[number];

/** The conditions of one type; old requests may have several. */
export function conditionsOf({ status }: CertificateSigningRequest, type: string): Condition[] {
  return status?.conditions?.filter((condition) => condition.type === type) ?? [];
}

/** Whether it was approved or denied, whatever the condition's status. */
export function isDecided(request: CertificateSigningRequest): boolean {
  return conditionsOf(request, "Approved").length > 0 || conditionsOf(request, "Denied").length > 0;
}

export function isApproved(request: CertificateSigningRequest): boolean {
  return conditionsOf(request, "Approved").length > 0 && conditionsOf(request, "Denied").length === 0;
}

/** Whether a signer marked it as failed. Upstream: HasTrueCondition. */
export function hasFailed(request: CertificateSigningRequest): boolean {
  return conditionsOf(request, "Failed").some(({ status }) => !status || status === "True");
}

/** Whether it has its certificate. */
export function isIssued({ status }: CertificateSigningRequest): boolean {
  return Boolean(status?.certificate);
}

/** The request with one more condition. */
export function withOneMore(request: CertificateSigningRequest, condition: Condition): CertificateSigningRequest {
  const conditions = [...request.status?.conditions ?? [], condition];
  return { ...request, status: { ...request.status, conditions } };
}
