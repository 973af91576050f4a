import { type SigningRequest, stampConditions } from "../kinds/mod.ts";

/** Adopts the sent conditions, with missing times set. Upstream: `registry/certificates/certificates/strategy.go`. */
export function takeConditions(request: SigningRequest, sent: SigningRequest, now: string): void {
  stampConditions(sent, request, now);
  const { conditions: _conditions, ...rest } = request.status ?? {};
  const conditions = sent.status?.conditions ?? [];
  request.status = conditions.length > 0 ? { ...rest, conditions } : rest;
}
