import { encodeBase64 } from "@std/encoding/base64";
import { formatMicroTime, formatTime } from "../../../api/mod.ts";
import { parseJson } from "../../../base/mod.ts";
import type { JsonObject } from "../base/mod.ts";
import {
  DecodeError,
  type EitherType,
  type Field,
  type ScalarType,
  type StructType,
  type ValueType,
} from "../schema/mod.ts";

const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const decoder = new TextDecoder();

/** A value on the wire: a varint or bytes. */
type Wire = bigint | Uint8Array;

/** Where the bits of a number's tenth and last byte begin; a longer one would take time by the square of its length. */
const LAST_SHIFT = 63n;

/** The fields of a message, in order. */
function* fieldsOf(bytes: Uint8Array): Iterable<{ readonly number: number; readonly value: Wire }> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n;; shift += 7n) {
      if (shift > LAST_SHIFT) throw new DecodeError("proto: integer overflow");
      if (at >= bytes.length) throw new DecodeError("proto: unexpected end of message");
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new DecodeError("proto: unexpected end of message");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const value = (wireType: number): Wire => {
    switch (wireType) {
      case 0:
        return varint();
      case 1:
        return take(8);
      case 2:
        return take(Number(varint()));
      case 5:
        return take(4);
    }
    throw new DecodeError(`proto: illegal wire type ${wireType}`);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    yield { number: tag >> 3, value: value(tag & 7) };
  }
}

/** The values of a message by field number; the last of repeated ones wins. */
function readMessage(value: Wire): Map<number, Wire> {
  return new Map([...fieldsOf(asBytes(value))].map(({ number, value }) => [number, value]));
}

function asBytes(value: Wire | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new DecodeError("proto: wrong wire type");
}

function asText(value: Wire | undefined): string {
  return value === undefined ? "" : decoder.decode(asBytes(value));
}

/** A 64-bit integer; a raw JSON number if JavaScript cannot represent it exactly. */
function asInteger(value: Wire | undefined): unknown {
  if (value === undefined) return 0;
  if (typeof value !== "bigint") throw new DecodeError("proto: wrong wire type");
  return parseJson(String(BigInt.asIntN(64, value)));
}

/**
 * Reads the envelope around Kubernetes objects in protobuf: the type and the bytes of the object.
 *
 * @throws {DecodeError} If the bytes are not such an envelope.
 */
export function readEnvelope(
  body: Uint8Array,
): { readonly apiVersion: string; readonly kind: string; readonly raw: Uint8Array } {
  if (MAGIC.some((byte, i) => body[i] !== byte)) {
    throw new DecodeError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  const unknown = readMessage(body.subarray(MAGIC.length));
  const typeMeta = readMessage(unknown.get(1) ?? new Uint8Array());
  const raw = unknown.get(2);
  return {
    apiVersion: asText(typeMeta.get(1)),
    kind: asText(typeMeta.get(2)),
    raw: raw ? asBytes(raw) : new Uint8Array(),
  };
}

/** The text of the raw field at the path `numbers` in the object of an envelope. */
export function rawText(body: Uint8Array, numbers: readonly number[]): string {
  let value: Wire | undefined = readEnvelope(body).raw;
  for (const number of [...numbers, 1]) value = value && readMessage(value).get(number);
  return asText(value);
}

/** Fields by number; an embedded struct has a nested map. */
type FieldsByNumber = Map<number, Field | FieldsByNumber>;

const byNumber = new WeakMap<StructType, FieldsByNumber>();

function fieldsByNumber(struct: StructType): FieldsByNumber {
  let known = byNumber.get(struct);
  if (known) return known;
  byNumber.set(struct, known = new Map());
  for (const field of struct.fields.values()) {
    let level: FieldsByNumber = known;
    for (const number of field.numbers.slice(0, -1)) {
      const below = level.get(number);
      if (below instanceof Map) level = below;
      else level.set(number, level = new Map());
    }
    if (field.numbers.length > 0) level.set(field.numbers.at(-1)!, field);
  }
  return known;
}

/**
 * Decodes a message into JSON.
 *
 * @throws {DecodeError} If the bytes do not fit the type.
 */
export function decodeProtobuf(bytes: Uint8Array, struct: StructType): JsonObject {
  const out: JsonObject = {};
  readInto(out, bytes, fieldsByNumber(struct));
  return out;
}

function readInto(out: JsonObject, bytes: Uint8Array, fields: FieldsByNumber): void {
  for (const { number, value } of fieldsOf(bytes)) {
    const field = fields.get(number);
    if (field instanceof Map) readInto(out, asBytes(value), field);
    else if (field) readField(out, field, value);
  }
}

function readField(out: JsonObject, { name, type }: Field, value: Wire): void {
  switch (type.kind) {
    case "list": {
      const list = out[name] ??= [];
      if (Array.isArray(list)) list.push(readValue(value, type.item));
      break;
    }
    case "map": {
      const entry = readMessage(value);
      const map = out[name] ??= {};
      Object.assign(map, { [asText(entry.get(1))]: readMapValue(entry.get(2), type.item) });
      break;
    }
    default:
      out[name] = readValue(value, type);
  }
}

/** The value of a map; if it is a list, it is a message with the items in field 1. */
function readMapValue(value: Wire | undefined, type: ValueType): unknown {
  if (type.kind !== "list") return readValue(value ?? new Uint8Array(), type);
  return [...fieldsOf(asBytes(value ?? new Uint8Array()))].map((item) => readValue(item.value, type.item));
}

function readValue(value: Wire, type: ValueType): unknown {
  if (type.kind === "struct") return decodeProtobuf(asBytes(value), type.struct);
  if (type.kind === "scalar") return readScalar(value, type.scalar);
  if (type.kind === "either") return readEither(asBytes(value), type);
  throw new DecodeError("proto: lists of lists are not part of the API");
}

/** A message with the struct in one field and the alternative in the other. */
function readEither(bytes: Uint8Array, { struct, or }: EitherType): unknown {
  const [structAt, otherAt] = or === "boolean" ? [2, 1] : [1, 2];
  const fields = [...fieldsOf(bytes)];
  const found = fields.find(({ number }) => number === structAt);
  if (found) return decodeProtobuf(asBytes(found.value), struct);
  const others = fields.filter(({ number }) => number === otherAt).map(({ value }) => value);
  if (or === "boolean") return others.some((value) => value !== 0n);
  return others.map((value) => or === "schemas" ? decodeProtobuf(asBytes(value), struct) : asText(value));
}

function readScalar(value: Wire, scalar: ScalarType): unknown {
  switch (scalar) {
    case "string":
      return asText(value);
    case "bytes":
      return encodeBase64(asBytes(value));
    case "int32":
    case "int64":
      return asInteger(value);
    case "number": {
      const bytes = asBytes(value);
      if (bytes.length !== 8) throw new DecodeError("proto: wrong wire type");
      return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
    }
    case "boolean":
      return value !== 0n;
    case "quantity":
      return asText(readMessage(value).get(1)) || "0";
    case "intOrString": {
      const message = readMessage(value);
      return asInteger(message.get(1)) === 1 ? asText(message.get(3)) : asInteger(message.get(2));
    }
    case "time":
    case "microTime":
      return readTime(readMessage(value), scalar);
    case "raw": {
      const text = asText(readMessage(value).get(1));
      return text === "" ? null : parseJson(text);
    }
  }
}

/** Seconds and nanoseconds since 1970; an empty message is the zero time. */
function readTime(message: Map<number, Wire>, scalar: "time" | "microTime"): string | null {
  if (message.size === 0) return null;
  const wallMs = Number(asInteger(message.get(1))) * 1000 + Number(asInteger(message.get(2))) / 1e6;
  return scalar === "time" ? formatTime(wallMs) : formatMicroTime(wallMs);
}
