import { TooManyNodesError } from "./nodes.ts";
import { TooManyStepsError } from "./steps.ts";

/** Whether an expression could not be read or checked because that would take too long. */
export function isTooLarge(error: unknown): error is Error {
  return error instanceof TooManyNodesError || error instanceof TooManyStepsError;
}
