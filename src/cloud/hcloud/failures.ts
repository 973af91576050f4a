import { CloudConflictError, CloudError, RetryError } from "../errors.ts";
import { Answer, shown } from "./answers.ts";

/** The API refused a request. Upstream: `hcloud-go` (Error). */
export class HcloudError extends CloudError {
  override readonly name = "HcloudError";
  /** The HTTP status; 0 for an action that failed later. */
  readonly status: number;
  /** The API's code, such as `not_found`; empty if it gave none. */
  readonly code: string;

  constructor(message: string, { status, code }: { readonly status: number; readonly code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** There was no readable answer, so the request's outcome is unknown. */
export class HcloudUnreachableError extends CloudError {
  override readonly name = "HcloudUnreachableError";
}

/** The delay before a load balancer that another action holds is retried, in milliseconds. */
const BUSY_RETRY_MS = 5000;
/** How many of the fields that the API rejects are named. */
const MAX_FIELDS = 5;

/** Whether the API refused with one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly string[]): error is HcloudError {
  return error instanceof HcloudError && codes.includes(error.code);
}

/** Whether the resource is being changed by another client. Nothing was done then. */
export function isBusy(error: unknown): error is HcloudError {
  return isRefusal(error, "locked", "conflict");
}

/** Runs `work`; if the resource is busy, throws an error that allows a retry at once. */
export async function conflictIfBusy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isBusy(error) ? new CloudConflictError(error.message, { cause: error }) : error;
  }
}

/** Runs `work`; if the resource is busy, throws an error that asks for a retry soon. */
export async function laterIfBusy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isBusy(error) ? new RetryError(error.message, BUSY_RETRY_MS, { cause: error }) : error;
  }
}

/**
 * The error in an API answer with an HTTP status of 300 or above.
 *
 * @param what The request, such as `GET /servers`.
 * @param body The answer's body, if it is JSON.
 */
export function refusalOf(what: string, status: number, body: unknown): HcloudError {
  const { code = status === 429 ? "rate_limit_exceeded" : "", message, fields } = errorIn(body);
  const said = message ? `${message} (${code})` : `HTTP status ${status}`;
  return new HcloudError(`${what}: ${said}${fields && `: invalid fields: ${fields}`}`, { status, code });
}

function errorIn(body: unknown): { code?: string; message: string; fields: string } {
  try {
    const error = new Answer(body, "body").object("error");
    const code = shown(error.text("code"));
    const message = shown(error.textIfAny("message"));
    const details = code === "invalid_input" ? error.objectIfAny("details") : undefined;
    const fields = details?.objects("fields").slice(0, MAX_FIELDS)
      .map((field) => `${shown(field.text("name"))} (${shown(field.texts("messages").join(", "))})`);
    return { code, message, fields: fields?.join(", ") ?? "" };
  } catch {
    // Not one of the API's own errors: a gateway may answer anything.
    return { message: "", fields: "" };
  }
}
