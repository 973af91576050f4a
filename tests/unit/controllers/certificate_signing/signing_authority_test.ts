import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { SigningAuthority } from "../../../../src/controllers/certificate_signing/signing_authority.ts";
import { testAuthority, TestSupplies } from "../certificates/signing_rig.ts";

async function setUp() {
  const [first, second] = [await testAuthority({ name: "first" }), await testAuthority({ name: "second" })];
  const supplies = new TestSupplies(first);
  const world = new FakeWorld();
  return { first, second, supplies, authority: new SigningAuthority(world.log, supplies, { cert: "c", key: "k" }) };
}

const subjectOf = async (authority: SigningAuthority) =>
  new TextDecoder().decode((await authority.current()).certificate.subject).replace(/[^a-z]/g, "");

Deno.test("SigningAuthority: the authority is that of the certificate's file as it is at present, if the key belongs to it", async () => {
  const { second, supplies, authority } = await setUp();
  assertStringIncludes(await subjectOf(authority), "first");
  supplies.cert = second.pem;
  supplies.keys = second.keys;
  assertStringIncludes(await subjectOf(authority), "second");
});

Deno.test("SigningAuthority: while the key does not belong to a changed certificate, or that cannot be read, the last one stays", async () => {
  const { second, supplies, authority } = await setUp();
  await authority.current();
  for (const changed of [second.pem, "", "garbage", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"]) {
    supplies.cert = changed;
    assertStringIncludes(await subjectOf(authority), "first");
    assertEquals((await authority.sign(await authority.current(), new Uint8Array(1))).length, 64);
  }
  supplies.cert = second.pem;
  supplies.keys = second.keys;
  assertStringIncludes(await subjectOf(authority), "second");
});

Deno.test("SigningAuthority: a file of several certificates signs nothing, not even with the last one", async () => {
  const { first, second, supplies, authority } = await setUp();
  await authority.current();
  supplies.cert = first.pem + second.pem;
  const error = await assertRejects(() => authority.current(), Error);
  assertStringIncludes(error.message, "expected 1 certificate, found 2");
});

Deno.test("SigningAuthority: nothing is signed in the name of a certificate that the key does not belong to", async () => {
  const { second, supplies, authority } = await setUp();
  const current = await authority.current();
  supplies.keys = second.keys;
  const error = await assertRejects(() => authority.sign(current, new Uint8Array(1)), Error);
  assertStringIncludes(error.message, "the certificate of --c is not its own yet");
  supplies.cert = second.pem;
  assertEquals((await authority.sign(await authority.current(), new Uint8Array(1))).length, 64);
});

Deno.test("SigningAuthority refuses to begin with a certificate and key that do not match", async () => {
  const { second, supplies, authority } = await setUp();
  for (const [cert, why] of [["", "there is no certificate"], [second.pem, "private key does not match public key"]]) {
    supplies.cert = cert;
    const error = await assertRejects(() => authority.current(), Error);
    assertEquals(error.message, `Cannot use the pair of --c and --k: ${why}`);
  }
});
