import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { ClientAuthorities } from "../../../../src/manager/endpoint/client_certificates.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const YEAR_MS = 365 * 24 * 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 1);
const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;
const { keyCertSign, cRLSign } = x509.KeyUsageFlags;

const basic = (ca: boolean, pathLength?: number) => new x509.BasicConstraintsExtension(ca, pathLength, true);
const usage = (flags: number) => new x509.KeyUsagesExtension(flags, true);
const meantFor = (...usages: x509.ExtendedKeyUsage[]) => new x509.ExtendedKeyUsageExtension(usages);
const extension = (type: string, critical: boolean) => new x509.Extension(type, critical, new Uint8Array([0x30, 0]));

interface Wishes {
  readonly extensions?: readonly x509.Extension[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly hash?: string;
  readonly keys?: CryptoKeyPair;
}

/** A certificate with its keys, and what it signs. */
class Holder {
  readonly certificate: x509.X509Certificate;
  readonly #keys: CryptoKeyPair;

  constructor(certificate: x509.X509Certificate, keys: CryptoKeyPair) {
    this.certificate = certificate;
    this.#keys = keys;
  }

  get der(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.certificate.rawData);
  }

  get pem(): string {
    return this.certificate.toString("pem");
  }

  static async root(name: string, wishes: Wishes = {}): Promise<Holder> {
    const keys = wishes.keys ?? await newKeys();
    return await made({ subject: name, issuer: name, keys, signingKey: keys.privateKey }, wishes);
  }

  async signs(subject: string, wishes: Wishes = {}): Promise<Holder> {
    const keys = wishes.keys ?? await newKeys();
    const signingKey = this.#keys.privateKey;
    return await made({ subject, issuer: this.certificate.subject, keys, signingKey }, wishes);
  }

  /** The same subject and key, by another issuer. */
  crossSigned(by: Holder): Promise<Holder> {
    return by.signs(this.certificate.subject, { extensions: [basic(true)], keys: this.#keys });
  }
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

let serial = 16;

async function made(
  { subject, issuer, keys, signingKey }: {
    readonly subject: string;
    readonly issuer: string;
    readonly keys: CryptoKeyPair;
    readonly signingKey: CryptoKey;
  },
  { extensions = [basic(true), usage(keyCertSign | cRLSign)], hash = "SHA-256", ...times }: Wishes,
): Promise<Holder> {
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: (serial++).toString(16),
    subject,
    issuer,
    notBefore: times.notBefore ?? new Date(NOW_MS - YEAR_MS),
    notAfter: times.notAfter ?? new Date(NOW_MS + YEAR_MS),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: { ...ALGORITHM, hash },
    extensions: [...extensions],
  });
  return new Holder(certificate, keys);
}

const CLIENT: Wishes = { extensions: [basic(false), meantFor(clientAuth)] };

/** By OpenSSL 3.0, with `openssl x509 -req` and no extensions; nobody has the keys. */
const VERSION_1 = {
  root: `-----BEGIN CERTIFICATE-----
MIIBFzCBvwIUfHtTzf1i0/TGAhm6CMwfNxA8X+gwCgYIKoZIzj0EAwIwDjEMMAoG
A1UEAwwDb2xkMCAXDTI2MTEyMjE1MzgwOVoYDzIxMjYxMDI5MTUzODA5WjAOMQww
CgYDVQQDDANvbGQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATWV2I6/zUBKogF
NdQ548195zHAq2TpSSPMP5IPfTEdlcvGXwueUwLyzwIjaQnFERNcETR+tkwuPeHd
bI4AqN3QMAoGCCqGSM49BAMCA0cAMEQCICmQpGFZc3nnDtIJpYNQCS2VJv+tYXRC
KIv5giLQZit/AiBMp4yNvFD2e3y8O4DRWfbn7Kt/zkkz2UWZ7yBGzJMAPg==
-----END CERTIFICATE-----`,
  client: `-----BEGIN CERTIFICATE-----
MIIBGzCBwQIURjyUmc48OscK+xP4s430OyFX2uwwCgYIKoZIzj0EAwIwDjEMMAoG
A1UEAwwDb2xkMCAXDTI2MTEyMjE1MzgwOVoYDzIxMjYxMDI5MTUzODA5WjAQMQ4w
DAYDVQQDDAVhbGljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMH8fVqM3M7N
t67vMlPsO4MxzblH38F+JoX0eE/fq0BWNHXn/nLz6WuyK//6+adgQNUKnmQGiK/9
d7Ugv1k0yt4wCgYIKoZIzj0EAwIDSQAwRgIhAP5QWOqbHP1HuiDzwNeqbGF6+rrY
pb+BwbJ3O0kCoZkTAiEAyrL6hFmXyKg6ucsIkLA6Xcmhy9kX6X8r/vcoybxFLVE=
-----END CERTIFICATE-----`,
};

/** Who `client` is to somebody who trusts `roots`, or why not. */
async function judged(client: Holder, roots: readonly Holder[], sent: readonly Holder[] = []): Promise<string> {
  const clock = new FakeClock({ startWallMs: NOW_MS });
  const authorities = new ClientAuthorities(clock, roots.map(({ pem }) => pem).join("\n"));
  try {
    return (await authorities.userOf(client.der, () => sent.map(({ der }) => der))).name;
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("verifyChain: a chain begins at an authority and ends at the client's certificate", async () => {
  const root = await Holder.root("CN=root");
  const first = await root.signs("CN=first");
  const second = await first.signs("CN=second");
  const client = await second.signs("O=staff,CN=alice", CLIENT);
  assertEquals(await judged(await root.signs("CN=bob", CLIENT), [root]), "bob");
  for (const sent of [[second, first], [first, second], [root, client, second, second, first]]) {
    assertEquals(await judged(client, [await Holder.root("CN=other"), root], sent), "alice");
  }
  assertEquals(await judged(client, [second]), "alice");
  for (const sent of [[], [first], [second]]) {
    assertEquals(
      await judged(client, [root], sent),
      `client certificate ${JSON.stringify(client.certificate.subject)} was signed by an unknown authority`,
    );
  }
  const forger = await Holder.root("CN=root");
  const forged = await forger.signs("CN=first");
  assertStringIncludes(
    await judged(await forged.signs("CN=mallory", CLIENT), [root], [forged, forger]),
    "unknown authority",
  );
});

Deno.test("verifyChain: each issuer is an authority by its basic constraints, may sign certificates by its key usage if it has one", async () => {
  const cases: readonly (readonly [extensions: readonly x509.Extension[], isGood: boolean])[] = [
    [[basic(true)], true],
    [[basic(true), usage(keyCertSign)], true],
    [[basic(true), usage(cRLSign)], false],
    [[basic(false), usage(keyCertSign)], false],
    [[usage(keyCertSign)], false],
    [[extension("1.2.3.4", false)], false],
  ];
  for (const [extensions, isGood] of cases) {
    const root = await Holder.root("CN=root", { extensions });
    assertEquals((await judged(await root.signs("CN=alice", CLIENT), [root])) === "alice", isGood);
    const good = await Holder.root("CN=good");
    const between = await good.signs("CN=between", { extensions });
    const answer = await judged(await between.signs("CN=alice", CLIENT), [good], [between]);
    assertEquals(answer === "alice", isGood);
    if (!isGood) assertStringIncludes(answer, 'unknown authority ("CN=between" may not sign certificates)');
  }
});

Deno.test("verifyChain: who signs has as few certificates below it as it allows", async () => {
  for (
    const [rootAllows, firstAllows, isGood] of [[1, 0, false], [2, 1, true], [undefined, 0, false], [
      0,
      5,
      false,
    ]] as const
  ) {
    const root = await Holder.root("CN=root", { extensions: [basic(true, rootAllows)] });
    const first = await root.signs("CN=first", { extensions: [basic(true, firstAllows)] });
    const second = await first.signs("CN=second");
    const answer = await judged(await second.signs("CN=alice", CLIENT), [root], [second, first]);
    assertEquals(answer === "alice", isGood, answer);
  }
});

Deno.test("verifyChain: all of them are valid now, are meant for clients unless they are meant for anything, and have no critical extension that is not known", async () => {
  const bad: readonly (readonly [wishes: Wishes, why: string])[] = [
    [{ notAfter: new Date(NOW_MS - 1000) }, "is not valid now"],
    [{ notBefore: new Date(NOW_MS + 1000) }, "is not valid now"],
    [{ extensions: [basic(true), meantFor(serverAuth)] }, "is not for clients"],
    [{ extensions: [basic(true), extension("1.2.3.4", true)] }, "has the critical extension 1.2.3.4"],
    [{ extensions: [basic(true), extension("2.5.29.36", true)] }, "has the critical extension 2.5.29.36"],
  ];
  for (const [wishes, why] of bad) {
    const root = await Holder.root("CN=root");
    assertStringIncludes(await judged(await root.signs("CN=alice", wishes), [root]), why);
    const between = await root.signs("CN=between", wishes);
    const client = await between.signs("CN=alice", CLIENT);
    assertStringIncludes(await judged(client, [root], [between]), `unknown authority ("CN=between" ${why}`);
    assertStringIncludes(await judged(client, [between]), why);
  }
  const root = await Holder.root("CN=root");
  const fine = [basic(true), meantFor("2.5.29.37.0" as x509.ExtendedKeyUsage), extension("1.2.3.4", false)];
  const between = await root.signs("CN=between", { extensions: fine });
  assertEquals(await judged(await between.signs("CN=alice", { extensions: [] }), [root], [between]), "alice");
});

Deno.test("verifyChain: an authority with name constraints vouches for nobody", async () => {
  const root = await Holder.root("CN=root", { extensions: [basic(true), extension("2.5.29.30", false)] });
  assertStringIncludes(await judged(await root.signs("CN=alice", CLIENT), [root]), "has name constraints");
});

Deno.test("verifyChain passes over an authority whose extensions cannot be read", async () => {
  const broken = await Holder.root("CN=root", { extensions: [basic(true), extension("2.5.29.14", false)] });
  const root = await Holder.root("CN=root");
  assertEquals(await judged(await root.signs("CN=alice", CLIENT), [broken, root]), "alice");
  assertStringIncludes(
    await judged(await broken.signs("CN=alice", CLIENT), [broken, root]),
    '"CN=root" cannot be read',
  );
});

Deno.test("verifyChain: Signatures with SHA-1 or MD5 are invalid", async () => {
  const root = await Holder.root("CN=root");
  const client = await root.signs("CN=alice", { ...CLIENT, hash: "SHA-1" });
  assertStringIncludes(await judged(client, [root]), "is signed with SHA-1");
});

Deno.test("verifyChain: a certificate that is in the bundle itself needs no signature", async () => {
  const alone = await Holder.root("CN=alice", CLIENT);
  assertEquals(await judged(alone, [alone]), "alice");
  const expired = await Holder.root("CN=alice", { ...CLIENT, notAfter: new Date(NOW_MS - 1) });
  assertStringIncludes(await judged(expired, [expired]), "is not valid now");
});

Deno.test("verifyChain: at most 100 signatures are checked, and only with keys that an authority vouches for, whatever a client sends", async () => {
  const root = await Holder.root("CN=root");
  const [a, b] = [await root.signs("CN=a"), await root.signs("CN=b")];
  const circle = [a, b, await a.crossSigned(b), await b.crossSigned(a)];
  const stranger = await (await Holder.root("CN=a")).signs("CN=alice", CLIENT);
  await assertRejects(
    async () => {
      throw new Error(await judged(stranger, [root], circle));
    },
    Error,
    "more than 100 signatures",
  );
  const foreign = await Holder.root("CN=foreign");
  const chain = [foreign, await foreign.signs("CN=a"), await foreign.signs("CN=root")];
  const checked: string[] = [];
  const { verify } = x509.X509Certificate.prototype;
  x509.X509Certificate.prototype.verify = function (options) {
    checked.push((options?.publicKey as x509.X509Certificate).subject);
    return verify.call(this, options);
  };
  try {
    await judged(await chain[2].signs("CN=alice", CLIENT), [root], chain);
  } finally {
    x509.X509Certificate.prototype.verify = verify;
  }
  assertEquals(checked, ["CN=root"]); // by the real one: the other is asked for nothing
});

Deno.test("verifyChain: only an authority's certificate of version 1 has no basic constraints", async () => {
  const authorities = new ClientAuthorities(new FakeClock({ startWallMs: Date.UTC(2030, 0, 1) }), VERSION_1.root);
  const { rawData } = new x509.X509Certificate(VERSION_1.client);
  assertEquals((await authorities.userOf(new Uint8Array(rawData), () => [])).name, "alice");
});
