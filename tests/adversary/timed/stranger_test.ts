/**
 * What strangers at the secure port tried, apart from floods of requests, and what bounds it.
 *
 * | Attack | Bound |
 * |---|---|
 * | certificates and chains that are slow to read | 8 KiB each, read once a connection, 20 in a second by turns: `CertificateReviews` |
 * | subjects and tokens that fill the log | 200 characters of a subject, nothing of a token |
 * | half-open handshakes, junk before and in them, from many addresses | 400 connections, 100 an address: `HttpsConnections` |
 * | requests that parsers disagree about: two lengths, folded lines, bare LF, NUL, odd chunks | 400, and the connection ends |
 * | upgrades, CONNECT, Expect, TRACE, bodies of a GET, trailers | one answer each; the rest is not taken for a request |
 * | headers in thousands or of 60 KiB, each on its own | 64 KiB and 200 names: `HttpsServer` |
 * | paths with dots, escapes, repeated slashes, parameters, other case | compared to the letter, never tidied up |
 * | a front proxy's headers without its certificate, tokens of all shapes | anonymous, or 401 |
 * | line ends in paths, tokens, agents | quoted in the log |
 * | answers that nobody reads, bodies that never end | 100 answers, 90 seconds, and the bounds of connections |
 */
import { assert, assertEquals } from "@std/assert";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { costlyCertificates } from "./costly_certificates.ts";
import { ManagerUnderAttack } from "./manager_under_attack.ts";
import { Authority } from "../../controlplane/pki.ts";

/** Of upstream, and of the manager without flags. */
const RENEW_DEADLINE_MS = 10_000;
const HEAD = "Host: localhost\r\nConnection: close\r\n";
const SMUGGLED = `GET /healthz HTTP/1.1\r\n${HEAD}\r\n`;
/** The first characters of a line of the log. */
const LOG_LINE = /^[IWEF]\d{4} \d\d:\d\d:\d\d\./;

const statusesIn = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** Connections that say `bytes` and then nothing. */
function mute(port: number, bytes: Uint8Array, addresses: readonly string[]): Socket[] {
  return addresses.map((localAddress) => {
    const socket = connectTcp({ host: "127.0.0.1", port, localAddress }, () => void socket.write(bytes));
    return socket.on("error", () => {});
  });
}

/** As `mute`, after the handshake. */
function deaf(port: number, text: string, addresses: readonly string[]): Socket[] {
  return addresses.map((localAddress) => {
    const options: object = { host: "127.0.0.1", port, rejectUnauthorized: false, localAddress };
    const socket = connectTls(options, () => void socket.pause().write(text));
    return socket.on("error", () => {});
  });
}

const REQUESTS: readonly (readonly [what: string, sent: string, statuses: readonly number[]])[] = [
  ["two kinds of length", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", [400]],
  ["two lengths", "Content-Length: 0\r\nContent-Length: 5\r\n\r\n", [400]],
  ["a list of lengths", "Content-Length: 0, 0\r\n\r\n", [400]],
  ["a length with a sign", "Content-Length: +5\r\n\r\nhello", [400]],
  ["an endless length", `Content-Length: ${"9".repeat(40)}\r\n\r\n`, [400]],
  ["an unknown coding", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", [400]],
  ["chunks within another coding", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", [400]],
  ["a space before the colon", "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", [400]],
  ["a line end in a chunk's extension", "Transfer-Encoding: chunked\r\n\r\n1;a\nx\r\n0\r\n\r\n", [400]],
  ["a chunk without end", "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx", [400]],
  ["trailers", "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Remote-User: root\r\n\r\n", [200, 200]],
  ["a folded line", "X: a\r\n b\r\n\r\n", [400]],
  ["a bare LF", "X: a\nY: b\r\n\r\n", [400]],
  ["a bare CR", "X: a\rY: b\r\n\r\n", [400]],
  ["a NUL", "X: a\0b\r\n\r\n", [400]],
  ["a space in a name", "X Y: a\r\n\r\n", [400]],
  ["no name", ": a\r\n\r\n", [400]],
  ["a wish for HTTP/2", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n", [200]],
  ["a wish for a WebSocket", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n", [200]],
  ["an expectation", "Expect: 100-continue\r\n\r\n", [100, 200, 200]],
  ["a body of a GET", `Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`, [200, 200]],
  ["a body that does not come", "Content-Length: 10000000000\r\n\r\n", [200]],
  ["one header 15,000 times", `${"a:\r\n".repeat(15_000)}\r\n`, [200, 200]],
  ["100 headers", `${Array.from({ length: 100 }, (_, i) => `X-${i}: ${"v".repeat(590)}\r\n`).join("")}\r\n`, [
    200,
    200,
  ]],
  ["what is accepted, at length", `Accept: ${"a/b;q=0.1,".repeat(6000)}\r\n\r\n`, [200, 200]],
  ["cookies", `Cookie: ${"a=b; ".repeat(12_000)}\r\n\r\n`, [200, 200]],
  ["a token of 60,000 spaces", `Authorization: Bearer ${" ".repeat(60_000)}\r\n\r\n`, [200, 200]],
  ["a token of 60,000 characters", `Authorization: Bearer ${"x".repeat(60_000)}\r\n\r\n`, [401, 200]],
  ["two tokens", "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n", [401, 200]],
];

/** None of these may be answered as what it resembles. */
const PATHS = [
  "/healthz/../metrics",
  "/healthz/..%2fmetrics",
  "/healthz/%2e%2e/metrics",
  "/healthz%2f..%2fmetrics",
  "//metrics",
  "/./metrics",
  "/metrics/",
  "/metrics;x",
  "/metrics%00",
  "/metrics%0a",
  "/%6detrics",
  "/%256detrics",
  "/METRICS",
  "/healthz\\..\\metrics",
  "/healthz#/metrics",
  "http://localhost/metrics",
  "http://root:root@localhost/metrics",
  "/configz",
  "/flagz",
  "/debug/why?resource=pods&namespace=default&name=a",
  "/debug/pprof/profile?seconds=1",
  "/debug/controllers/garbage-collector-controller/graph",
];

Deno.test("a stranger with odd requests, certificates and connections gets nothing, and holds up nobody", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "kubeloop-stranger-" });
  await using undo = new AsyncDisposableStack();
  undo.defer(() => Deno.remove(folder, { recursive: true }));
  const authority = await Authority.create("clients");
  await Deno.writeTextFile(`${folder}/ca.crt`, authority.cert);
  const flags = [`--client-ca-file=${folder}/ca.crt`, `--requestheader-client-ca-file=${folder}/ca.crt`];
  const manager = undo.use(await ManagerUnderAttack.start({ authorization: "RBAC", flags }));
  const startMs = performance.now();
  const { port } = manager;
  const health = async (localAddress: string) => (await manager.ask("/healthz", { localAddress })).split("\r\n")[0];
  const root = await authority.client("root", ["system:masters"]);
  const holding = async (sockets: readonly Socket[], attacked: () => Promise<unknown>) => {
    try {
      return await attacked();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  };

  await t.step("each request has one answer", async () => {
    for (const [what, sent, statuses] of REQUESTS) {
      const answer = await manager.send(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${sent}${SMUGGLED}`);
      assertEquals(statusesIn(answer), statuses, what);
    }
    // Whether they are too long is seen before or after the answer.
    const endless = `Transfer-Encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(100_000)}`;
    const answered = await manager.send(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${endless}`);
    assertEquals(statusesIn(answered).length, 1, "trailers without end");
    for (const line of ["CONNECT localhost:1 HTTP/1.1", "PRI * HTTP/2.0"]) {
      const statuses = statusesIn(await manager.send(`${line}\r\nHost: localhost\r\n\r\n${SMUGGLED}`));
      assert(statuses.every((status) => status === 400), line);
    }
  });

  await t.step("nothing that is protected is shown to nobody", async () => {
    const proxied = ["X-Remote-User: root", "X-Remote-Group: system:masters", "x-REMOTE-group: system:masters"];
    for (const path of PATHS) {
      for (const more of ["", `${proxied.join("\r\n")}\r\n`]) {
        const answer = await manager.send(`GET ${path} HTTP/1.1\r\n${HEAD}${more}\r\n`);
        assert([400, 401, 403].includes(statusesIn(answer)[0]), `${path}: ${answer.slice(0, 100)}`);
        assert(!answer.includes("# HELP"), path);
      }
    }
    // With a proxy's certificate these headers count; so the test above could fail.
    const asked = `GET /metrics HTTP/1.1\r\n${HEAD}${proxied.join("\r\n")}\r\n\r\n`;
    assertEquals(statusesIn(await manager.send(asked, { certificate: root }))[0], 200);
  });

  await t.step("certificates that are slow to read are not read, or in turns", async () => {
    const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (const [what, certificate] of await costlyCertificates(40_000)) {
      assertEquals(await manager.send(request + SMUGGLED, { certificate }), "", what);
    }
    const before = manager.process.output.length;
    const fitting = [...await costlyCertificates(7000)];
    const floods = Array.from({ length: 40 }, (_, i) => {
      const [, certificate] = fitting[i % fitting.length];
      return manager.send(request.repeat(20) + SMUGGLED, { certificate });
    });
    // Somebody with a certificate at another address has his turn, too.
    const asked = `GET /metrics HTTP/1.1\r\n${HEAD}X-Remote-User: root\r\nX-Remote-Group: system:masters\r\n\r\n`;
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) {
      seen.push(...statusesIn(await manager.send(asked, { certificate: root, localAddress: "127.0.0.2" })));
    }
    assertEquals(seen, [200, 200, 200, 200, 200]);
    const answers = (await Promise.all(floods)).flatMap(statusesIn);
    assert(
      answers.length > 0 && answers.every((status) => status === 401 || status === 429),
      `${[...new Set(answers)]}`,
    );
    const logged = (manager.process.output.length - before) / answers.length;
    assert(logged < 2000, `${logged} characters in the log for each request`);
  });

  await t.step("handshakes that do not end keep nobody out", async () => {
    const begun = Uint8Array.of(22, 3, 1, 2, 0, 1, 0, 1, 0xfc);
    const addresses = Array.from({ length: 800 }, (_, i) => `127.0.1.${1 + i % 250}`);
    await holding(mute(port, begun, addresses), async () => {
      for (let i = 0; i < 3; i++) assertEquals(await health(`127.0.0.${20 + i}`), "HTTP/1.1 200 OK");
    });
    const junk = Uint8Array.from({ length: 70_000 }, (_, i) => [22, 3, 1, 0x0f, 0xfb][i % 4096] ?? 0);
    await holding(mute(port, junk, addresses.slice(0, 200)), async () => {
      assertEquals(await health("127.0.0.2"), "HTTP/1.1 200 OK");
    });
  });

  await t.step("answers that nobody reads, and bodies that do not end, keep nobody out", async () => {
    const addresses = Array.from({ length: 300 }, (_, i) => `127.0.0.${10 + i % 3}`);
    await holding(deaf(port, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(90), addresses), async () => {
      assertEquals(await health("127.0.0.2"), "HTTP/1.1 200 OK");
    });
    const trickle = "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n";
    await holding(deaf(port, trickle, addresses), async () => {
      assertEquals(await health("127.0.0.2"), "HTTP/1.1 200 OK");
    });
  });

  await t.step("no line of the log is a stranger's, none shows a token, and the lease is kept", async () => {
    const token = "a-secret-that-somebody-mistyped";
    await manager.ask("/metrics%0aE1122%20forged", { token });
    for (const path of ["/configz", "/flagz", "/metrics%0aE1122%20forged"]) await manager.ask(path, { token });
    const lines = manager.process.output.split("\n").filter((line) => line !== "");
    assertEquals(lines.filter((line) => !LOG_LINE.test(line)), []);
    assert(!manager.process.output.includes(token));
    assertEquals(manager.process.exit, undefined);
    const gapMs = manager.longestGapMs(startMs);
    assert(gapMs < RENEW_DEADLINE_MS, `${gapMs} ms without a renewal`);
  });
});
