import { StatusError } from "../../../src/client/mod.ts";

/** What the API server refuses a request with; `causes` are reasons in its details. */
export function statusError(
  code: number,
  reason: string,
  message = reason,
  causes: readonly string[] = [],
): StatusError {
  const details = { causes: causes.map((cause) => ({ reason: cause })) };
  return new StatusError({ status: "Failure", code, reason, message, details });
}

/** The refusal to create anything in a namespace that is being deleted. */
export function namespaceTerminating(): StatusError {
  return statusError(403, "Forbidden", "unable to create new content in namespace a", ["NamespaceTerminating"]);
}
