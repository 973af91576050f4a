import { LimitedBytesTransformStream } from "@std/streams/limited-bytes-transform-stream";
import { toBytes } from "@std/streams/to-bytes";
import { ApiError } from "./errors.ts";

/** As upstream's `--max-request-body-bytes`. */
const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

/** A request's body, received. */
export interface RequestBody {
  /** What the request calls it, in lower case and without parameters; JSON where it does not say. */
  readonly mediaType: string;
  readonly isEmpty: boolean;
  bytes(): Uint8Array;
  text(): string;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * Receives a request's body.
 *
 * @throws {ApiError} 413 if it is larger than 3 MiB.
 */
export async function readBody(request: Request): Promise<RequestBody> {
  const mediaType = mediaTypeOf(request);
  if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY_BYTES) throw tooLarge();
  if (request.headers.has("transfer-encoding")) {
    // Nobody says how long it is: it is read only as far as it may be.
    const bytes = request.body ? await limitedBytes(request.body) : new Uint8Array();
    return { mediaType, isEmpty: bytes.length === 0, bytes: () => bytes, text: () => decoder.decode(bytes) };
  }
  if (mediaType.endsWith("protobuf")) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > LARGEST_BODY_BYTES) throw tooLarge();
    return { mediaType, isEmpty: bytes.length === 0, bytes: () => bytes, text: () => decoder.decode(bytes) };
  }
  const text = await request.text();
  // No character needs more than three bytes.
  if (text.length * 3 > LARGEST_BODY_BYTES && encoder.encode(text).length > LARGEST_BODY_BYTES) throw tooLarge();
  return { mediaType, isEmpty: text === "", bytes: () => encoder.encode(text), text: () => text };
}

/** The media type of a request's body as it is compared: without parameters. */
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
