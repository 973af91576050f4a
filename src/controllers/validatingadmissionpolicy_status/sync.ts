import { writeWarnings } from "./actions.ts";
import { checkPolicy } from "./check_policy.ts";
import type { PolicyContext } from "./context.ts";
import { kindsToCheck } from "./kinds_to_check.ts";
import { resolveTypes } from "./resolve_types.ts";

/**
 * Checks a policy's expressions once for each of its generations.
 *
 * @throws {StatusError} If the result could not be written.
 */
export async function syncPolicy(name: string, context: PolicyContext, signal: AbortSignal): Promise<void> {
  const { world: { log }, policies, budget } = context;
  const policy = policies.get(undefined, name);
  if (!policy) return;
  const generation = policy.metadata?.generation ?? 0;
  if (generation <= (policy.status?.observedGeneration ?? 0)) return;
  const kinds = await kindsToCheck(policy, context);
  const types = await resolveTypes(policy, kinds, context, signal);
  const { warnings, unchecked } = await budget.run(checkPolicy(policy.spec ?? {}, types));
  for (const { fieldRef, err } of unchecked) {
    log.error("Expression of the policy is not checked", { err, policy: name, fieldRef });
  }
  await writeWarnings(context, { name, generation, warnings, signal });
}
