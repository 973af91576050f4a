import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { ReloadedFile } from "../../../src/client/credentials/reloaded_file.ts";
import { TlsMaterial } from "../../../src/client/credentials/tls_material.ts";
import {
  type ClientConfig,
  ConfigError,
  type Dial,
  transportOf,
  type TransportOptions,
  WriteRefusedError,
} from "../../../src/client/mod.ts";
import { proxyFor } from "../../../src/client/http/proxy_environment.ts";
import { FakeSocket, response } from "./test_socket.ts";
import { outcomeOf } from "./test_server.ts";

const CERT = (name: string) => `-----BEGIN CERTIFICATE-----\n${btoa(name)}\n-----END CERTIFICATE-----\n`;
const KEY = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";

/** A transport whose connections the test holds the other end of. */
function kit(config: ClientConfig, options: TransportOptions & { files?: Record<string, string> } = {}) {
  const { files, ...rest } = options;
  const world = new FakeWorld({ files });
  const sockets: FakeSocket[] = [];
  const dial: Dial = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return Promise.resolve(socket);
  };
  const transport = transportOf(world, config, { dial, ...rest });
  const send = (method = "GET") => transport.exchange({ method, url: `${config.server}/`, headers: {} });
  /** Sends, and answers on connection `at`. */
  const answered = async (at: number, status = "200 OK") => {
    const sent = send();
    await world.clock.advance(0);
    sockets[at].push(response("x", status));
    const answer = await sent;
    await answer.text();
    return answer;
  };
  return { world, transport, sockets, send, answered };
}

Deno.test("transportOf sends no credentials to a server without https, but impersonates", async () => {
  const config = {
    server: "http://h",
    token: "t",
    basic: { username: "u", password: "p" },
    impersonate: { user: "jane" },
  };
  const { transport, sockets, answered } = kit(config);
  await answered(0);
  assertEquals(sockets[0].written, "GET / HTTP/1.1\r\nHost: h\r\nimpersonate-user: jane\r\n\r\n");
  transport.close();
});

Deno.test("transportOf sends the token file's token before the token, and both before anything else", async () => {
  const cases: readonly (readonly [Partial<ClientConfig>, string])[] = [
    [{ token: "t" }, "authorization: Bearer t"],
    [{ token: "t", tokenFile: "/token" }, "authorization: Bearer from-file"],
    [{ basic: { username: "u", password: "p" } }, `authorization: Basic ${btoa("u:p")}`],
  ];
  for (const [credentials, header] of cases) {
    const { transport, sockets, answered } = kit({ server: "https://h", ...credentials }, {
      files: { "/token": "from-file" },
    });
    await answered(0);
    assertStringIncludes(sockets[0].written, header);
    transport.close();
  }
});

const EXEC = {
  command: "login",
  args: [],
  env: [],
  apiVersion: "client.authentication.k8s.io/v1",
  interactiveMode: "Never",
  provideClusterInfo: false,
  installHint: "",
} as const;

Deno.test("transportOf asks an exec plugin, again after a 401, which is returned", async () => {
  let runs = 0;
  const runExec = () => {
    const status = { token: `t${++runs}` };
    return Promise.resolve({
      code: 0,
      stdout: JSON.stringify({ kind: "ExecCredential", apiVersion: EXEC.apiVersion, status }),
    });
  };
  const { transport, sockets, answered } = kit({ server: "https://h", exec: EXEC }, { runExec });
  assertEquals((await answered(0, "401 Unauthorized")).status, 401);
  assertEquals(runs, 2);
  await answered(0);
  assertStringIncludes(sockets[0].written, "Bearer t1");
  assertStringIncludes(sockets[0].written, "Bearer t2");
  transport.close();
});

Deno.test("transportOf leaves an exec plugin alone when the configuration has other credentials", async () => {
  const runExec = () => Promise.reject(new Error("must not run"));
  const { transport, answered } = kit({ server: "https://h", exec: EXEC, token: "t" }, { runExec });
  assertEquals((await answered(0)).status, 200);
  transport.close();
});

Deno.test("transportOf keeps back writes, and nothing else, while mayWrite says no", async () => {
  let mayWrite = true;
  const { world, transport, sockets, send, answered } = kit({ server: "https://h", token: "t" }, {
    mayWrite: () => mayWrite,
  });
  await answered(0);
  mayWrite = false;
  const before = sockets[0].written;
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    await assertRejects(() => send(method), WriteRefusedError, `${method} https://h/ was not sent`);
  }
  assertEquals(sockets[0].written, before);
  await answered(0);
  mayWrite = true;
  const sent = send("POST");
  await world.clock.advance(0);
  sockets[0].push(response("x"));
  assertEquals(await (await sent).text(), "x");
  transport.close();
});

Deno.test("transportOf cuts all connections when the client certificate's file has changed", async () => {
  const config: ClientConfig = {
    server: "https://h",
    clientCertificate: { file: "/crt" },
    clientKey: { file: "/key" },
  };
  const { world, transport, sockets, send, answered } = kit(config, { files: { "/crt": CERT("1"), "/key": KEY } });
  const opening = send();
  await world.clock.advance(0);
  sockets[0].push("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab");
  const reader = (await opening).stream().getReader();
  await reader.read();
  const watch = outcomeOf(reader.read());
  await world.clock.advance(299_999);
  world.fileContents.set("/crt", CERT("2"));
  await answered(1);
  assertEquals(watch.isSettled, false);
  await world.clock.advance(1);
  await answered(2);
  assertStringIncludes((watch.error as Error).message, "client certificate rotated");
  assertEquals(sockets.map((socket) => socket.isClosed), [true, true, false]);
  transport.close();
});

Deno.test("transportOf closes idle connections only when the authority's file has changed", async () => {
  const metrics = new MetricsRegistry();
  const config: ClientConfig = { server: "https://h", ca: { file: "/ca" } };
  const { world, transport, sockets, answered } = kit(config, {
    files: { "/ca": CERT("1") },
    metrics,
    idleTimeoutMs: 1e9,
  });
  await answered(0);
  world.fileContents.set("/ca", "garbage");
  await world.clock.advance(300_000);
  await answered(0);
  world.fileContents.set("/ca", CERT("2"));
  await world.clock.advance(300_000);
  await answered(1);
  assertEquals(sockets.map((socket) => socket.isClosed), [true, false]);
  assertStringIncludes(metrics.render(), 'ca_reload_total{result="failure",reason="invalid"} 1');
  assertStringIncludes(metrics.render(), 'ca_reload_total{result="success",reason=""} 1');
  transport.close();
});

Deno.test("transportOf refuses an authority together with insecure", () => {
  const config = { server: "https://h", insecure: true, ca: { text: CERT("1") } };
  assertThrows(() => transportOf(new FakeWorld(), config), ConfigError, "insecure flag is not allowed");
});

Deno.test("TlsMaterial gives what a connection needs, from text and from files", async () => {
  const world = new FakeWorld({ files: { "/key": KEY } });
  const config: ClientConfig = {
    server: "https://h",
    ca: { text: CERT("ca") },
    tlsServerName: "n",
    clientCertificate: { text: CERT("me") },
    clientKey: { file: "/key" },
  };
  const listener = { caChanged: () => {}, certificateChanged: () => {} };
  const material = new TlsMaterial({ world, config, metrics: new MetricsRegistry(), listener });
  assertEquals(await material.settings(), {
    ca: CERT("ca"),
    serverName: "n",
    insecure: undefined,
    cert: CERT("me"),
    key: KEY,
  });
});

Deno.test("ReloadedFile: the first content must be readable and acceptable; later ones that are not leave the last good one in place", async () => {
  const world = new FakeWorld();
  const file = new ReloadedFile(world, { path: "/f", accept: (text) => text.startsWith("good") });
  await assertRejects(() => file.text(), Deno.errors.NotFound);
  world.fileContents.set("/f", "bad");
  await assertRejects(() => file.text(), Error, "nothing usable in /f");
  world.fileContents.set("/f", "good 1");
  assertEquals(await file.text(), "good 1");
  const refusals: string[] = [];
  file.onRefusal = (reason) => refusals.push(reason);
  world.fileContents.set("/f", "bad");
  await world.clock.advance(300_000);
  assertEquals(await file.text(), "good 1");
  world.fileContents.delete("/f");
  await world.clock.advance(300_000);
  assertEquals([await file.text(), refusals], ["good 1", ["invalid", "read_error"]]);
});

Deno.test("ReloadedFile: onChange is called after a later content has been taken", async () => {
  const world = new FakeWorld({ files: { "/f": "1" } });
  const file = new ReloadedFile(world, { path: "/f" });
  const taken: Promise<string>[] = [];
  file.onChange = () => void taken.push(file.text());
  await file.text();
  assertEquals(taken.length, 0, "the first content is no change");
  await world.clock.advance(300_000);
  await file.text();
  assertEquals(taken.length, 0, "the same content is none either");
  world.fileContents.set("/f", "2");
  await world.clock.advance(300_000);
  await file.text();
  assertEquals(await Promise.all(taken), ["2"]);
});

Deno.test("ReloadedFile: after lookAgainIn the file is looked at earlier than it would be", async () => {
  const world = new FakeWorld({ files: { "/f": "1" } });
  const file = new ReloadedFile(world, { path: "/f" });
  await file.text();
  world.fileContents.set("/f", "2");
  file.lookAgainIn(1000);
  await world.clock.advance(999);
  assertEquals(await file.text(), "1");
  await world.clock.advance(1);
  assertEquals(await file.text(), "2");
  world.fileContents.set("/f", "3");
  await world.clock.advance(200_000);
  file.lookAgainIn(299_000);
  await world.clock.advance(100_000);
  assertEquals(await file.text(), "3", "never later");
});

Deno.test("ReloadedFile looks at the file at most every five minutes", async () => {
  const world = new FakeWorld({ files: { "/f": "1" } });
  const file = new ReloadedFile(world, { path: "/f" });
  await file.text();
  world.fileContents.set("/f", "2");
  await world.clock.advance(299_999);
  assertEquals(await file.text(), "1");
  await world.clock.advance(1);
  assertEquals(await file.text(), "2");
});

/** Server, NO_PROXY, and whether the proxy is used. */
const PROXIES: readonly (readonly [server: string, noProxy: string, isUsed: boolean])[] = [
  ["https://kube.example:6443", "", true],
  ["https://kube.example:6443", "*", false],
  ["https://kube.example:6443", "kube.example", false],
  ["https://kube.example:6443", "example", false],
  ["https://kube.example:6443", ".example", false],
  ["https://kube.example:6443", "*.example", false],
  ["https://kube.example:6443", "ube.example", true],
  ["https://example", ".example", true],
  ["https://kube.example:6443", "kube.example:6443", false],
  ["https://kube.example:6443", "kube.example:443", true],
  ["https://kube.example", "kube.example:443", false],
  ["https://10.1.2.3", "10.0.0.0/8", false],
  ["https://10.1.2.3", "10.1.2.0/24 , x", false],
  ["https://10.1.2.3", "10.1.3.0/24", true],
  ["https://10.1.2.3", "10.1.2.3", false],
  ["https://10.1.2.3", "2.3", true],
  ["https://10.1.2.3", "10.0.0.0/99", true],
  ["https://[fd00::5]", "fd00::/16", false],
  ["https://[fd00::5]", "fd00:0:0:1::/64", true],
  ["https://[fd00::5]", "fd00::5", false],
  ["https://127.0.0.1:6443", "", false],
  ["https://localhost:6443", "", false],
  ["https://[::1]:6443", "", false],
];

for (const [server, noProxy, isUsed] of PROXIES) {
  Deno.test(`proxyFor ${isUsed ? "uses" : "does not use"} the proxy for ${server} with NO_PROXY="${noProxy}"`, () => {
    assertEquals(
      proxyFor(server, { HTTPS_PROXY: "proxy:3128", NO_PROXY: noProxy }),
      isUsed ? "http://proxy:3128" : undefined,
    );
  });
}

Deno.test("proxyFor goes by the server's scheme, and knows the variables in lower case", () => {
  const env = { https_proxy: "socks5://s:1", HTTP_PROXY: "http://h:1", no_proxy: "a.test" };
  assertEquals(proxyFor("https://k.test", env), "socks5://s:1");
  assertEquals(proxyFor("http://k.test", env), "http://h:1");
  assertEquals(proxyFor("http://a.test", env), undefined);
  assertEquals(proxyFor("https://k.test", {}), undefined);
});
