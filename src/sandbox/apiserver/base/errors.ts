import { groupResource, type Status, type StatusCause, type StatusDetails } from "../../../api/mod.ts";

/** A refusal that becomes a `Status` body. Upstream: `k8s.io/apimachinery/pkg/api/errors`. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details?: StatusDetails;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The body of the response. */
  get status(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...this.reason ? { reason: this.reason } : {},
      ...this.details ? { details: this.details } : {},
      code: this.code,
    };
  }
}

/** What an error is about: a resource, as details and messages name it. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** The start of messages, such as `deployments.apps "web"`. */
function describe(subject: Subject, name: string): string {
  return `${groupResource(subject)} "${name}"`;
}

function detailsOf({ group, plural }: Subject, name: string, causes?: readonly StatusCause[]): StatusDetails {
  return {
    ...name ? { name } : {},
    ...group ? { group } : {},
    kind: plural,
    ...causes ? { causes: [...causes] } : {},
  };
}

export function notFound(subject: Subject, name: string): ApiError {
  return new ApiError(404, "NotFound", `${describe(subject, name)} not found`, detailsOf(subject, name));
}

export function pathNotFound(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}

export function alreadyExists(subject: Subject, name: string): ApiError {
  return new ApiError(409, "AlreadyExists", `${describe(subject, name)} already exists`, detailsOf(subject, name));
}

export function conflict(subject: Subject, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${describe(subject, name)}: ${why}`;
  return new ApiError(409, "Conflict", message, detailsOf(subject, name));
}

/** The conflict caused by a stale resourceVersion. */
export function modified(subject: Subject, name: string): ApiError {
  const why = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(subject, name, why);
}

export function forbidden(subject: Subject, name: string, why: string, causes?: readonly StatusCause[]): ApiError {
  const what = name ? describe(subject, name) : groupResource(subject);
  return new ApiError(403, "Forbidden", `${what} is forbidden: ${why}`, detailsOf(subject, name, causes));
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

/** Custom resources' answer to a verb that a subresource does not have. */
export function verbNotSupported(subject: Subject, verb: string): ApiError {
  const message = `${verb} is not supported on resources of kind "${groupResource(subject)}"`;
  return new ApiError(405, "MethodNotAllowed", message, detailsOf(subject, ""));
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = "the body of the request was in an unknown format - accepted media types include: ";
  return new ApiError(415, "UnsupportedMediaType", message + accepted.join(", "));
}

/** The media type is not that of a patch. */
export function noPatchType(): ApiError {
  return new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

export function notAcceptable(message: string, details?: StatusDetails): ApiError {
  return new ApiError(406, "NotAcceptable", message, details);
}

/** An error without a reason upstream: 500 and the bare message. */
export function plainError(message: string): ApiError {
  return new ApiError(500, "", message);
}

export function expired(message: string): ApiError {
  return new ApiError(410, "Expired", message);
}

export function tooManyRequests(message: string, retryAfterSeconds: number, causes?: readonly StatusCause[]): ApiError {
  const details: StatusDetails = retryAfterSeconds > 0 ? { retryAfterSeconds } : {};
  if (causes) details.causes = [...causes];
  return new ApiError(429, "TooManyRequests", message, details);
}

export function internalError(message: string): ApiError {
  return new ApiError(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** A read asked for a revision in the future. */
export function tooLargeResourceVersion(asked: number, current: number): ApiError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  return new ApiError(504, "Timeout", message, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** More causes are only counted: each item of a list of a hundred thousand may be one. */
const MOST_SHOWN = 1_000;

/** Validation failed with these causes; the status is 422. Upstream: `errors.NewInvalid`. */
export function invalid(subject: Subject, name: string, all: readonly StatusCause[]): ApiError {
  const causes = all.slice(0, MOST_SHOWN);
  if (all.length > MOST_SHOWN) causes.push({ message: `and ${all.length - MOST_SHOWN} more errors` });
  const texts = [...new Set(causes.map(({ field, message }) => field ? `${field}: ${message}` : message ?? ""))];
  const errors = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const { kind, group } = subject;
  const details: StatusDetails = { ...name ? { name } : {}, ...kind ? { kind } : {}, causes };
  if (group) details.group = group;
  return new ApiError(422, "Invalid", `${group ? `${kind}.${group}` : kind} "${name}" is invalid: ${errors}`, details);
}
