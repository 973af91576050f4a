import type { WatchFrame } from "../../watch/mod.ts";

/** Frames for another thread: two transferable buffers and one string. */
export interface FrameBatch {
  /** The frames in sequence, without their managedFields. */
  readonly bytes: ArrayBuffer;
  /** Three numbers per frame: where its bytes end in the batch, and where its object begins and ends in the frame. */
  readonly marks: Int32Array<ArrayBuffer>;
  /** One line per frame: type, resourceVersion, kind, apiVersion. */
  readonly heads: string;
}

const MARKS = 3;
const METADATA_PREFIX = new TextEncoder().encode('{"metadata":');
const CLOSE_BRACE = 0x7d;

/**
 * Packs frames for another thread. They are copied, because other readers use the same chunks.
 *
 * @example
 * ```ts
 * import { packFrames, packMetadata, unpackFrames } from "./frame_batch.ts";
 * import { JsonFrameScanner, type WatchFrame } from "kubeloop/watch";
 * import { assertEquals } from "@std/assert";
 *
 * const frames: WatchFrame[] = [];
 * const text = '{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[],"resourceVersion":"7"},"spec":{}}}';
 * new JsonFrameScanner({ resource: "pods" }).push(new TextEncoder().encode(text), frames);
 * const objectOf = ([frame]: WatchFrame[]) =>
 *   new TextDecoder().decode(frame.bytes.subarray(frame.objectStart, frame.objectEnd));
 * assertEquals(objectOf(unpackFrames(packFrames(frames))), '{"metadata":{"name":"a","resourceVersion":"7"},"spec":{}}');
 * assertEquals(objectOf(unpackFrames(packMetadata(frames))), '{"metadata":{"name":"a","resourceVersion":"7"}}');
 * ```
 */
export function packFrames(frames: readonly WatchFrame[]): FrameBatch {
  let size = 0;
  for (const { bytes, cutStart, cutEnd } of frames) size += bytes.length - (cutEnd - cutStart);
  const all = new Uint8Array(size);
  const marks = new Int32Array(frames.length * MARKS);
  let at = 0;
  for (let i = 0; i < frames.length; i++) {
    const { bytes, objectStart, objectEnd, cutStart, cutEnd } = frames[i];
    at = copyUncut(frames[i], 0, bytes.length, all, at);
    marks[i * MARKS] = at;
    marks[i * MARKS + 1] = objectStart;
    marks[i * MARKS + 2] = objectEnd - (cutEnd - cutStart);
  }
  return { bytes: all.buffer, marks, heads: headsOf(frames) };
}

/** Packs frames for a reader of metadata. */
export function packMetadata(frames: readonly WatchFrame[]): FrameBatch {
  let size = 0;
  for (const frame of frames) size += metadataLength(frame);
  const all = new Uint8Array(size);
  const marks = new Int32Array(frames.length * MARKS);
  let at = 0;
  for (let i = 0; i < frames.length; i++) {
    const { metadataStart, metadataEnd } = frames[i];
    const start = at;
    all.set(metadataStart === metadataEnd ? METADATA_PREFIX.subarray(0, 1) : METADATA_PREFIX, at);
    at += metadataLength(frames[i]);
    if (metadataStart !== metadataEnd) {
      copyUncut(frames[i], metadataStart, metadataEnd, all, start + METADATA_PREFIX.length);
    }
    all[at - 1] = CLOSE_BRACE;
    marks[i * MARKS] = at;
    marks[i * MARKS + 2] = at - start;
  }
  return { bytes: all.buffer, marks, heads: headsOf(frames) };
}

function metadataLength({ metadataStart, metadataEnd, cutStart, cutEnd }: WatchFrame): number {
  if (metadataStart === metadataEnd) return 2; // the braces of an object without metadata
  return METADATA_PREFIX.length + metadataEnd - metadataStart - (cutEnd - cutStart) + 1;
}

/**
 * Copies the bytes of `frame` from `start` to `end` to `at`, without the parts that are cut; returns where they end.
 */
function copyUncut(
  { bytes, cutStart, cutEnd }: WatchFrame,
  start: number,
  end: number,
  all: Uint8Array,
  at: number,
): number {
  if (cutStart === cutEnd) {
    all.set(bytes.subarray(start, end), at);
    return at + end - start;
  }
  all.set(bytes.subarray(start, cutStart), at);
  all.set(bytes.subarray(cutEnd, end), at + cutStart - start);
  return at + end - start - (cutEnd - cutStart);
}

function headsOf(frames: readonly WatchFrame[]): string {
  let heads = "";
  for (const { type, resourceVersion, kind, apiVersion } of frames) {
    heads += `${heads === "" ? "" : "\n"}${type}\t${inLine(resourceVersion)}\t${inLine(kind)}\t${inLine(apiVersion)}`;
  }
  return heads;
}

/** If a list's item contains these characters, they must not shift the other heads. */
function inLine(text: string): string {
  return text.includes("\n") || text.includes("\t") ? text.replaceAll(/[\n\t]/g, " ") : text;
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
      metadataStart: objectStart,
      metadataEnd: objectStart,
      cutStart: objectStart,
      cutEnd: objectStart,
    };
    start = end;
    return frame;
  });
}
