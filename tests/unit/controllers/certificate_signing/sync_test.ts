import "reflect-metadata";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import * as x509 from "@peculiar/x509";
import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { SigningContext } from "../../../../src/controllers/certificate_signing/context.ts";
import { SIGNERS } from "../../../../src/controllers/certificate_signing/signers.ts";
import { SigningAuthority } from "../../../../src/controllers/certificate_signing/signing_authority.ts";
import { syncSigning } from "../../../../src/controllers/certificate_signing/sync.ts";
import { kubelet, type RequestParts, requestPem } from "../../../scenarios/request_pem.ts";
import { certificateOf, requestObject, testAuthority, TestSupplies } from "../certificates/signing_rig.ts";

const HOUR_MS = 3_600_000;
const FLAGS = { cert: "ca.crt", key: "ca.key" };
const SERVING = "kubernetes.io/kubelet-serving";
const KUBELET = "kubernetes.io/kube-apiserver-client-kubelet";
const CLIENT = "kubernetes.io/kube-apiserver-client";
const UNKNOWN = "kubernetes.io/legacy-unknown";
const THREE = ["client auth", "digital signature", "key encipherment"];
const TWO = ["client auth", "digital signature"];
const SERVER = ["server auth", "digital signature", "key encipherment"];
const USER: RequestParts["subject"] = [["O", "some-org"], ["CN", "ann"]];
const node = kubelet("a");
const dns = { type: "dns", value: "example.com" } as const;

interface Case {
  readonly object: CertificateSigningRequest;
  /** Which of the signers looks at it; by default the one that is asked. */
  readonly signer?: string;
  readonly longestMs?: number;
  readonly caForMs?: number;
}

/** Lets a signer look at an object, and gives what it wrote. */
async function signed({ object, signer = object.spec?.signerName, longestMs = HOUR_MS, caForMs }: Case) {
  const world = new FakeWorld();
  const supplies = new TestSupplies(await testAuthority({ nowMs: world.clock.wallMs(), validForMs: caForMs }));
  const writes: CertificateSigningRequest[] = [];
  const client = {
    updateStatus: (resource: unknown, object: CertificateSigningRequest) => {
      assertEquals(resource, CERTIFICATESIGNINGREQUESTS);
      writes.push(object);
      return Promise.resolve(object);
    },
  } as unknown as SigningContext["client"]; // it does nothing else
  const found = SIGNERS.find(({ name }) => name === signer)!;
  const authority = new SigningAuthority(world.log, supplies, FLAGS);
  await syncSigning(object, { world, client, signer: found, authority, longestMs });
  assertEquals(writes.length <= 1, true);
  return { write: writes[0], nowMs: world.clock.wallMs() };
}

/** What came of a request: `signed`, `nothing`, or the message of the Failed condition. */
async function outcome(parts: RequestParts, more: Partial<Parameters<typeof requestObject>[0]>): Promise<string> {
  const object = requestObject({ pem: await requestPem(parts), signerName: CLIENT, usages: THREE, ...more });
  const { write } = await signed({ object, signer: more.signerName ?? CLIENT });
  if (!write) return "nothing";
  if (write.status?.certificate) return "signed";
  const { type, status, reason, message, lastUpdateTime } = write.status!.conditions!.at(-1)!;
  assertEquals([type, status, reason, typeof lastUpdateTime], ["Failed", "True", "SignerValidationFailure", "string"]);
  return message!;
}

type Row = readonly [what: string, RequestParts, Parameters<typeof outcome>[1], outcome: string];

const NO_MATCH_CLIENT = "usages did not match [client auth digital signature key encipherment]";
const ROWS: readonly Row[] = [
  ["a client's request", { subject: USER }, {}, "signed"],
  ["one without key encipherment", { subject: USER }, { usages: TWO }, "signed"],
  [
    "one with a server's usage",
    { subject: USER },
    { usages: [...THREE, "server auth"] },
    "invalid usage for client certificate: server auth",
  ],
  [
    "one that is for no client",
    { subject: USER },
    { usages: ["digital signature"] },
    "missing required usage for client certificate: client auth",
  ],
  ["a kubelet's request", { subject: node }, { signerName: KUBELET }, "signed"],
  ["a kubelet's without key encipherment", { subject: node }, { signerName: KUBELET, usages: TWO }, "signed"],
  ["a kubelet's with usages twice", { subject: node }, { signerName: KUBELET, usages: [...TWO, ...TWO] }, "signed"],
  [
    "a kubelet's with too few usages",
    { subject: node },
    { signerName: KUBELET, usages: ["client auth"] },
    NO_MATCH_CLIENT,
  ],
  ["a kubelet's with a foreign usage", { subject: node }, { signerName: KUBELET, usages: SERVER }, NO_MATCH_CLIENT],
  [
    "a kubelet's with a name",
    { subject: node, names: [dns] },
    { signerName: KUBELET },
    "DNS subjectAltNames are not allowed",
  ],
  [
    "a kubelet's with an address of mail",
    { subject: node, names: [{ type: "email", value: "a@b.c" }] },
    { signerName: KUBELET },
    "Email subjectAltNames are not allowed",
  ],
  [
    "a kubelet's with an address",
    { subject: node, names: [{ type: "ip", value: "10.0.0.1" }] },
    { signerName: KUBELET },
    "IP subjectAltNames are not allowed",
  ],
  [
    "a kubelet's with a URI",
    { subject: node, names: [{ type: "url", value: "spiffe://a/b" }] },
    { signerName: KUBELET },
    "URI subjectAltNames are not allowed",
  ],
  [
    "a kubelet's of somebody else",
    { subject: [["O", "system:nodes"], ["CN", "mike"]] },
    { signerName: KUBELET },
    "subject common name does not begin with system:node:",
  ],
  [
    "a kubelet's whose name is the prefix",
    { subject: [["O", "system:nodes"], ["CN", "system:node:"]] },
    { signerName: KUBELET },
    "signed",
  ],
  [
    "a kubelet's of no group",
    { subject: [["CN", "system:node:a"]] },
    { signerName: KUBELET },
    "subject organization is not system:nodes",
  ],
  ["a serving request", { subject: node, names: [dns] }, { signerName: SERVING, usages: SERVER }, "signed"],
  [
    "a serving request without key encipherment",
    { subject: node, names: [dns] },
    { signerName: SERVING, usages: ["server auth", "digital signature"] },
    "signed",
  ],
  [
    "a serving request without a name",
    { subject: node },
    { signerName: SERVING, usages: SERVER },
    "DNS or IP subjectAltName is required",
  ],
  [
    "a serving request with mail",
    { subject: node, names: [dns, { type: "email", value: "a@b.c" }] },
    { signerName: SERVING, usages: SERVER },
    "Email subjectAltNames are not allowed",
  ],
  [
    "a serving request with a URI",
    { subject: node, names: [dns, { type: "url", value: "spiffe://a/b" }] },
    { signerName: SERVING, usages: SERVER },
    "URI subjectAltNames are not allowed",
  ],
  [
    "a serving request for a client",
    { subject: node, names: [dns] },
    { signerName: SERVING, usages: TWO },
    "usages did not match [digital signature key encipherment server auth]",
  ],
  [
    "a serving request of two organizations",
    { subject: [["O", "system:nodes"], ["O", "more"], ["CN", "system:node:a"]], names: [dns] },
    { signerName: SERVING, usages: SERVER },
    "subject organization is not system:nodes",
  ],
  [
    "a serving request of somebody else",
    { subject: [["O", "system:nodes"], ["CN", "mike"]], names: [dns] },
    { signerName: SERVING, usages: SERVER },
    "subject common name does not begin with system:node:",
  ],
  ["a request of nobody for nothing", {}, { signerName: UNKNOWN, usages: [] }, "signed"],
  ["one that is not approved", { subject: USER }, { conditions: [] }, "nothing"],
  ["one that has failed", { subject: USER }, { conditions: conditions("Approved", "Failed") }, "nothing"],
  ["one that is denied too", { subject: USER }, { conditions: conditions("Approved", "Denied") }, "nothing"],
];

function conditions(...types: string[]) {
  return types.map((type) => ({ type, status: "True" }));
}

for (const [what, parts, more, expected] of ROWS) {
  Deno.test(`syncSigning: ${what}: ${expected}`, async () => assertEquals(await outcome(parts, more), expected));
}

Deno.test("syncSigning leaves another signer's request alone", async () => {
  const pem = await requestPem({ subject: USER });
  const object = requestObject({ pem, signerName: "example.com/x", usages: THREE });
  assertEquals((await signed({ object, signer: CLIENT })).write, undefined);
});

/** The certificate for a request, and when it was signed. */
async function issued(parts: RequestParts, more: Partial<Parameters<typeof requestObject>[0]>, rest?: Partial<Case>) {
  const object = requestObject({ pem: await requestPem(parts), signerName: UNKNOWN, usages: [], ...more });
  const { write, nowMs } = await signed({ object, ...rest });
  return { certificate: certificateOf(write), nowMs };
}

const LIVES: readonly (readonly [asked: number | undefined, livesMs: number, rest?: Partial<Case>])[] = [
  [1800, 1800_000],
  [3 * 3600, HOUR_MS],
  [-60, 600_000],
  [599, 600_000],
  [600, 600_000],
  [3600, HOUR_MS],
  [undefined, HOUR_MS],
  [undefined, 24 * HOUR_MS - 300_000, { longestMs: 24 * HOUR_MS }],
  [8 * 3600 - 1, 8 * HOUR_MS - 1000, { longestMs: 24 * HOUR_MS }],
  [8 * 3600, 8 * HOUR_MS - 300_000, { longestMs: 24 * HOUR_MS }],
  [undefined, 24 * HOUR_MS, { longestMs: 48 * HOUR_MS, caForMs: 24 * HOUR_MS }],
];
for (const [expirationSeconds, livesMs, rest] of LIVES) {
  Deno.test(`syncSigning gives ${livesMs / 1000} s to who asks for ${expirationSeconds} s, ${JSON.stringify(rest)}`, async () => {
    const { certificate, nowMs } = await issued({}, { expirationSeconds }, rest);
    assertEquals(certificate.notAfter.getTime() - nowMs, livesMs);
    assertEquals(nowMs - certificate.notBefore.getTime(), 300_000);
  });
}

Deno.test("syncSigning gives out usages, and none but these", async () => {
  const usages = ["ocsp signing", "crl sign", "s/mime", "content commitment", "email protection"];
  const { certificate } = await issued({ subject: USER }, { usages });
  const { KeyUsageFlags } = x509;
  const keyUsage = certificate.getExtension(x509.KeyUsagesExtension)!;
  assertEquals([keyUsage.critical, keyUsage.usages], [true, KeyUsageFlags.nonRepudiation | KeyUsageFlags.cRLSign]);
  const extended = certificate.getExtension(x509.ExtendedKeyUsageExtension)!;
  assertEquals([extended.critical, [...extended.usages]], [false, ["1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.9"]]);
  const none = (await issued({}, {})).certificate;
  assertEquals([...none.extensions].map(({ type }) => type), ["2.5.29.19", "2.5.29.35"]);
});

Deno.test("syncSigning takes nothing over but public key, known attributes of the subject, and names", async () => {
  const { certificate } = await issued({
    subject: [["CN", "first"], ["DC", "dropped"], ["O", "b"], ["O", "a"], ["CN", "ann"], ["C", "DE"]],
    names: [
      { type: "url", value: "spiffe://a/b" },
      { type: "ip", value: "10.0.0.1" },
      { type: "email", value: "a@b.c" },
      dns,
    ],
    extensions: [new x509.BasicConstraintsExtension(true, 3, true)],
  }, { usages: ["signing"] });
  assertEquals(certificate.subject, "C=DE, O=a+O=b, CN=ann");
  const basic = certificate.getExtension(x509.BasicConstraintsExtension)!;
  assertEquals([basic.ca, basic.pathLength, basic.critical], [false, undefined, true]);
  const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)!;
  assertEquals(names.names.toJSON().map(({ type }) => type), ["dns", "email", "ip", "url"]);
  assertEquals(names.critical, false);
  assertEquals(certificate.serialNumber.length <= 34, true);
});

Deno.test("syncSigning makes names critical where there is no subject", async () => {
  const { certificate } = await issued({ names: [dns] }, {});
  assertEquals(certificate.getExtension(x509.SubjectAlternativeNameExtension)!.critical, true);
});

const FAILURES:
  readonly (readonly [what: string, Partial<Parameters<typeof requestObject>[0]>, Partial<Case>, why: string])[] = [
    ["unknown usages", { usages: ["cooking"] }, {}, 'unrecognized usage values: ["cooking"]'],
    [
      "an authority that ends now",
      {},
      { caForMs: 0 },
      "refusing to sign a certificate that expired in the past: NotAfter=",
    ],
    ["an authority that ended", {}, { caForMs: -300_000 }, "the signer has expired: NotAfter="],
    ["what is no PEM", { pem: "garbage" }, {}, 'unable to parse csr "r": PEM block type must be CERTIFICATE REQUEST'],
  ];
for (const [what, more, rest, why] of FAILURES) {
  Deno.test(`syncSigning fails, to be tried again, with ${what}`, async () => {
    const error = await assertRejects(() => issued({}, more, rest), Error);
    assertStringIncludes(error.message, why);
  });
}

Deno.test("syncSigning does not sign what its sender cannot have signed", async () => {
  const pem = await requestPem({ subject: USER });
  const bytes = Uint8Array.from(atob(pem.replace(/-----[^-]*-----|\s/g, "")), (letter) => letter.charCodeAt(0));
  bytes[bytes.length - 1] ^= 1;
  const text = btoa(String.fromCharCode(...bytes));
  const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----\n`;
  const error = await assertRejects(() => issued({}, { pem: forged }), Error);
  assertEquals(
    error.message,
    "error auto signing csr: unable to verify certificate request signature: x509: ECDSA verification failure",
  );
});
