import { type ExpressionWarning, VALIDATINGADMISSIONPOLICIES, type ValidatingAdmissionPolicy } from "../../api/mod.ts";
import type { PolicyContext } from "./context.ts";

/** What owns the status; another name would leave two owners of its lists. */
const FIELD_MANAGER = "validatingadmissionpolicy-status";

/** What was found in a generation of a policy. */
interface Findings {
  readonly name: string;
  readonly generation: number;
  readonly warnings: readonly ExpressionWarning[];
  readonly signal: AbortSignal;
}

/** Applies what was found; a status without `typeChecking` would look as if nothing had been checked. */
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
