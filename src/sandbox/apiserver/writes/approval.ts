import { type SigningRequest, stampConditions } from "../kinds/mod.ts";

/** Takes over the conditions of what was sent, with the times that they lack. Upstream: `registry/certificates/certificates/strategy.go`. */
export function takeConditions(request: SigningRequest, sent: SigningRequest, now: string): void {
  stampConditions(sent, request, now);
  const { conditions: _conditions, ...rest } = request.status ?? {};
  const conditions = sent.status?.conditions ?? [];
  request.status = conditions.length > 0 ? { ...rest, conditions } : rest;
}
