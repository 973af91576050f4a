import { goQuote, parseJson } from "../base/mod.ts";
import { groupResource, type Resource, type Status } from "../api/mod.ts";
import { StatusError } from "./status_error.ts";

/** The request, for error messages. */
export interface RequestSubject {
  readonly method: string;
  readonly resource?: Resource;
  readonly name?: string;
}

/** The response. */
export interface FailedResponse {
  readonly code: number;
  readonly text: string;
  readonly contentType?: string;
  readonly retryAfterSeconds?: number;
}

/** Upstream keeps at most this much of a body that it does not understand. */
const MAX_TEXT_BYTES = 2048;

/**
 * The error for a failed response: the server's Status, or one derived from the status code.
 * Upstream: `k8s.io/client-go/rest/request.go`, `k8s.io/apimachinery/pkg/api/errors` (NewGenericServerResponse).
 */
export function statusErrorFrom(response: FailedResponse, subject: RequestSubject): StatusError {
  const status = parseFailure(response.text) ?? synthesise(response, subject);
  const retryAfterSeconds = status.details?.retryAfterSeconds || response.retryAfterSeconds;
  return new StatusError({
    ...status,
    code: status.code ?? response.code,
    details: retryAfterSeconds === undefined ? status.details : { ...status.details, retryAfterSeconds },
  });
}

/** Whether the body of a 2xx response is a failure Status. */
export function isFailureStatus(body: unknown): body is Status {
  return isStatus(body) && body.status !== "Success";
}

/** Whether a body is a Status whose fields all have the right type; upstream decodes no other. */
export function isStatus(body: unknown): body is Status {
  return isRecord(body) && body.kind === "Status" &&
    (body.apiVersion === "v1" || body.apiVersion === "meta.k8s.io/v1") &&
    allAre("string", body, ["status", "message", "reason"]) && allAre("number", body, ["code"]) &&
    (isAbsent(body.details) || areDetails(body.details));
}

function areDetails(details: unknown): boolean {
  return isRecord(details) && allAre("string", details, ["name", "group", "kind", "uid"]) &&
    allAre("number", details, ["retryAfterSeconds"]) &&
    (isAbsent(details.causes) || Array.isArray(details.causes) &&
        details.causes.every((cause) => isRecord(cause) && allAre("string", cause, ["reason", "message", "field"])));
}

function allAre(
  type: "string" | "number",
  object: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): boolean {
  return fields.every((field) => isAbsent(object[field]) || typeof object[field] === type);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function parseFailure(text: string): Status | undefined {
  if (!text.includes('"Failure"')) return undefined;
  try {
    const body = parseJson(text);
    return isStatus(body) && body.status === "Failure" ? body : undefined;
  } catch {
    return undefined; // not JSON, so not a Status: the caller derives one
  }
}

function synthesise(response: FailedResponse, subject: RequestSubject): Status {
  const { code } = response;
  const { resource, name } = subject;
  const bodyText = textOf(response);
  const [reason, text] = describe(code, subject.method, bodyText);
  const group = resource?.group || undefined;
  const on = resource && [subject.method.toLowerCase(), groupResource(resource), name];
  return {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: on ? `${text} (${on.filter((part) => part).join(" ")})` : text,
    details: {
      name,
      group,
      kind: resource?.plural,
      causes: [{ reason: "UnexpectedServerResponse", message: bodyText }],
      retryAfterSeconds: response.retryAfterSeconds,
    },
  };
}

function textOf({ text, contentType }: FailedResponse): string {
  if (contentType && !contentType.trim().toLowerCase().startsWith("text/")) return "unknown";
  const bytes = new TextEncoder().encode(text);
  const kept = bytes.length > MAX_TEXT_BYTES ? new TextDecoder().decode(bytes.subarray(0, MAX_TEXT_BYTES)) : text;
  return kept.trim();
}

const TEXTS: Readonly<Record<number, readonly [reason: string, text: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
};

const NOT_ACCEPTABLE = "the server was unable to respond with a content type that the client supports";

function describe(code: number, method: string, bodyText: string): readonly [reason: string, text: string] {
  if (code === 409 && method === "POST") return ["AlreadyExists", TEXTS[409][1]];
  if (code === 403) return ["Forbidden", bodyText];
  if (code === 406) return ["NotAcceptable", bodyText === "" || bodyText === "unknown" ? NOT_ACCEPTABLE : bodyText];
  if (code === 415) return ["UnsupportedMediaType", bodyText];
  if (TEXTS[code]) return TEXTS[code];
  if (code >= 500) {
    return ["InternalError", `an error on the server (${goQuote(bodyText)}) has prevented the request from succeeding`];
  }
  return ["", `the server responded with the status code ${code} but did not return more information`];
}
