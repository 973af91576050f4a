import { mediaRanges } from "../../../base/mod.ts";
import { INFO } from "./schemas.ts";

/** The media types of OpenAPI v2 in protobuf, which kubectl requests. */
const PROTOBUF = /^application\/com\.github\.proto-openapi\.spec\.v2[@.]v1\.0\+protobuf$/;

const EMPTY = JSON.stringify({ swagger: "2.0", info: INFO, paths: {}, definitions: {} });

/**
 * Serves `/openapi/v2`: a document that describes nothing. kubectl falls back on it for kinds that the v3 documents do
 * not have, and handles an empty document, but not a missing one. In protobuf an empty document is an empty body.
 */
export function serveOpenApiV2(request: Request): Response {
  const protobuf = mediaRanges(request.headers.get("accept") ?? "").find(({ type }) => PROTOBUF.test(type))?.type;
  return protobuf
    ? new Response(new Uint8Array(), { headers: { "content-type": protobuf.replace("@", ".") } })
    : new Response(EMPTY, { headers: { "content-type": "application/json" } });
}
