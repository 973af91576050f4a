import { apiVersionOf, type KubeObject, type Resource } from "../api/mod.ts";
import { parseJson } from "../base/mod.ts";
import type { WatchFrame } from "../watch/mod.ts";
import { faultIn, UnreadableError } from "./object_faults.ts";

/**
 * Objects are assembled in it; a larger one gets room of its own. All decoders of a thread share it, since each is done with it when
 * it returns: one for each resource would come to 4 MiB.
 */
const scratch = new Uint8Array(64 * 1024);

/**
 * Turns frames into objects.
 *
 * Contract:
 * 1. The bytes of `managedFields` are never decoded or parsed.
 * 2. Every object carries apiVersion and kind; what a LIST leaves out is filled in from the resource.
 * 3. Bytes that are not JSON, or JSON that is not an object with a name and sound metadata, are an
 *    {@link UnreadableError}.
 */
export class FrameDecoder {
  readonly #text = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #resource: Resource;
  /** The start of a JSON object with the fields that a LIST leaves out of its items. */
  readonly #typePrefix: Uint8Array;

  /** @param resource The frames' resource; for a metadata-only cache, PartialObjectMetadata. */
  constructor(resource: Resource) {
    this.#resource = resource;
    const type = JSON.stringify({ kind: resource.kind, apiVersion: apiVersionOf(resource) });
    this.#typePrefix = new TextEncoder().encode(type.slice(0, -1) + ",");
  }

  /** @throws {UnreadableError} If `frame` does not contain an acceptable object. */
  decode(frame: WatchFrame): KubeObject {
    let value: unknown;
    try {
      value = parseJson(this.#textOf(frame));
    } catch (cause) {
      // The engine's own message would quote the object.
      throw new UnreadableError("unreadable", cause instanceof RangeError ? cause.message : "it is not JSON");
    }
    const fault = faultIn(value);
    if (fault !== undefined) throw new UnreadableError("unreadable", fault);
    const object = value as KubeObject;
    object.kind ??= this.#resource.kind;
    object.apiVersion ??= apiVersionOf(this.#resource);
    const { metadata } = object;
    if (metadata?.managedFields !== undefined) {
      const { managedFields: _, ...rest } = metadata; // the frame reader found nothing to cut
      object.metadata = rest;
    }
    return object;
  }

  /** The object's JSON; assembled in one place first, since one flat text is decoded and parsed fastest. */
  #textOf({ bytes, objectStart, objectEnd, cutStart, cutEnd, kind, type }: WatchFrame): string {
    const untyped = type === "" && kind === "" && !isEmptyObject(bytes, objectStart);
    if (cutStart === cutEnd && !untyped) return this.#text.decode(bytes.subarray(objectStart, objectEnd));
    const prefix = this.#typePrefix;
    const room = roomFor(prefix.length + objectEnd - objectStart);
    let from = objectStart;
    let length = 0;
    if (untyped) {
      room.set(prefix);
      length = prefix.length;
      from++; // its opening brace is in the prefix
    }
    if (cutStart < cutEnd) {
      room.set(bytes.subarray(from, cutStart), length);
      length += cutStart - from;
      from = cutEnd;
    }
    room.set(bytes.subarray(from, objectEnd), length);
    return this.#text.decode(room.subarray(0, length + objectEnd - from));
  }
}

function roomFor(length: number): Uint8Array {
  return length <= scratch.length ? scratch : new Uint8Array(length);
}

/** Whether nothing but white space lies between the braces; a prefix with a comma would not be JSON then. */
function isEmptyObject(bytes: Uint8Array, start: number): boolean {
  let at = start + 1;
  while (bytes[at] === 0x20 || (bytes[at] >= 0x09 && bytes[at] <= 0x0d)) at++;
  return bytes[at] === 0x7d;
}
