import { LimitedBytesTransformStream } from "@std/streams/limited-bytes-transform-stream";
import { toBytes } from "@std/streams/to-bytes";
import { ApiError } from "./errors.ts";

/** The value of upstream's `--max-request-body-bytes`. */
const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

export interface RequestBody {
  /** The media type of the request in lower case, without parameters; JSON if it has none. */
  readonly mediaType: string;
  readonly isEmpty: boolean;
  bytes(): Uint8Array;
  text(): string;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * Reads the body of a request.
 *
 * @throws {ApiError} 413 if it is larger than 3 MiB.
 */
export async function readBody(request: Request): Promise<RequestBody> {
  const mediaType = mediaTypeOf(request);
  if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY_BYTES) throw tooLarge();
  if (request.headers.has("transfer-encoding")) {
    // The length is unknown, so reading stops at the limit.
    const bytes = request.body ? await limitedBytes(request.body) : new Uint8Array();
    return { mediaType, isEmpty: bytes.length === 0, bytes: () => bytes, text: () => decoder.decode(bytes) };
  }
  if (mediaType.endsWith("protobuf")) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > LARGEST_BODY_BYTES) throw tooLarge();
    return { mediaType, isEmpty: bytes.length === 0, bytes: () => bytes, text: () => decoder.decode(bytes) };
  }
  const text = await request.text();
  // A UTF-16 unit needs at most three bytes.
  if (text.length * 3 > LARGEST_BODY_BYTES && encoder.encode(text).length > LARGEST_BODY_BYTES) throw tooLarge();
  return { mediaType, isEmpty: text === "", bytes: () => encoder.encode(text), text: () => text };
}

/** The media type of a request's body in lower case, without parameters. */
function mediaTypeOf(request: Request): string {
  const type = request.headers.get("content-type");
  if (type === null || type === "application/json") return "application/json";
  return type.split(";")[0].trim().toLowerCase();
}

async function limitedBytes(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  try {
    return await toBytes(body.pipeThrough(new LimitedBytesTransformStream(LARGEST_BODY_BYTES, { error: true })));
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : error;
  }
}

function tooLarge(): ApiError {
  const message = `Request entity too large: limit is ${LARGEST_BODY_BYTES}`;
  return new ApiError(413, "RequestEntityTooLarge", message);
}
