import type { WatchFrame } from "./frame.ts";
import { type FrameScannerOptions, JsonFrameScanner } from "./json_frame_scanner.ts";

/**
 * A {@link JsonFrameScanner} as a stream: each chunk of a watch's body becomes the frames that it completes. Chunks
 * that complete none give nothing. A `FrameError` errors the stream, after the frames before it.
 *
 * @example
 * ```ts
 * import { JsonFrameReader } from "kubeloop/watch";
 * import { assertEquals } from "@std/assert";
 *
 * const body = new Blob(['{"type":"ADDED","object":{}}\n{"type":"DELE', 'TED","object":{}}\n']).stream();
 * const types: string[] = [];
 * for await (const frames of body.pipeThrough(new JsonFrameReader({ resource: "pods" }))) {
 *   for (const frame of frames) types.push(frame.type);
 * }
 * assertEquals(types, ["ADDED", "DELETED"]);
 * ```
 */
export class JsonFrameReader extends TransformStream<Uint8Array, WatchFrame[]> {
  readonly #scanner: JsonFrameScanner;

  constructor(options: FrameScannerOptions) {
    const scanner = new JsonFrameScanner(options);
    super({
      transform: (chunk, controller) => {
        const frames: WatchFrame[] = [];
        try {
          scanner.push(chunk, frames);
        } finally {
          // Chunks only arrive while the stream is read, so these frames are taken before an error.
          if (frames.length > 0) controller.enqueue(frames);
        }
      },
    });
    this.#scanner = scanner;
  }

  /** Whether the stream ended inside a frame, which was dropped. Upstream: "unexpected EOF". */
  get endedInsideFrame(): boolean {
    return this.#scanner.isInsideFrame;
  }
}
