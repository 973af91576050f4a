import type { FieldErrors } from "../../validation/mod.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

/** When images are pulled. */
export function pullPolicy(policy: string | undefined, at: string, errors: FieldErrors): void {
  if (!policy) errors.required(at);
  else if (!PULL_POLICIES.includes(policy)) errors.notSupported(at, policy, PULL_POLICIES);
}
