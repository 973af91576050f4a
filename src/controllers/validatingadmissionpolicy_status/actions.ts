import { type ExpressionWarning, VALIDATINGADMISSIONPOLICIES, type ValidatingAdmissionPolicy } from "../../api/mod.ts";
import type { PolicyContext } from "./context.ts";

/** The owner of the status; changing it would leave the lists with two owners. */
const FIELD_MANAGER = "validatingadmissionpolicy-status";

/** The findings for one generation of a policy. */
interface Findings {
  readonly name: string;
  readonly generation: number;
  readonly warnings: readonly ExpressionWarning[];
  readonly signal: AbortSignal;
}

/** Applies the findings; a status without `typeChecking` would look as if nothing had been checked. */
export async function writeWarnings(
  { client }: Pick<PolicyContext, "client">,
  { name, generation, warnings, signal }: Findings,
): Promise<void> {
  const typeChecking = warnings.length > 0 ? { expressionWarnings: [...warnings] } : {};
  const policy: ValidatingAdmissionPolicy = {
    metadata: { name },
    status: { observedGeneration: generation, typeChecking },
  };
  const options = { subresource: "status", fieldManager: FIELD_MANAGER, force: true, signal };
  await client.apply(VALIDATINGADMISSIONPOLICIES, policy, options);
}
