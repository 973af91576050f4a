import { decodeBase64Url, encodeBase64Url } from "@std/encoding/base64url";
import { attempt, badRequest, isObject } from "../base/mod.ts";

/** Where the next page of a list begins. */
export interface Continue {
  /** The revision of the previous pages; negative to continue at the current one. */
  readonly revision: number;
  /** The first key of the page, without the prefix given by the request's path. */
  readonly start: string;
}

const VERSION = "meta.k8s.io/v1";

/** Upstream: `apiserver/pkg/storage/continue.go` (EncodeContinue). */
export function formatContinue({ revision, start }: Continue): string {
  return encodeBase64Url(JSON.stringify({ v: VERSION, rv: revision, start }));
}

/**
 * Reads a token that {@link formatContinue} made. Upstream: `apiserver/pkg/storage/continue.go` (DecodeContinue).
 *
 * @throws {ApiError} 400 if the token is invalid.
 */
export function parseContinue(token: string): Continue {
  const { v, rv, start } = fieldsOf(token);
  const isRight = v === VERSION && typeof rv === "number" && Number.isInteger(rv) && rv !== 0 &&
    typeof start === "string" && start !== "" && isCleanPath(start);
  if (!isRight) throw badRequest("invalid continue token: it must be one that a list has answered with");
  return { revision: rv, start: start.replace(/^\//, "") };
}

function fieldsOf(token: string): Readonly<Record<string, unknown>> {
  const bytes = attempt(() => decodeBase64Url(token.replace(/[\r\n]/g, "")));
  const value: unknown = bytes && attempt(() => JSON.parse(new TextDecoder().decode(bytes)), SyntaxError);
  return isObject(value) ? value : {};
}

/** Whether a path has no `..`, `.` or empty segments. */
function isCleanPath(start: string): boolean {
  const path = start.replace(/^\//, "");
  return path === "" || path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
