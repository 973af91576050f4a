import { type Bytes, DerReader, MalformedError, TAG } from "./der_reader.ts";
import { der, sequence } from "./der_writer.ts";

/** The alternative names that certificates copy from requests; other kinds of names are dropped. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly email: readonly string[];
  /** Of four or sixteen bytes. */
  readonly ip: readonly Bytes[];
  readonly uri: readonly string[];
}

export const NO_NAMES: AlternativeNames = { dns: [], email: [], ip: [], uri: [] };

const EMAIL = 1;
const DNS = 2;
const URI = 6;
const IP = 7;

/** Reads the value of the extension. Upstream: `crypto/x509` (parseSANExtension). @throws {MalformedError} */
export function readAlternativeNames(value: Bytes): AlternativeNames {
  const names = { dns: [] as string[], email: [] as string[], ip: [] as Bytes[], uri: [] as string[] };
  const list = new DerReader(value, "the list of alternative names").inside(TAG.sequence);
  while (!list.isEmpty) {
    const { tag, body } = list.any();
    switch (tag) {
      case TAG.contextPrimitive(EMAIL):
        names.email.push(ascii(body, "an email address"));
        break;
      case TAG.contextPrimitive(DNS):
        names.dns.push(ascii(body, "a DNS name"));
        break;
      case TAG.contextPrimitive(URI):
        names.uri.push(checkedUri(ascii(body, "a URI")));
        break;
      case TAG.contextPrimitive(IP):
        if (body.length !== 4 && body.length !== 16) {
          throw new MalformedError(`x509: cannot parse IP address of length ${body.length}`);
        }
        names.ip.push(body);
    }
  }
  return names;
}

/** The value of the extension; `undefined` if there are no names. */
export function alternativeNamesBytes({ dns, email, ip, uri }: AlternativeNames): Bytes | undefined {
  if (dns.length + email.length + ip.length + uri.length === 0) return undefined;
  const texts = (number: number, values: readonly string[]) =>
    values.map((value) => der(TAG.contextPrimitive(number), new TextEncoder().encode(value)));
  return sequence(
    ...texts(DNS, dns),
    ...texts(EMAIL, email),
    ...ip.map((address) => der(TAG.contextPrimitive(IP), shortest(address))),
    ...texts(URI, uri),
  );
}

/** The address, with IPv4 in IPv6 as plain IPv4. */
function shortest(address: Bytes): Bytes {
  const isMapped = address.length === 16 && address[10] === 0xff && address[11] === 0xff &&
    address.subarray(0, 10).every((byte) => byte === 0);
  return isMapped ? address.subarray(12) : address;
}

function ascii(body: Bytes, what: string): string {
  let value = "";
  for (const byte of body) {
    if (byte > 0x7f) throw new MalformedError(`the list of alternative names is malformed: ${what} has other letters`);
    value += String.fromCharCode(byte);
  }
  return value;
}

/** A URI that Go accepts, if it goes into a certificate unchanged. */
function checkedUri(uri: string): string {
  const isControl = (code: number) => code < 0x20 || code === 0x7f;
  for (let i = 0; i < uri.length; i++) if (isControl(uri.charCodeAt(i))) throw notUri(uri);
  if (uri.startsWith(":") || /%(?![0-9A-Fa-f]{2})/.test(uri)) throw notUri(uri);
  const [, host] = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(uri) ?? [];
  if (host && (host.split(".").includes("") || !/^[!-~]*$/.test(host))) throw notUri(uri);
  return uri;
}

function notUri(uri: string): MalformedError {
  return new MalformedError(`x509: cannot parse URI ${JSON.stringify(uri)}`);
}
