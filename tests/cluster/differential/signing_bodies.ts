/** Requests for certificates and certificates, good and broken, for cases that send them. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { der, natural, oid, sequence } from "../../../src/x509/der_writer.ts";
import { pemBlocks, pemText } from "../../../src/x509/mod.ts";
import { requestPem } from "../../scenarios/request_pem.ts";

const CURVE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const ED25519 = { name: "Ed25519" } as const;

const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);
const bits = (content: Uint8Array) => der(3, new Uint8Array(1), content);

/** A PEM block of this type. */
export const block = (body: Uint8Array<ArrayBuffer>, type = "CERTIFICATE REQUEST") => pemText({ type, bytes: body });

/** A good request. */
export const GOOD = await requestPem({ subject: [["CN", "x"]] });
export const GOOD_DER = [...pemBlocks(GOOD)][0].bytes;
const NAMED = await requestPem({ subject: [["CN", "x"]], names: [{ type: "dns", value: "a.example.com" }] });
const extension = new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "a.example.com" }]);
const TWICE = await requestPem({ subject: [["CN", "x"]], extensions: [extension, extension] });
const UNKNOWN_CRITICAL = await requestPem({
  extensions: [new x509.Extension("1.2.3.4", true, new Uint8Array([5, 0]))],
});

/** A request with a key of this modulus, and a signature that is as long and nobody's. */
function ofModulus(modulus: Uint8Array, exponent = new Uint8Array([1, 0, 1])): Uint8Array<ArrayBuffer> {
  const key = sequence(natural(modulus), natural(exponent));
  const info = sequence(sequence(oid("2a864886f70d010101"), der(5)), bits(key));
  const body = sequence(natural(new Uint8Array(1)), sequence(), info, der(0xa0));
  return sequence(body, sequence(oid("2a864886f70d01010b"), der(5)), bits(bytes(modulus.length, 1)));
}

/** The good request, cut off behind so many bytes. */
const cut = (length: number) => block(GOOD_DER.slice(0, length));

function changed(at: number): string {
  const copy = GOOD_DER.slice();
  copy[at < 0 ? copy.length + at : at] ^= 1;
  return block(copy);
}

/** Texts that are no requests, or that nobody signed, by what is wrong with them. */
export const BROKEN_REQUESTS: Readonly<Record<string, string>> = {
  "no PEM": "hello",
  "another type": block(GOOD_DER, "NEW CERTIFICATE REQUEST"),
  "PEM without DER": block(new Uint8Array()),
  "zeros": block(bytes(100, 0)),
  "bytes behind it": block(new Uint8Array([...GOOD_DER, 0])),
  "cut off behind its first byte": cut(1),
  "cut off in its length": cut(2),
  "cut off in its subject": cut(20),
  "cut off in its key": cut(60),
  "cut off before its last byte": cut(GOOD_DER.length - 1),
  "a subject of another type": changed(8),
  "a key of 100,000 bits": block(ofModulus(bytes(12_500, 0xff))),
  "a certificate's type": block(GOOD_DER, "CERTIFICATE"),
  "headers": GOOD.replace("-----\n", "-----\nA: b\n\n"),
  "no END line": GOOD.slice(0, GOOD.indexOf("-----END")),
  "a signature that was changed": changed(-3),
  "a signature that is no DER": changed(-70),
  "a key of 16,384 bits": block(ofModulus(bytes(2048, 0xff))),
  "a modulus of zero": block(ofModulus(new Uint8Array(1))),
  "an exponent of zero": block(ofModulus(bytes(256, 0xff), new Uint8Array(1))),
  "an exponent of 64 bits": block(ofModulus(bytes(256, 0xff), bytes(8, 0x7f))),
};

/** Odd requests that may be good all the same. */
export const ODD_REQUESTS: Readonly<Record<string, string>> = {
  "two blocks": GOOD + NAMED,
  "text before it": `hello\n${GOOD}`,
  "text behind it": `${GOOD}hello`,
  "the same extension twice": TWICE,
  "a critical extension that nobody knows": UNKNOWN_CRITICAL,
  "names": NAMED,
  "an empty subject": await requestPem(),
  "a key of 384 bits": await requestPem({ key: "P-384" }),
};

export interface CertificateTraits {
  readonly name?: string;
  /** Whether it may sign others; says nothing about it where this is absent. */
  readonly isAuthority?: boolean;
}

/** A certificate that signs itself. */
export async function certificate({ name = "x", isAuthority }: CertificateTraits = {}): Promise<string> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]) as CryptoKeyPair;
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: CURVE,
    keys,
    extensions: isAuthority === undefined ? [] : [new x509.BasicConstraintsExtension(isAuthority, undefined, true)],
  });
  return made.toString("pem") + "\n";
}

/** A request in DER as a kubelet makes it for a pod, signed by a key of this algorithm. */
export async function stubRequest(algorithm: "P-256" | "P-521" | "Ed25519" | 2048 | 3072): Promise<string> {
  const signing = typeof algorithm === "number"
    ? {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: algorithm,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    }
    : algorithm === "Ed25519"
    ? ED25519
    : { ...CURVE, namedCurve: algorithm, hash: algorithm === "P-521" ? "SHA-512" : "SHA-256" };
  const keys = await crypto.subtle.generateKey(signing, true, ["sign", "verify"]) as CryptoKeyPair;
  const made = await x509.Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: signing });
  return base64(new Uint8Array(made.rawData));
}

/** A request for a pod, and certificates of its key, by how long they are valid. */
export interface Answered {
  readonly request: string;
  /** As `2026-01-01T00:00:00Z`; a minute ago. */
  readonly notBefore: string;
  certificate(hours: number, names?: readonly string[]): Promise<string>;
  /** So many minutes after {@link notBefore}. */
  after(minutes: number): string;
}

export async function answered(): Promise<Answered> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]) as CryptoKeyPair;
  const made = await x509.Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: CURVE });
  const beginMs = Math.floor(Date.now() / 1000) * 1000 - 60_000;
  const after = (minutes: number) => new Date(beginMs + minutes * 60_000).toISOString().replace(".000Z", "Z");
  return {
    request: base64(new Uint8Array(made.rawData)),
    notBefore: after(0),
    after,
    async certificate(hours, names = []) {
      const signed = await x509.X509CertificateGenerator.createSelfSigned({
        serialNumber: "01",
        name: "CN=x",
        notBefore: new Date(beginMs),
        notAfter: new Date(beginMs + hours * 3_600_000),
        signingAlgorithm: CURVE,
        keys,
        extensions: names.length === 0
          ? []
          : [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns" as const, value })))],
      });
      return signed.toString("pem") + "\n";
    },
  };
}

export function base64(body: Uint8Array): string {
  return btoa(String.fromCharCode(...body));
}
