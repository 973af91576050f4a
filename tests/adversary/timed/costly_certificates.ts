/** Client certificates that nobody vouches for, made to cost whoever reads them as much as they can. */
import { encodeBase64 } from "@std/encoding/base64";
import {
  bits,
  identifier,
  integer,
  octets,
  sequence,
  set,
  tagged,
  text,
  time,
} from "../../../src/manager/endpoint/der.ts";

const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = sequence(identifier("1.2.840.10045.4.3.2"));
const DAY_MS = 86_400_000;

export interface Shown {
  readonly cert: string;
  readonly key: string;
}

type Parts = { readonly subject?: Uint8Array; readonly extensions?: readonly Uint8Array[] };

const name = (type: Uint8Array, value: Uint8Array) => sequence(set(sequence(type, value)));
const extension = (id: string, content: Uint8Array) => sequence(identifier(id), octets(content));
const times = (count: number, make: (i: number) => Uint8Array) => Array.from({ length: count }, (_, i) => make(i));

/** Of about `bytes` each. */
export async function costlyCertificates(bytes: number): Promise<ReadonlyMap<string, Shown>> {
  const commonName = identifier("2.5.4.3");
  const parts: Record<string, Parts> = {
    "an identifier of thousands of arcs": {
      subject: name(tagged(0x06, new Uint8Array(bytes).fill(1)), text("a")),
    },
    "an identifier of one endless arc": {
      subject: name(tagged(0x06, new Uint8Array(bytes).fill(0xff).fill(1, bytes - 1)), text("a")),
    },
    "thousands of names": { subject: sequence(...times(bytes / 12, () => set(sequence(commonName, text("a"))))) },
    "a name that is escaped everywhere": { subject: name(commonName, text('\u0001"\\,+'.repeat(bytes / 5))) },
    "extensions in thousands": { extensions: times(bytes / 11, (i) => extension(`1.2.${i % 128}`, sequence())) },
    "usages in thousands": {
      extensions: [extension("2.5.29.37", sequence(...times(bytes / 4, (i) => identifier(`1.2.${i % 128}`))))],
    },
    "depth": { extensions: [extension("1.2.3", nested(bytes / 4))] },
  };
  const made = Object.entries(parts).map(async ([what, part]): Promise<[string, Shown]> => [what, await signed(part)]);
  return new Map(await Promise.all(made));
}

function nested(depth: number): Uint8Array {
  let content = sequence();
  for (let i = 0; i < depth; i++) content = sequence(content);
  return content;
}

async function signed({ subject = sequence(), extensions = [] }: Parts): Promise<Shown> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]);
  const nowMs = new Date().getTime();
  const statement = sequence(
    tagged(0xa0, integer(Uint8Array.of(2))),
    integer(Uint8Array.of(1)),
    SIGNATURE,
    sequence(),
    sequence(time(nowMs - DAY_MS), time(nowMs + DAY_MS)),
    subject,
    new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey)),
    ...extensions.length > 0 ? [tagged(0xa3, sequence(...extensions))] : [],
  );
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const halves = new Uint8Array(await crypto.subtle.sign(algorithm, keys.privateKey, statement));
  const signature = sequence(integer(halves.subarray(0, 32)), integer(halves.subarray(32)));
  const key = new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { cert: pem("CERTIFICATE", sequence(statement, SIGNATURE, bits(signature))), key: pem("PRIVATE KEY", key) };
}

function pem(label: string, der: Uint8Array): string {
  const lines = encodeBase64(der).replace(/.{64}(?!$)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
