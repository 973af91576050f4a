import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { checkCredentials, readRootCa } from "../../../src/cli/credential_checks.ts";
import { type ClientConfig, ConfigError } from "../../../src/client/mod.ts";
import { TestAuthority } from "../client/test_pki.ts";

const MALFORMED = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const SERVER = { server: "https://127.0.0.1:6443" };

const refusal = async (world: FakeWorld, config: Omit<ClientConfig, "server">) =>
  (await assertRejects(() => checkCredentials(world.files, { ...SERVER, ...config }), ConfigError)).message;

Deno.test("checkCredentials takes what belongs together, and a configuration without certificates", async () => {
  const world = new FakeWorld();
  const authority = await TestAuthority.create();
  const pair = await authority.client("anna");
  world.fileContents.set("/ca.crt", authority.cert + authority.cert);
  await checkCredentials(world.files, SERVER);
  await checkCredentials(world.files, {
    ...SERVER,
    ca: { file: "/ca.crt" },
    clientCertificate: { text: pair.cert },
    clientKey: { text: pair.key },
  });
});

Deno.test("checkCredentials names the file or field of a malformed certificate or key", async () => {
  const world = new FakeWorld();
  const { cert, key } = await (await TestAuthority.create()).client("anna");
  const stranger = await (await TestAuthority.create()).client("anna");
  world.fileContents.set("/garbage", "not a pem");
  const roots = "unable to load root certificates:";
  const none = "data does not contain any valid RSA or ECDSA certificates";
  assertEquals(await refusal(world, { ca: { text: "garbage" } }), `${roots} certificate-authority-data: ${none}`);
  assertEquals(await refusal(world, { ca: { file: "/garbage" } }), `${roots} /garbage: ${none}`);
  assertEquals(
    await refusal(world, { ca: { text: cert + MALFORMED } }),
    `${roots} certificate-authority-data: certificate 2 of 2 is malformed`,
  );
  assertEquals(
    await refusal(world, { clientCertificate: { file: "/garbage" }, clientKey: { text: key } }),
    `unable to load the client certificate: /garbage: ${none}`,
  );
  assertEquals(
    await refusal(world, { clientCertificate: { text: cert }, clientKey: { text: "garbage" } }),
    "unable to load the client key: client-key-data: cannot be read as PEM of a private key",
  );
  assertEquals(
    await refusal(world, { clientCertificate: { text: cert }, clientKey: { text: stranger.key } }),
    "tls: private key of client-key-data does not match public key of client-certificate-data",
  );
});

Deno.test("checkCredentials leaves files alone that do not belong together: one may just have been replaced", async () => {
  const world = new FakeWorld();
  const authority = await TestAuthority.create();
  world.fileContents.set("/client.crt", (await authority.client("anna")).cert);
  world.fileContents.set("/client.key", (await authority.client("anna")).key);
  await checkCredentials(world.files, {
    ...SERVER,
    clientCertificate: { file: "/client.crt" },
    clientKey: { file: "/client.key" },
  });
});

Deno.test("readRootCa says why a file is not a bundle of certificates", async () => {
  const world = new FakeWorld();
  const { cert } = await TestAuthority.create();
  for (const [path, text] of [["/ca.crt", cert], ["/garbage", "x"], ["/malformed", MALFORMED]]) {
    world.fileContents.set(path, text);
  }
  assertEquals(await readRootCa(world.files, "/ca.crt"), cert);
  const cases = [
    ["/garbage", "error parsing root-ca-file at /garbage: data does not contain any valid RSA or ECDSA certificates"],
    ["/malformed", "error parsing root-ca-file at /malformed: certificate 1 of 1 is malformed"],
    ["/nowhere", "error reading root-ca-file at /nowhere: no such file or directory"],
  ];
  for (const [path, why] of cases) {
    assertEquals((await assertRejects(() => readRootCa(world.files, path), ConfigError)).message, why);
  }
});
