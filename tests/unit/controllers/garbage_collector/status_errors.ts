import { StatusError } from "../../../../src/client/mod.ts";

/** What the API server refuses a request with; `causes` are reasons of details. */
export function statusError(
  code: number,
  reason: string,
  { message = reason, causes = [] }: { message?: string; causes?: readonly string[] } = {},
): StatusError {
  return new StatusError({
    status: "Failure",
    code,
    reason,
    message,
    details: { causes: causes.map((cause) => ({ reason: cause })) },
  });
}
