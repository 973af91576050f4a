import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { CertificatePair } from "../../../../src/client/credentials/certificate_pair.ts";
import { ReloadedFile } from "../../../../src/client/credentials/reloaded_file.ts";
import { TestAuthority } from "../test_pki.ts";

const authority = await TestAuthority.create();
const [old, renewed] = [await authority.client(), await authority.client()];

/** A pair in two files, and how often it has changed. */
function kit({ cert, key }: { cert: string; key: string }) {
  const world = new FakeWorld({ files: { "/crt": cert, "/key": key } });
  const pair = new CertificatePair(world, {
    cert: new ReloadedFile(world, { path: "/crt" }),
    key: new ReloadedFile(world, { path: "/key" }),
  });
  const changes = { count: 0 };
  pair.onChange = () => void changes.count++;
  const logged = () => world.log.lines.filter((line) => line.severity === "error").length;
  return { world, pair, changes, logged };
}

Deno.test("CertificatePair: certificate and key always match: while only one of the files has been replaced, the last good pair stays in use", async () => {
  for (const first of ["/crt", "/key"]) {
    const { world, pair, changes, logged } = kit(old);
    assertEquals(await pair.pair(), old);
    world.fileContents.set(first, first === "/crt" ? renewed.cert : renewed.key);
    await world.clock.advance(300_000);
    assertEquals([await pair.pair(), await pair.pair(), changes.count, logged()], [old, old, 0, 1]);
    world.fileContents.set("/crt", renewed.cert).set("/key", renewed.key);
    await world.clock.advance(1000);
    assertEquals([await pair.pair(), await pair.pair(), changes.count, logged()], [renewed, renewed, 1, 1]);
  }
});

Deno.test("CertificatePair: files that do not belong together are looked at again a second later, not at once", async () => {
  const { world, pair } = kit(old);
  await pair.pair();
  world.fileContents.set("/crt", renewed.cert);
  await world.clock.advance(300_000);
  await pair.pair();
  world.fileContents.set("/key", renewed.key);
  await world.clock.advance(999);
  assertEquals(await pair.pair(), old);
  await world.clock.advance(1);
  assertEquals(await pair.pair(), renewed);
});

Deno.test("CertificatePair: onChange is called after a later pair has been taken, once for a pair that several requests see first", async () => {
  const { world, pair, changes } = kit(old);
  await pair.pair();
  world.fileContents.set("/crt", renewed.cert).set("/key", renewed.key);
  await world.clock.advance(300_000);
  await Promise.all([pair.pair(), pair.pair(), pair.pair()]);
  assertEquals(changes.count, 1);
});

Deno.test("CertificatePair throws while the first files do not belong together, and recovers", async () => {
  const { world, pair } = kit({ cert: old.cert, key: renewed.key });
  await assertRejects(() => pair.pair(), Error, "the client key does not belong to the client certificate");
  world.fileContents.set("/crt", renewed.cert);
  await world.clock.advance(1000);
  assertEquals(await pair.pair(), renewed);
});

Deno.test("CertificatePair leaves a pair that cannot be parsed to the TLS library to judge", async () => {
  const other = { cert: "not a certificate", key: old.key };
  const { world, pair, changes } = kit(old);
  await pair.pair();
  world.fileContents.set("/crt", other.cert);
  await world.clock.advance(300_000);
  assertEquals([await pair.pair(), changes.count], [other, 1]);
});
