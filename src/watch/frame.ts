/**
 * One JSON object cut out of a stream: an event of a watch, or an item of a LIST. It is not parsed; the few fields
 * needed to route it were extracted while matching braces.
 */
export interface WatchFrame {
  /** The object's JSON, from its opening to its closing brace. A view into the received chunk if it lies within one. */
  readonly bytes: Uint8Array;
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`; empty for LIST items. */
  readonly type: string;
  /** `object.metadata.resourceVersion`; empty if absent. */
  readonly resourceVersion: string;
  /** `object.kind`; empty if absent, as in the items of most LISTs. */
  readonly kind: string;
  /** `object.apiVersion`; empty if absent. */
  readonly apiVersion: string;
  /** Where the object begins in `bytes`; 0 for LIST items. */
  readonly objectStart: number;
  /** Where the object ends in `bytes`; equal to `objectStart` when there is no `object`. */
  readonly objectEnd: number;
  /** Where the object's `metadata` begins in `bytes`. */
  readonly metadataStart: number;
  /** Where it ends; equal to `metadataStart` when there is none. */
  readonly metadataEnd: number;
  /** With `cutEnd`: the bytes to leave out so that `metadata.managedFields` vanishes and valid JSON remains. */
  readonly cutStart: number;
  /** Equal to `cutStart` when there is nothing to leave out. */
  readonly cutEnd: number;
}

/** Options of {@link FrameError}. */
export interface FrameErrorOptions extends ErrorOptions {
  /** The position of the faulty byte in the stream, from 0. */
  readonly position?: number;
}

/**
 * Malformed data from the API server, such as mismatched brackets or a frame over the size limit, after which the
 * boundaries of objects are unknown. The watch ends and its resource is listed again.
 * Upstream: the decode failures of `k8s.io/client-go/rest/watch/decoder.go`.
 */
export class FrameError extends Error {
  override readonly name = "FrameError";
  /** Which byte of the stream, from 0, is at fault; absent when the error concerns a whole frame. */
  readonly position: number | undefined;

  constructor(message: string, options: FrameErrorOptions = {}) {
    super(message, options);
    this.position = options.position;
  }
}

/** The default bound of one frame, in bytes; upstream's decoder has the same. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
