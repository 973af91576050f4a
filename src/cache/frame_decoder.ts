import { apiVersionOf, type KubeObject, type Resource } from "../api/mod.ts";
import { parseJson } from "../base/mod.ts";
import { FrameError, type WatchFrame } from "../watch/mod.ts";

/** Where objects lie together before they become text; grown for larger ones, then given back. */
const SCRATCH_BYTES = 64 * 1024;

/**
 * Turns frames into objects.
 *
 * Contract:
 * 1. The bytes of `managedFields` are never decoded or parsed.
 * 2. Every object carries apiVersion and kind; what a LIST leaves out is filled in from the resource.
 * 3. Bytes that are not JSON are a {@link FrameError}.
 */
export class FrameDecoder {
  readonly #text = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #resource: Resource;
  /** What a LIST leaves out of its items, as the beginning of a JSON object. */
  readonly #typePrefix: Uint8Array;
  readonly #scratch = new Uint8Array(SCRATCH_BYTES);

  /** @param resource What the frames are; a metadata-only cache gives PartialObjectMetadata. */
  constructor(resource: Resource) {
    this.#resource = resource;
    const type = JSON.stringify({ kind: resource.kind, apiVersion: apiVersionOf(resource) });
    this.#typePrefix = new TextEncoder().encode(type.slice(0, -1) + ",");
  }

  /** The object in `frame`; `undefined` if it is JSON, but not an object with a name. */
  decode(frame: WatchFrame): KubeObject | undefined {
    let value: unknown;
    try {
      value = parseJson(this.#textOf(frame));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new FrameError(`Cannot decode an object of ${this.#resource.plural}: ${why}`, { cause });
    }
    if (!isNamed(value)) return undefined;
    value.kind ??= this.#resource.kind;
    value.apiVersion ??= apiVersionOf(this.#resource);
    const { metadata } = value;
    if (metadata?.managedFields !== undefined) {
      const { managedFields: _, ...rest } = metadata; // the frame reader found nothing to cut
      value.metadata = rest;
    }
    return value;
  }

  /** The object's JSON; assembled in one place first, since one flat text is decoded and parsed fastest. */
  #textOf({ bytes, objectStart, objectEnd, cutStart, cutEnd, kind, type }: WatchFrame): string {
    const untyped = type === "" && kind === "" && !isEmptyObject(bytes, objectStart);
    if (cutStart === cutEnd && !untyped) return this.#text.decode(bytes.subarray(objectStart, objectEnd));
    const prefix = this.#typePrefix;
    const scratch = this.#room(prefix.length + objectEnd - objectStart);
    let from = objectStart;
    let length = 0;
    if (untyped) {
      scratch.set(prefix);
      length = prefix.length;
      from++; // its opening brace is in the prefix
    }
    if (cutStart < cutEnd) {
      scratch.set(bytes.subarray(from, cutStart), length);
      length += cutStart - from;
      from = cutEnd;
    }
    scratch.set(bytes.subarray(from, objectEnd), length);
    return this.#text.decode(scratch.subarray(0, length + objectEnd - from));
  }

  #room(length: number): Uint8Array {
    return length <= SCRATCH_BYTES ? this.#scratch : new Uint8Array(length);
  }
}

function isNamed(value: unknown): value is KubeObject {
  return typeof value === "object" && value !== null && Boolean((value as KubeObject).metadata?.name);
}

/** Whether nothing but white space lies between the braces; a prefix with a comma would not be JSON then. */
function isEmptyObject(bytes: Uint8Array, start: number): boolean {
  let at = start + 1;
  while (bytes[at] === 0x20 || (bytes[at] >= 0x09 && bytes[at] <= 0x0d)) at++;
  return bytes[at] === 0x7d;
}
