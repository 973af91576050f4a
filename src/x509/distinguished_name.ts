import { type Bytes, DerReader, type Element, MalformedError, TAG } from "./der_reader.ts";
import { oid, sequence, setOf, text } from "./der_writer.ts";

/** Attributes of a subject that survive into a certificate, in the order in which they are written there. */
const ATTRIBUTES = ["C", "ST", "L", "street", "postalCode", "O", "OU", "CN", "serialNumber"] as const;
type Attribute = typeof ATTRIBUTES[number];

/** The last byte of 2.5.4.N. */
const NUMBERS: Readonly<Record<Attribute, number>> = {
  CN: 3,
  serialNumber: 5,
  C: 6,
  L: 7,
  ST: 8,
  street: 9,
  O: 10,
  OU: 11,
  postalCode: 17,
};
const BY_OID: ReadonlyMap<string, Attribute> = new Map(ATTRIBUTES.map((name) => [oidOf(name), name]));

/** A subject: the values of each attribute, in their order. */
export type DistinguishedName = Readonly<Record<Attribute, readonly string[]>>;

/**
 * Reads a subject. Attributes that certificates never get, and values that are not text, are skipped.
 *
 * Upstream: `crypto/x509/pkix` (FillFromRDNSequence).
 *
 * @throws {MalformedError}
 */
export function readName(whole: Bytes): DistinguishedName {
  const values = Object.fromEntries(ATTRIBUTES.map((name) => [name, [] as string[]])) as Record<Attribute, string[]>;
  const name = new DerReader(whole, "the subject");
  const sets = name.inside(TAG.sequence);
  name.end();
  while (!sets.isEmpty) {
    const set = sets.inside(TAG.set);
    while (!set.isEmpty) {
      const pair = set.inside(TAG.sequence);
      const attribute = BY_OID.get(pair.oid());
      const value = textOf(pair.any());
      if (attribute && value !== undefined) values[attribute].push(value);
    }
  }
  return values;
}

/**
 * Writes a subject with one set for all values of an attribute; the last common name and the last serial number count.
 */
export function nameBytes(name: DistinguishedName): Bytes {
  return sequence(
    ...ATTRIBUTES.map((attribute) => {
      const values = attribute === "CN" || attribute === "serialNumber" ? lastText(name[attribute]) : name[attribute];
      if (values.length === 0) return new Uint8Array();
      const type = oid(oidOf(attribute));
      return setOf(values.map((value) => sequence(type, directoryString(value))));
    }),
  );
}

/** The common name that counts, or none. */
export function commonNameOf(name: DistinguishedName): string {
  return name.CN.at(-1) ?? "";
}

/** A PrintableString if its alphabet suffices. */
function directoryString(value: string): Bytes {
  return text(/^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value) ? TAG.printableString : TAG.utf8String, value);
}

function lastText(values: readonly string[]): string[] {
  const last = values.at(-1);
  return last ? [last] : [];
}

function oidOf(attribute: Attribute): string {
  return `5504${NUMBERS[attribute].toString(16).padStart(2, "0")}`;
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?*&]*$/;
const NUMERIC = /^[0-9 ]*$/;

/**
 * The text of a value; `undefined` if it is not text. Upstream: `encoding/asn1` (parseField).
 * @throws {MalformedError}
 */
function textOf({ tag, body }: Element): string | undefined {
  switch (tag) {
    case TAG.utf8String:
      return utf8(body);
    case TAG.printableString:
      return checked(latin1(body), PRINTABLE);
    case TAG.numericString:
      return checked(latin1(body), NUMERIC);
    case TAG.ia5String:
      if (body.some((byte) => byte > 0x7f)) throw notText();
      return latin1(body);
    case TAG.t61String:
      return latin1(body);
    case TAG.bmpString:
      return ucs2(body);
    default:
      return undefined;
  }
}

function checked(value: string, allowed: RegExp): string {
  if (!allowed.test(value)) throw notText();
  return value;
}

function utf8(body: Bytes): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw notText();
  }
}

function latin1(body: Bytes): string {
  let value = "";
  for (const byte of body) value += String.fromCharCode(byte);
  return value;
}

function ucs2(body: Bytes): string {
  if (body.length % 2 !== 0) throw notText();
  let value = "";
  for (let i = 0; i < body.length; i += 2) {
    const code = body[i] * 256 + body[i + 1];
    if ((code >= 0xd800 && code <= 0xdfff) || (code >= 0xfdd0 && code <= 0xfdef) || code >= 0xfffe) throw notText();
    value += String.fromCharCode(code);
  }
  return value.endsWith("\0") ? value.slice(0, -1) : value;
}

function notText(): MalformedError {
  return new MalformedError("the subject is malformed: a value has letters that its type does not");
}
