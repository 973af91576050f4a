import { FrameError, MAX_FRAME_BYTES, type WatchFrame } from "./frame.ts";
import { EVENT, type Shape, Text } from "./frame_shape.ts";
import { JsonWalker } from "./json_walker.ts";

/** Options of a scanner. */
export interface FrameScannerOptions {
  /** The stream's resource for error messages: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** The largest frame in bytes. Default {@link MAX_FRAME_BYTES}. */
  readonly maxFrameBytes?: number;
}

/** How much of a chunk is joined at a time to a frame that began in an earlier one. */
const JOIN_BYTES = 8 * 1024;

/** A larger buffer is handed over with its frame instead of being reused. */
const REUSED_BYTES = 64 * 1024;

/**
 * Cuts a stream of bytes into frames by matching braces.
 *
 * Contract:
 * 1. The frames are the same however the bytes are cut into chunks, also within escapes and UTF-8 sequences.
 * 2. A frame that lies within one chunk is a view into that chunk; one that does not is copied once.
 * 3. `type`, `kind`, `apiVersion` and `resourceVersion` are those `JSON.parse` would give, whatever the order of keys
 *    and the whitespace.
 * 4. A frame without its cut range is the same JSON without `metadata.managedFields`.
 * 5. Malformed input and a frame over the bound are a `FrameError` that names the resource and the byte; the frames
 *    before it are delivered.
 * 6. At most one frame is held between chunks.
 * 7. An object may be nested as deep as a frame has room for: the parser sets the limit.
 *
 * Upstream: `k8s.io/apimachinery/pkg/util/framer`, which has Go's JSON decoder find the end of each value.
 *
 * @example
 * ```ts
 * import { JsonFrameScanner, type WatchFrame } from "kubeloop/watch";
 * import { assertEquals } from "@std/assert";
 *
 * const scanner = new JsonFrameScanner({ resource: "pods" });
 * const frames: WatchFrame[] = [];
 * const encoder = new TextEncoder();
 * scanner.push(encoder.encode('{"type":"ADDED","object":{"metadata":{"resource'), frames);
 * assertEquals(frames.length, 0);
 * scanner.push(encoder.encode('Version":"7"}}}'), frames);
 * assertEquals(frames.map((frame) => [frame.type, frame.resourceVersion]), [["ADDED", "7"]]);
 * ```
 */
export class JsonFrameScanner {
  readonly #walker: JsonWalker;
  readonly #resource: string;
  readonly #maxFrameBytes: number;
  /** The part of earlier chunks that the walker still needs, and where in it the walker stopped. */
  #held = new Uint8Array(0);
  #heldLength = 0;
  #heldAt = 0;
  /**
   * Positions in the stream: of the next chunk's first byte, of the first byte held, of the first byte being walked.
   */
  #chunkPosition = 0;
  #heldPosition = 0;
  #walkedPosition = 0;

  /** @param shape For the list reader: what the stream consists of. */
  constructor({ resource, maxFrameBytes = MAX_FRAME_BYTES }: FrameScannerOptions, shape: Shape = EVENT) {
    this.#walker = new JsonWalker(shape);
    this.#resource = resource;
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Whether the bytes so far end inside of a JSON value. */
  get isInsideFrame(): boolean {
    return !this.#walker.isBetweenDocuments;
  }

  /** The number of completed documents and their extracted values, for the list reader. */
  get walker(): Readonly<Pick<JsonWalker, "documents" | "texts" | "numbers">> {
    return this.#walker;
  }

  /**
   * Appends to `frames` those that `chunk` completes. The scanner keeps no part of `chunk`, but the frames may.
   *
   * @throws {FrameError} After which the scanner cannot be used any more.
   */
  push(chunk: Uint8Array, frames: WatchFrame[]): void {
    try {
      const at = this.#heldLength > 0 ? this.#pushHeld(chunk, frames) : 0;
      if (at < chunk.length) this.#pushFresh(chunk, at, frames);
      this.#chunkPosition += chunk.length;
    } catch (error) {
      throw error instanceof FrameError ? this.#located(error) : error;
    }
  }

  /**
   * Walks on in what is held, joined with as much of `chunk` as it takes to finish a frame; returns how much that was.
   */
  #pushHeld(chunk: Uint8Array, frames: WatchFrame[]): number {
    const walker = this.#walker;
    let taken = 0;
    this.#walkedPosition = this.#heldPosition;
    while (taken < chunk.length) {
      const before = this.#heldLength;
      const piece = chunk.subarray(taken, taken + JOIN_BYTES);
      this.#hold(piece);
      const at = walker.walk(this.#held, this.#heldAt, this.#heldLength);
      if (walker.atFrameEnd) {
        frames.push(this.#frame(this.#release(walker.frameStart, at)));
        return taken + at - before;
      }
      taken += piece.length;
      this.#keep(walker.keepFrom(at), at);
      if (this.#heldLength === 0) return taken;
    }
    return taken;
  }

  #pushFresh(chunk: Uint8Array, at: number, frames: WatchFrame[]): void {
    const walker = this.#walker;
    this.#walkedPosition = this.#chunkPosition;
    for (;;) {
      at = walker.walk(chunk, at, chunk.length);
      if (!walker.atFrameEnd) break;
      frames.push(this.#frame(chunk.subarray(walker.frameStart, at)));
    }
    const keepFrom = walker.keepFrom(at);
    this.#heldPosition = this.#chunkPosition + keepFrom;
    if (walker.frameStart >= 0) walker.frameStart = 0;
    this.#heldLength = 0;
    this.#hold(chunk.subarray(keepFrom));
    this.#heldAt = at - keepFrom;
    if (this.#heldLength > this.#maxFrameBytes) throw this.#tooLong(keepFrom);
  }

  #frame(bytes: Uint8Array): WatchFrame {
    if (bytes.length > this.#maxFrameBytes) throw this.#tooLong(this.#walker.frameStart);
    const { texts, objectStart, objectEnd, metadataStart, metadataEnd, cutStart, cutEnd } = this.#walker;
    return {
      bytes,
      type: texts[Text.type],
      resourceVersion: texts[Text.resourceVersion],
      kind: texts[Text.kind],
      apiVersion: texts[Text.apiVersion],
      objectStart,
      objectEnd,
      metadataStart,
      metadataEnd,
      cutStart,
      cutEnd,
    };
  }

  /** Appends `bytes` to what is held. */
  #hold(bytes: Uint8Array): void {
    const length = this.#heldLength + bytes.length;
    if (length > this.#held.length) {
      const larger = new Uint8Array(
        Math.max(length, Math.min(2 * this.#held.length, this.#maxFrameBytes + JOIN_BYTES)),
      );
      larger.set(this.#held.subarray(0, this.#heldLength));
      this.#held = larger;
    }
    this.#held.set(bytes, this.#heldLength);
    this.#heldLength = length;
  }

  /** Bytes of a frame that was held; nothing is held afterwards. */
  #release(start: number, end: number): Uint8Array {
    const held = this.#held;
    this.#heldLength = this.#heldAt = 0;
    if (end <= REUSED_BYTES) return held.slice(start, end);
    this.#held = new Uint8Array(0); // one large object must not keep its memory for ever
    return held.subarray(start, end);
  }

  /** Drops what is held before `keepFrom`. */
  #keep(keepFrom: number, at: number): void {
    if (keepFrom > 0) {
      this.#held.copyWithin(0, keepFrom, this.#heldLength);
      this.#heldLength -= keepFrom;
      this.#heldPosition = this.#walkedPosition += keepFrom;
      if (this.#walker.frameStart >= 0) this.#walker.frameStart -= keepFrom;
    }
    this.#heldAt = at - keepFrom;
    if (this.#heldLength > this.#maxFrameBytes) throw this.#tooLong(0);
  }

  #tooLong(position: number): FrameError {
    const limit = `${this.#maxFrameBytes} bytes`;
    return new FrameError(`object to decode was longer than maximum allowed size, ${limit}`, { position });
  }

  /** Converts an error's position from the walked buffer to the whole stream. */
  #located(error: FrameError): FrameError {
    const position = this.#walkedPosition + (error.position ?? 0);
    const message = `Cannot read the stream of ${this.#resource} at byte ${position}: ${error.message}`;
    return new FrameError(message, { position, cause: error.cause });
  }
}
