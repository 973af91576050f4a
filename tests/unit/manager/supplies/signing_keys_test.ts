import { assert, assertEquals, assertRejects } from "@std/assert";
import { generateKeyPairSync } from "node:crypto";
import { FakeWorld, settle } from "../../../../src/base/mod.ts";
import { needsOf, type SigningAlgorithm, SigningError, UndeclaredNeedError } from "../../../../src/controllers/mod.ts";
import { OpenSupplies } from "../../../../src/manager/mod.ts";
import { ALGORITHMS } from "../../../../src/manager/supplies/private_key.ts";

const DATA = new TextEncoder().encode("header.payload");

function pem(kind: "rsa" | "P-256" | "P-384" | "P-521", type: "pkcs1" | "pkcs8" | "sec1"): string {
  const { privateKey } = kind === "rsa"
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ec", { namedCurve: kind });
  const der = privateKey.export({ format: "der", type: type as "pkcs8" });
  const label = { pkcs1: "RSA PRIVATE KEY", pkcs8: "PRIVATE KEY", sec1: "EC PRIVATE KEY" }[type];
  return `-----BEGIN ${label}-----\n${der.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;
}

async function setUp(text: string) {
  const world = new FakeWorld({ files: { "/key": text } });
  const supplies = new OpenSupplies(world, needsOf([{ needs: { keys: ["key"] } }]), () => ({ path: "/key" }));
  await supplies.read();
  return { world, supplies, signer: supplies.signer };
}

async function isSignedBy(
  algorithm: SigningAlgorithm,
  { signature, publicKey }: { signature: Uint8Array<ArrayBuffer>; publicKey: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  const how = ALGORITHMS[algorithm];
  const key = await crypto.subtle.importKey("spki", publicKey, how, false, ["verify"]);
  return await crypto.subtle.verify(how, key, signature, DATA);
}

const KEYS: readonly (readonly [...Parameters<typeof pem>, fitting: readonly SigningAlgorithm[]])[] = [
  ["rsa", "pkcs1", ["RS256", "RS384", "RS512"]],
  ["rsa", "pkcs8", ["RS256", "RS384", "RS512"]],
  ["P-256", "sec1", ["ES256"]],
  ["P-256", "pkcs8", ["ES256"]],
  ["P-384", "sec1", ["ES384"]],
  ["P-521", "pkcs8", ["ES512"]],
];

for (const [kind, type, fitting] of KEYS) {
  Deno.test(`SigningKeys: a key of ${kind} in ${type} signs by ${fitting.join(", ")}, and by nothing else`, async () => {
    const { signer } = await setUp(
      `-----BEGIN EC PARAMETERS-----\nAA==\n-----END EC PARAMETERS-----\n${pem(kind, type)}`,
    );
    for (const algorithm of Object.keys(ALGORITHMS) as SigningAlgorithm[]) {
      if (fitting.includes(algorithm)) {
        const signed = await signer.sign("key", algorithm, DATA);
        assert(await isSignedBy(algorithm, signed), algorithm);
        assertEquals(signed.publicKey, await signer.publicKey("key"));
      } else {
        await assertRejects(
          () => signer.sign("key", algorithm, DATA),
          SigningError,
          `it signs by ${fitting.join(", ")}`,
        );
      }
    }
  });
}

Deno.test("SigningKeys: a key of another kind signs nothing", async () => {
  const { signer } = await setUp(pem("P-256", "sec1"));
  for (const algorithm of ["RS256", "ES384", "ES512"] as const) {
    await assertRejects(() => signer.sign("key", algorithm, DATA), SigningError, "it signs by ES256");
  }
});

Deno.test("SigningKeys: the key is the one in the file's current text; while that holds none, the last one stays", async () => {
  const { world, supplies, signer } = await setUp(pem("P-256", "sec1"));
  const stop = new AbortController();
  const following = supplies.follow(stop.signal);
  const first = await signer.publicKey("key");
  world.fileContents.set("/key", "-----BEGIN PRIVATE KEY-----\nhalf of it");
  await world.clock.advance(12_000);
  assertEquals((await signer.sign("key", "ES256", DATA)).publicKey, first);
  world.fileContents.set("/key", pem("rsa", "pkcs1"));
  await world.clock.advance(12_000);
  const signed = await signer.sign("key", "RS256", DATA);
  assert(await isSignedBy("RS256", signed));
  assert(signed.publicKey.length > first.length);
  stop.abort();
  await following;
  await settle();
});

/** Files that hold no key, and what is said of them. */
const NO_KEYS: readonly (readonly [what: string, text: string])[] = [
  ["nothing", ""],
  ["a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
  [
    "an Ed25519 key",
    (() => {
      const { privateKey } = generateKeyPairSync("ed25519");
      return privateKey.export({ format: "pem", type: "pkcs8" }) as string;
    })(),
  ],
  ["a block that is no key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"],
  ["a thousand beginnings", "-----BEGIN EC PRIVATE KEY-----".repeat(1000)],
];

for (const [what, text] of NO_KEYS) {
  Deno.test(`SigningKeys: ${what} in place of a key is refused by name`, async () => {
    const { signer } = await setUp(text);
    const why = "Cannot read the key of --key: data does not contain a valid RSA or ECDSA private key";
    await assertRejects(() => signer.publicKey("key"), SigningError, why);
    await assertRejects(() => signer.sign("key", "RS256", DATA), SigningError, why);
  });
}

Deno.test("SigningKeys: what is not bytes, shared, or too long is not signed; nor is anything with a key that no row declares", async () => {
  const { signer } = await setUp(pem("P-256", "sec1"));
  const odd: readonly unknown[] = [
    undefined,
    null,
    "text",
    { length: 1 },
    new Uint16Array(1),
    new Uint8Array(new SharedArrayBuffer(1)),
    new Uint8Array(64 * 1024 + 1),
  ];
  for (const data of odd) {
    await assertRejects(() => signer.sign("key", "ES256", data as Uint8Array<ArrayBuffer>), SigningError, "64 KiB");
  }
  for (const algorithm of ["none", "HS256", "constructor", undefined, {}]) {
    await assertRejects(
      () => signer.sign("key", algorithm as SigningAlgorithm, DATA),
      SigningError,
      "it signs by ES256",
    );
  }
  for (const flag of ["other", "__proto__", undefined]) {
    await assertRejects(() => signer.sign(flag as string, "ES256", DATA), UndeclaredNeedError, `the key of --${flag}`);
    await assertRejects(() => signer.publicKey(flag as string), UndeclaredNeedError);
  }
});
