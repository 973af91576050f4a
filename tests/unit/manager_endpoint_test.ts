import { assert, assertEquals, assertRejects } from "@std/assert";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { FakeWorld } from "../../src/base/mod.ts";
import { Health, serveEndpoint } from "../../src/manager/mod.ts";
import { selfSignedCertificate } from "../../src/manager/serving_certificate.ts";
import { Authority } from "../controlplane/pki.ts";
import { freePort } from "../controlplane/process.ts";

const options = (securePort: number, files = false) => ({
  securePort,
  bindAddress: "127.0.0.1",
  tlsCertFile: files ? "/tls.crt" : "",
  tlsPrivateKeyFile: files ? "/tls.key" : "",
});

Deno.test("serveEndpoint answers /healthz over TLS with the given certificate, and 404 elsewhere", async () => {
  const authority = await Authority.create();
  const { cert, key } = await authority.serving(["localhost"], ["127.0.0.1"]);
  const world = new FakeWorld({ files: { "/tls.crt": cert, "/tls.key": key } });
  const health = new Health();
  const endpoint = (await serveEndpoint(world, options(freePort(), true), health))!;
  const client = Deno.createHttpClient({ caCerts: [authority.cert] });
  const ask = async (path: string) => {
    const response = await fetch(`https://127.0.0.1:${endpoint.port}${path}`, { client });
    return [response.status, await response.text()];
  };
  assertEquals(await ask("/healthz"), [200, "ok"]);
  health.add({ name: "leaderElection", run: () => "not renewed" });
  assertEquals((await ask("/healthz"))[0], 500);
  for (const path of ["/", "/healthz/leaderElection", "/livez"]) {
    assertEquals(await ask(path), [404, "404 page not found\n"], path);
  }
  client.close();
  await endpoint[Symbol.asyncDispose]();
});

Deno.test("serveEndpoint serves nothing on port 0, and names the address it cannot have", async () => {
  const world = new FakeWorld();
  assertEquals(await serveEndpoint(world, options(0), new Health()), undefined);
  const endpoint = (await serveEndpoint(world, options(freePort()), new Health()))!;
  await assertRejects(
    () => serveEndpoint(world, options(endpoint.port), new Health()),
    Error,
    `Cannot serve on 127.0.0.1:${endpoint.port}`,
  );
  await endpoint[Symbol.asyncDispose]();
});

Deno.test("selfSignedCertificate is for localhost and the address bound to, from an hour ago for a year", async () => {
  const world = new FakeWorld();
  for (
    const [bindAddress, addresses] of [["0.0.0.0", ["127.0.0.1"]], ["192.0.2.1", ["127.0.0.1", "192.0.2.1"]]] as const
  ) {
    const { cert, key } = await selfSignedCertificate(world, bindAddress);
    const certificate = new x509.X509Certificate(cert);
    const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)!.names.items;
    assertEquals(names.map(({ type, value }) => `${type} ${value}`), [
      "dns localhost",
      ...addresses.map((a) => `ip ${a}`),
    ]);
    assertEquals(certificate.notBefore.getTime(), world.clock.wallMs() - 3_600_000);
    assertEquals(certificate.notAfter.getTime(), world.clock.wallMs() + 365 * 24 * 3_600_000);
    assert(await certificate.verify({ signatureOnly: true }));
    assert(key.startsWith("-----BEGIN PRIVATE KEY-----"));
  }
});
