import type { WatchFrame } from "../../watch/mod.ts";

/** Frames on their way to another thread: two buffers that can be transferred, and one string. */
export interface FrameBatch {
  /** The frames one after the other, without their managedFields. */
  readonly bytes: ArrayBuffer;
  /** Three numbers a frame: where its bytes end in the batch, and where its object begins and ends in the frame. */
  readonly marks: Int32Array<ArrayBuffer>;
  /** A line a frame: type, resourceVersion, kind, apiVersion. */
  readonly heads: string;
}

const MARKS = 3;

/**
 * Packs frames for another thread. They are copied: the chunks that they were cut from serve other readers too.
 *
 * @example
 * ```ts
 * import { packFrames, unpackFrames } from "./frame_batch.ts";
 * import { JsonFrameScanner } from "../../watch/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const frames: Parameters<typeof packFrames>[0] = [];
 * const text = '{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","managedFields":[],"resourceVersion":"7"}}}';
 * new JsonFrameScanner({ resource: "pods" }).push(new TextEncoder().encode(text), frames as never[]);
 * const [frame] = unpackFrames(packFrames(frames));
 * assertEquals([frame.type, frame.resourceVersion], ["ADDED", "7"]);
 * const object = new TextDecoder().decode(frame.bytes.subarray(frame.objectStart, frame.objectEnd));
 * assertEquals(object, '{"kind":"Pod","metadata":{"name":"a","resourceVersion":"7"}}');
 * ```
 */
export function packFrames(frames: readonly WatchFrame[]): FrameBatch {
  let size = 0;
  for (const { bytes, cutStart, cutEnd } of frames) size += bytes.length - (cutEnd - cutStart);
  const all = new Uint8Array(size);
  const marks = new Int32Array(frames.length * MARKS);
  let heads = "";
  let at = 0;
  for (let i = 0; i < frames.length; i++) {
    const { bytes, objectStart, objectEnd, cutStart, cutEnd, type, resourceVersion, kind, apiVersion } = frames[i];
    const cut = cutEnd - cutStart;
    if (cut === 0) all.set(bytes, at);
    else {
      all.set(bytes.subarray(0, cutStart), at);
      all.set(bytes.subarray(cutEnd), at + cutStart);
    }
    at += bytes.length - cut;
    marks[i * MARKS] = at;
    marks[i * MARKS + 1] = objectStart;
    marks[i * MARKS + 2] = objectEnd - cut;
    heads += `${i > 0 ? "\n" : ""}${type}\t${resourceVersion}\t${kind}\t${apiVersion}`;
  }
  return { bytes: all.buffer, marks, heads };
}

/** The frames of a batch, as views into its bytes. */
export function unpackFrames({ bytes, marks, heads }: FrameBatch): WatchFrame[] {
  if (marks.length === 0) return [];
  const all = new Uint8Array(bytes);
  let start = 0;
  return heads.split("\n").map((head, i) => {
    const [type, resourceVersion, kind, apiVersion] = head.split("\t");
    const end = marks[i * MARKS];
    const objectStart = marks[i * MARKS + 1];
    const frame: WatchFrame = {
      bytes: all.subarray(start, end),
      type,
      resourceVersion,
      kind,
      apiVersion,
      objectStart,
      objectEnd: marks[i * MARKS + 2],
      cutStart: objectStart,
      cutEnd: objectStart,
    };
    start = end;
    return frame;
  });
}

/** The same batch for one more reader: buffers can be given away only once. */
export function copyBatch({ bytes, marks, heads }: FrameBatch): FrameBatch {
  return { bytes: bytes.slice(0), marks: marks.slice(), heads };
}
