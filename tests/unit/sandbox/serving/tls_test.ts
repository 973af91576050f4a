import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { decodeBase64 } from "@std/encoding/base64";
import { parse } from "@std/yaml";
import "reflect-metadata";
import { SubjectAlternativeNameExtension, X509Certificate } from "@peculiar/x509";
import { MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import {
  CertificateAuthority,
  createApiServer,
  kubeconfigText,
  ListenError,
  MemoryBackend,
  serveApiServer,
  serveApiServerOverTls,
} from "../../../../src/sandbox/mod.ts";
import { CONFIG_MAPS, Harness, type Loose, WatchReader } from "../apiserver/harness.ts";

const WHOAMI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
/** Certificates are checked against the time that it is. */
const world = systemWorld(new MemoryLogger());
const authority = await CertificateAuthority.of(world);

/** A server in the real world, behind TLS. */
class Rig implements AsyncDisposable {
  readonly apiServer = createApiServer({ world, authentication: "required" });
  readonly #served = serveApiServerOverTls({ apiServer: this.apiServer, authority });

  async fetch(path: string, init: RequestInit & { cert?: string; key?: string; ca?: string } = {}): Promise<Response> {
    const { cert, key, ca = authority.cert, ...rest } = init;
    const { url } = await this.#served;
    // Each on a connection of its own, for certificates belong to connections.
    const client = Deno.createHttpClient({ caCerts: [ca], ...cert && key ? { cert, key } : {}, poolMaxIdlePerHost: 0 });
    try {
      return await fetch(url + path, { client, ...rest });
    } finally {
      client.close();
    }
  }

  /** The head of an answer; its body is read, and thrown away. */
  async head(path: string, init: RequestInit): Promise<Response> {
    const response = await this.fetch(path, init);
    await response.arrayBuffer();
    return response;
  }

  /** What is answered to two requests on one connection. */
  async onOneConnection(first: readonly string[], second: readonly string[]): Promise<string> {
    const port = Number(new URL((await this.#served).url).port);
    using connection = await Deno.connectTls({ hostname: "localhost", port, caCerts: [authority.cert] });
    const giveUp = setTimeout(() => connection.close(), 10_000);
    const send = (lines: readonly string[]) =>
      connection.write(new TextEncoder().encode([...lines, "host: localhost", "", ""].join("\r\n")));
    const buffer = new Uint8Array(65_536);
    await send(first);
    let text = new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
    await send([...second, "connection: close"]);
    for (let read; (read = await connection.read(buffer)) !== null;) {
      text += new TextDecoder().decode(buffer.subarray(0, read));
    }
    clearTimeout(giveUp);
    return text;
  }

  get token(): Record<string, string> {
    return { authorization: `Bearer ${this.apiServer.adminToken}`, "content-type": "application/json" };
  }

  async whoami(init: RequestInit & { cert?: string; key?: string }): Promise<Loose> {
    const headers = { "content-type": "application/json", ...init.headers };
    const body = await (await this.fetch(WHOAMI, { ...init, headers, method: "POST", body: "{}" })).json();
    return body.status.userInfo ?? body;
  }

  close = async () => (await this.#served).close();

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.apiServer.close();
  }
}

Deno.test("serveApiServerOverTls answers whom its authority's certificate convinces, and nobody else", async () => {
  await using rig = new Rig();
  assertEquals(await (await rig.fetch("/healthz")).text(), "ok");
  const found = await rig.fetch("/api/v1/namespaces/default", { headers: rig.token });
  assertEquals([found.status, (await found.json()).metadata.name], [200, "default"]);
  const head = await rig.fetch("/healthz", { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
  const stranger = await CertificateAuthority.of(world);
  await assertRejects(() => rig.fetch("/healthz", { ca: stranger.cert }), TypeError);
});

Deno.test("serveApiServerOverTls reads on after an answer without a body", async () => {
  await using rig = new Rig();
  const { authorization } = rig.token;
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const etag = (await rig.head("/api", { headers: { authorization, accept } })).headers.get("etag")!;
  const known = [
    "GET /api HTTP/1.1",
    `authorization: ${authorization}`,
    `accept: ${accept}`,
    `if-none-match: ${etag}`,
  ];
  const text = await rig.onOneConnection(known, ["GET /healthz HTTP/1.1"]);
  assertEquals(text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 304", "HTTP/1.1 200"]);
});

Deno.test("serveApiServerOverTls knows clients by their tokens and certificates", async () => {
  await using rig = new Rig();
  assertEquals((await rig.whoami({ headers: rig.token })).username, "kubernetes-admin");
  const joe = await authority.client("joe", ["devs", "a, b"]);
  const { username, groups } = await rig.whoami({ ...joe });
  assertEquals([username, groups], ["joe", ["devs", "a, b", "system:authenticated"]]);
  const eve = await (await CertificateAuthority.of(world)).client("joe", ["system:masters"]);
  assertEquals((await rig.whoami({ ...eve })).code, 401);
  assertEquals((await rig.head("/api/v1/pods", {})).status, 401);
});

Deno.test("serveApiServerOverTls sends a watch's events as they come and ends it when closed", async () => {
  await using rig = new Rig();
  const headers = rig.token;
  const response = await rig.fetch(`${CONFIG_MAPS}?watch=true`, { headers });
  const watch = new WatchReader(response);
  const body = JSON.stringify({ metadata: { name: "a" } });
  assertEquals((await rig.head(CONFIG_MAPS, { method: "POST", headers, body })).status, 201);
  assertEquals(await watch.texts(1), ["ADDED a"]);
  await rig.close();
  assertEquals(await watch.next(), undefined);
  assertEquals(rig.apiServer.openWatches, 0);
});

Deno.test("serveApiServerOverTls lets requests finish when it closes, and sends all of their answers", async () => {
  for (const size of [10, 30_000, 3_000_000]) {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const apiServer = {
      closeWatches: () => {},
      serviceAddress: "10.96.0.1",
      fetch: async () => {
        asked.resolve();
        await go.promise;
        return new Response("x".repeat(size));
      },
    };
    const served = await serveApiServerOverTls({ apiServer, authority });
    using client = Deno.createHttpClient({ caCerts: [authority.cert] });
    const answer = fetch(served.url, { client }).then((response) => response.text());
    await asked.promise;
    const closed = served.close();
    go.resolve();
    await closed;
    assertEquals((await answer).length, size);
  }
});

Deno.test("serveApiServerOverTls lets go of a watch whose reader has left", async () => {
  await using rig = new Rig();
  const watch = new WatchReader(await rig.fetch(`${CONFIG_MAPS}?watch=true`, { headers: rig.token }));
  assertEquals(rig.apiServer.openWatches, 1);
  await watch.cancel();
  const giveUpAtMs = performance.now() + 60_000;
  while (rig.apiServer.openWatches > 0 && performance.now() < giveUpAtMs) await (await rig.fetch("/healthz")).text();
  assertEquals(rig.apiServer.openWatches, 0);
});

Deno.test("serveApiServerOverTls breaks the connection off where a fault drops it", async () => {
  await using rig = new Rig();
  rig.apiServer.faults.add({ verb: "list", times: 1, drop: "before" });
  await assertRejects(async () => await (await rig.fetch(CONFIG_MAPS, { headers: rig.token })).text());
  assertEquals((await rig.head(CONFIG_MAPS, { headers: rig.token })).status, 200);
});

Deno.test("serveApiServer and serveApiServerOverTls say in one line that a port is taken", async () => {
  using api = new Harness();
  await using served = await serveApiServer({ apiServer: api.server });
  const port = Number(new URL(served.url).port);
  const line =
    `listen tcp 127.0.0.1:${port}: address in use: another process listens there; choose another with --port`;
  await assertRejects(() => serveApiServer({ apiServer: api.server, port }), ListenError, line);
  await assertRejects(() => serveApiServerOverTls({ apiServer: api.server, authority, port }), ListenError, line);
});

Deno.test("CertificateAuthority: of gives the same authority for the same facts, so that a kubeconfig stays valid when a server with data starts again", async () => {
  const facts = new MemoryBackend();
  const first = await CertificateAuthority.of(world, facts);
  assertEquals((await CertificateAuthority.of(world, facts)).pair, first.pair);
  assertEquals((await CertificateAuthority.of(world)).cert === first.cert, false);
});

Deno.test("CertificateAuthority: certificates are valid for a year, starting an hour ago", async () => {
  const nowMs = world.clock.wallMs();
  const { cert } = await authority.serving(["localhost"], ["127.0.0.1", "::1"]);
  const certificate = new X509Certificate(cert);
  const hours = (date: Date) => Math.round((date.getTime() - nowMs) / 3_600_000);
  assertEquals([hours(certificate.notBefore), hours(certificate.notAfter)], [-1, 365 * 24]);
  const names = certificate.getExtension(SubjectAlternativeNameExtension)!.names.toJSON();
  assertEquals(names.map(({ value }) => value), ["localhost", "127.0.0.1", "::1"]);
  assertEquals(await certificate.verify({ publicKey: new X509Certificate(authority.cert).publicKey }), true);
});

Deno.test("kubeconfigText holds everything that a client needs, inline", () => {
  const text = kubeconfigText({ server: "https://127.0.0.1:1", token: "t", certificateAuthority: "CA\n", name: "n" });
  const { clusters: [{ cluster }], users: [{ user }], contexts: [{ context }] } = parse(text) as Loose;
  const ca = new TextDecoder().decode(decodeBase64(cluster["certificate-authority-data"]));
  assertEquals([cluster.server, ca, user, context], ["https://127.0.0.1:1", "CA\n", { token: "t" }, {
    cluster: "n",
    user: "n",
  }]);
  const pair = { cert: "C", key: "K" };
  assertStringIncludes(kubeconfigText({ server: "https://x", clientCertificate: pair }), "client-key-data: Sw==");
});
