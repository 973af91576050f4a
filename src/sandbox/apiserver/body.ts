import { parse as parseYaml, stringify as stringifyYaml } from "@std/yaml";
import { parseApiVersion } from "../../api/mod.ts";
import { parseJson } from "../../base/mod.ts";
import { ApiError, badRequest, unsupportedMediaType } from "./errors.ts";
import { isObject } from "./json.ts";
import { DecodeError } from "./schema/normalise.ts";
import { decodeProtobuf, readEnvelope } from "./schema/protobuf.ts";
import { structOf, structOfKind } from "./schema/types.ts";

/** As upstream's `--max-request-body-bytes`. */
const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

const PROTOBUF = "application/vnd.kubernetes.protobuf";

function mediaTypeOf(request: Request): string {
  if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY_BYTES) throw tooLarge();
  return (request.headers.get("content-type") ?? "application/json").split(";")[0].trim().toLowerCase();
}

/** The body's text and media type. `application/json` when the request names none. */
export async function readBody(request: Request): Promise<{ readonly text: string; readonly mediaType: string }> {
  const mediaType = mediaTypeOf(request);
  const text = await request.text();
  if (text.length > LARGEST_BODY_BYTES) throw tooLarge();
  return { text, mediaType };
}

/**
 * Reads an object from JSON, YAML or, as kubectl's typed commands send it, protobuf.
 *
 * @throws {ApiError} 415 for other media types, 400 for a body that is no object.
 */
export async function readObject(request: Request): Promise<Record<string, unknown>> {
  const object = await readOptionalObject(request);
  if (!object) throw badRequest("the request body must be one object");
  return object;
}

/** As {@link readObject}; `undefined` if there is no body. */
export async function readOptionalObject(request: Request): Promise<Record<string, unknown> | undefined> {
  if (mediaTypeOf(request) === PROTOBUF) return readProtobuf(new Uint8Array(await request.arrayBuffer()));
  const { text, mediaType } = await readBody(request);
  if (text.trim() === "") return undefined;
  if (mediaType !== "application/json" && mediaType !== "application/yaml") {
    throw unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json, " +
        `application/yaml, ${PROTOBUF}`,
    );
  }
  return parseObject(text, mediaType === "application/yaml");
}

function readProtobuf(bytes: Uint8Array): Record<string, unknown> | undefined {
  if (bytes.length > LARGEST_BODY_BYTES) throw tooLarge();
  if (bytes.length === 0) return undefined;
  try {
    const { apiVersion, kind, raw } = readEnvelope(bytes);
    // Options may carry the group version of what they are about, but are of one type everywhere.
    const struct = kind.endsWith("Options")
      ? structOf(`meta.v1.${kind}`)
      : structOfKind(parseApiVersion(apiVersion), kind);
    if (!struct) throw unsupportedMediaType(`the body of the request holds a ${kind}, which has no protobuf form here`);
    return { apiVersion, kind, ...decodeProtobuf(raw, struct) };
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

/** Parses text that must hold one object. */
function parseObject(text: string, yaml: boolean): Record<string, unknown> {
  const value = parseText(text, yaml);
  if (isObject(value)) return value;
  throw badRequest("the request body must be one object");
}

/** Parses JSON, or YAML without its timestamps and binaries. */
export function parseText(text: string, yaml: boolean): unknown {
  try {
    return yaml ? parseYaml(text, { schema: "core" }) : parseJson(text);
  } catch (error) {
    throw badRequest(`the request body could not be parsed: ${error instanceof Error ? error.message : error}`);
  }
}

/** The same value as YAML. */
export function toYaml(json: string): string {
  return stringifyYaml(JSON.parse(json), { lineWidth: -1, noRefs: true } as Parameters<typeof stringifyYaml>[1]);
}

function tooLarge(): ApiError {
  const message = `Request entity too large: limit is ${LARGEST_BODY_BYTES}`;
  return new ApiError(413, "RequestEntityTooLarge", message, {});
}
