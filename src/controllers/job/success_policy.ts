import type { Job } from "../../api/mod.ts";
import { Indexes } from "./indexes.ts";
import { indexCount } from "./spec.ts";

/**
 * Which rule of the success policy the succeeded indexes fulfil, in upstream's words; `undefined` if none.
 * Upstream: `pkg/controller/job/success_policy.go`.
 */
export function matchSuccessPolicy(job: Job, succeeded: Indexes): string | undefined {
  if (succeeded.size === 0) return undefined;
  const matched = (job.spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    const suffices = (count: number) => succeededCount !== undefined && count >= succeededCount;
    if (succeededIndexes === undefined) return suffices(succeeded.size);
    const required = Indexes.parse(succeededIndexes, indexCount(job));
    if (required.size === 0) return false; // it could not be understood
    const overlap = required.overlap(succeeded);
    return overlap === required.size || suffices(overlap);
  });
  return matched < 0 ? undefined : `Matched rules at index ${matched}`;
}
