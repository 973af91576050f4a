/** The HTTPS server on real sockets: what is not HTTP, what is too large, and what a handshake must come to. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { FakeClock } from "../../../src/base/mod.ts";
import { HttpsServer, type HttpsServerOptions } from "../../../src/https/mod.ts";
import { Authority } from "../../controlplane/pki.ts";

const authority = await Authority.create("serving");
const own = await authority.serving(["localhost"], ["127.0.0.1"]);
const clock = new FakeClock();
const other = await authority.serving(["a.example", "*.b.example"], []);

async function serve(options: Partial<HttpsServerOptions> = {}): Promise<HttpsServer> {
  const handler = async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/fail") throw new Error("a secret");
    // Nobody reads a body at /unread.
    const body = pathname === "/unread" ? "" : await request.text();
    return new Response(`${request.method} ${pathname} ${body.length}`);
  };
  return await HttpsServer.listen({
    clock,
    hostname: "127.0.0.1",
    port: 0,
    certificates: { own },
    handler,
    ...options,
  });
}

/** Sends bytes over TLS and gives all that comes back, until the other end closes. */
async function exchange(port: number, text: string, options: ConnectionOptions = {}): Promise<string> {
  const socket = await handshake(port, options);
  const { promise, resolve } = Promise.withResolvers<void>();
  let answer = "";
  socket.on("data", (chunk) => answer += chunk);
  socket.on("error", () => resolve());
  socket.on("close", () => resolve());
  socket.write(text);
  await promise;
  socket.destroy();
  return answer;
}

function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: "127.0.0.1", port, rejectUnauthorized: false, servername: "localhost", ...options },
      () => resolve(socket),
    );
    socket.on("error", reject);
  });
}

const statusLine = (answer: string) => answer.split("\r\n")[0];

Deno.test("HttpsServer: requests that are not HTTP, or have an impossible path, are answered with 400, targets over 8 KiB with 414, headers over 64 KiB with 431, and the server lives on", async () => {
  await using server = await serve();
  const headOf = (bytes: number) => {
    const [before, after] = ["GET / HTTP/1.1\r\nHost: x\r\nX: ", "\r\nConnection: close\r\n\r\n"];
    return before + "a".repeat(bytes - before.length - after.length) + after;
  };
  const cases: [sent: string, status: string][] = [
    ["\x00\x01\x02 garbage\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["NOSUCHMETHOD / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET no-slash HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET /% HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET http://x:y/ HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    [headOf((64 << 10) - 100), "HTTP/1.1 200 OK"],
    [headOf((64 << 10) + 100), "HTTP/1.1 431 Request Header Fields Too Large"],
    ["GET /old HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK"],
  ];
  for (const [sent, status] of cases) {
    const answer = await exchange(server.port, sent);
    assertEquals(statusLine(answer), status, sent.slice(0, 60));
    assert(!answer.includes("Error"), "nothing of the inside is shown");
  }
  assertStringIncludes(
    await exchange(server.port, "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    "GET /a 0",
  );
});

Deno.test("HttpsServer: requests that are not HTTP, or have an impossible path, are answered with 400, targets over 8 KiB with 414, headers with over 200 names with 431", async () => {
  await using server = await serve();
  const headers = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: x\r\n`).join("");
  const request = (target: string, more = "") => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const closed: [sent: string, answer: string][] = [
    [request(`/?${"a".repeat(8191)}`), "414 Request URI Too Long"],
    [request(`http://${"a@".repeat(5000)}:x/`), "414 Request URI Too Long"],
    [request("/", headers(200)), "431 Request Header Fields Too Large"],
  ];
  for (const [sent, said] of closed) {
    const answer = await exchange(server.port, sent);
    assertEquals(statusLine(answer), `HTTP/1.1 ${said}`, sent.slice(0, 60));
    assertStringIncludes(answer, `\r\n${said}`);
  }
  const admitted = [
    request(`/?${"a".repeat(8190)}`, "Connection: close\r\n"),
    request("/", `${headers(198)}Connection: close\r\n`),
    request("/", `${"X-Remote-Group: x\r\n".repeat(900)}Connection: close\r\n`),
  ];
  for (const sent of admitted) assertEquals(statusLine(await exchange(server.port, sent)), "HTTP/1.1 200 OK");
});

Deno.test("HttpsServer: a target with scheme and host counts as one without them, as with Go's servers; OPTIONS * asks nothing", async () => {
  await using server = await serve();
  const cases: [target: string, pathname: string][] = [
    ["http://other.example/healthz?verbose", "/healthz"],
    ["HTTPS://user:pw@other.example:99/healthz", "/healthz"],
    ["http://other.example?x=/healthz", "/"],
    ["http://a@b:c@other.example:99/healthz", "/healthz"],
    ["http://other.example", "/"],
    ["//other.example/healthz", "//other.example/healthz"],
  ];
  for (const [target, pathname] of cases) {
    const answer = await exchange(server.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assertStringIncludes(answer, `\r\n\r\nGET ${pathname} 0`, target);
  }
  const answer = await exchange(server.port, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assertEquals(statusLine(answer), "HTTP/1.1 200 OK");
  assertStringIncludes(answer.toLowerCase(), "content-length: 0");
});

Deno.test("HttpsServer says what was asked for as it was sent, be it a TRACE, which a Request cannot be", async () => {
  const seen: unknown[] = [];
  const handler: HttpsServerOptions["handler"] = ({ method }, { asked }) => {
    seen.push([method, asked.method, asked.target, asked.path]);
    return Promise.resolve(new Response());
  };
  await using server = await serve({ handler });
  const cases = [
    ["PUT", "PUT", "/%61/../b%2f?c=%zz", "/a/../b/"],
    ["GET", "TRACE", "//a/./b#c", "//a/./b#c"],
    ["GET", "GET", "http://x?/a", ""],
    ["GET", "GET", "/%ef%bb%bf%ff%E2%82%AC", "/\ufeff\ufffd€"],
  ];
  for (const [, method, target] of cases) {
    await exchange(server.port, `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  }
  assertEquals(seen, cases);
});

Deno.test("HttpsServer closes a connection whose body nobody read, and loses one whose answer fails", async () => {
  await using server = await serve();
  const unread = `POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${"a".repeat(1000)}`;
  const answer = await exchange(server.port, unread);
  assertEquals(statusLine(answer), "HTTP/1.1 200 OK");
  assertStringIncludes(answer.toLowerCase(), "connection: close");
  assertEquals(await exchange(server.port, "GET /fail HTTP/1.1\r\nHost: x\r\n\r\n"), "");
});

Deno.test("HttpsServer: close lets requests finish, for five seconds at most; ServerConnections: end ends each once its other end has taken all that was written to it", async () => {
  for (const size of [10, 30_000, 300_000, 5_000_000]) {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const handler = async () => {
      asked.resolve();
      await go.promise;
      return new Response("x".repeat(size));
    };
    const server = await serve({ handler });
    const answer = exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await asked.promise;
    const closed = server.close();
    go.resolve();
    await closed;
    assertEquals((await answer).split("\r\n\r\n")[1].length, size);
  }
});

Deno.test("HttpsServer: close lets requests finish, for five seconds at most, and leaves neither connections nor timers", async () => {
  const never = new Promise<never>(() => {});
  for (const handler of [async (request: Request) => new Response(await request.text()), () => never]) {
    const asked = Promise.withResolvers<void>();
    const server = await serve({
      handler: (request) => {
        asked.resolve();
        return handler(request);
      },
    });
    const answer = exchange(server.port, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n");
    await asked.promise;
    let isClosed = false;
    const closed = server.close().then(() => isClosed = true);
    await clock.advance(4900);
    assertEquals(isClosed, false);
    await clock.advance(200);
    await closed;
    assertEquals(await answer, "");
    assertEquals(clock.pendingTimers, 0);
  }
});

Deno.test("ServerConnections: end ends each once its other end has taken all that was written to it, or takes nothing for a second", async () => {
  const server = await serve({ handler: () => Promise.resolve(new Response("x".repeat(30_000_000))) });
  const caCerts = [authority.cert];
  using connection = await Deno.connectTls({ hostname: "localhost", port: server.port, caCerts });
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  await connection.read(new Uint8Array(1));
  await server.close();
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("HttpsServer: a connection that does not meet the demands, or whose client certificate is over 8 KiB, is closed after its handshake", async () => {
  const seen: string[] = [];
  const handler = (request: Request) => {
    seen.push(request.url);
    return Promise.resolve(new Response("ok"));
  };
  const request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const old = { maxVersion: "TLSv1.2" } as const;
  await using strict = await serve({ handler, demands: { isTls13Only: true } });
  assertEquals(await exchange(strict.port, request, old).catch(() => ""), "");
  await using picky = await serve({
    handler,
    demands: { cipherSuites: ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"] },
  });
  assertEquals(await exchange(picky.port, request, old).catch(() => ""), "");
  assertEquals(seen, []);
  assertEquals(statusLine(await exchange(strict.port, request)), "HTTP/1.1 200 OK");
  assertEquals(statusLine(await exchange(picky.port, request)), "HTTP/1.1 200 OK");
  await using willing = await serve({
    handler,
    demands: {
      cipherSuites: ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"],
    },
  });
  assertEquals(statusLine(await exchange(willing.port, request, old)), "HTTP/1.1 200 OK");
});

Deno.test("HttpsServer: use replaces the server's certificates for connections made from then on; the one for the name that a client asks for is shown", async () => {
  const subjects = async (port: number, servername: string) => {
    const socket = await handshake(port, { servername });
    const { subjectaltname = "" } = socket.getPeerCertificate();
    socket.destroy();
    return subjectaltname;
  };
  const named = [{ ...other, names: ["a.example", "*.b.example"] }];
  await using server = await serve({ certificates: { own, named } });
  for (
    const [name, isOther] of [["a.example", true], ["x.b.example", true], ["b.example", false], ["c", false]] as const
  ) {
    assertEquals((await subjects(server.port, name)).includes("DNS:a.example"), isOther, name);
  }
  server.use({ own, named: [{ ...other, names: ["c"] }] });
  assertEquals((await subjects(server.port, "c")).includes("DNS:a.example"), true);
  assertEquals((await subjects(server.port, "a.example")).includes("DNS:a.example"), false);
});

Deno.test("HttpsServer shares its port only with servers that share it too", async () => {
  await using first = await serve({ isPortShared: true });
  await using second = await serve({ isPortShared: true, port: first.port });
  assertEquals(second.port, first.port);
  const error = await assertRejects(() => serve({ port: first.port }), Error);
  assertEquals(error.message, `listen tcp 127.0.0.1:${first.port}: address already in use`);
});

Deno.test("HttpsServer: a client that sends more than 100 requests without taking their answers loses the connection, and no other", async () => {
  let handled = 0;
  const handler = () => {
    handled++;
    return Promise.resolve(new Response("x".repeat(1000)));
  };
  await using server = await serve({ handler });
  const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  await exchange(server.port, request.repeat(2000) + last);
  assert(handled < 1000, `${handled} requests were handled`);
  handled = 0;
  assertEquals((await exchange(server.port, request.repeat(50) + last)).match(/200 OK/g)?.length, 51);

  // Answer by answer, a connection lasts.
  const socket = await handshake(server.port);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let answers = 0;
  socket.on("data", (chunk) => {
    if (!String(chunk).includes("200 OK")) return;
    answers++;
    if (answers <= 300) socket.write(answers === 300 ? last : request);
  });
  socket.write(request);
  await closed;
  socket.destroy();
  assertEquals(answers, 301);
});

Deno.test("HttpsServer: a client may present any certificate, or none", async () => {
  const seen: boolean[] = [];
  const handler: HttpsServerOptions["handler"] = (_, { certificate }) => {
    seen.push(certificate !== undefined);
    return Promise.resolve(new Response("no", { status: 401 }));
  };
  await using server = await serve({ handler });
  const strangers = await Authority.create("strangers");
  const request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  for (const options of [await strangers.client("mallory", []), {}]) {
    assertEquals(statusLine(await exchange(server.port, request, options)), "HTTP/1.1 401 Unauthorized");
  }
  assertEquals(seen, [true, false]);
});

Deno.test("HttpsServer: a connection that does not meet the demands, or whose client certificate is over 8 KiB, is closed before anything is read", async () => {
  const seen: unknown[] = [];
  const handler: HttpsServerOptions["handler"] = (_, { certificate }) => {
    seen.push(certificate);
    return Promise.resolve(new Response("ok"));
  };
  await using server = await serve({ handler });
  const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  // Handshakes of TLS 1.3 with certificates so large do not end here, whoever the client is.
  const maxVersion = "TLSv1.2" as const;
  const groups = (count: number) => Array.from({ length: count }, (_, i) => `group-${i}`);
  const modest = await authority.client("jane", groups(200));
  assertEquals((await exchange(server.port, request + last, { ...modest, maxVersion })).match(/200 OK/g)?.length, 2);
  assertEquals(seen.length, 2);
  assert(
    seen[0] !== undefined && seen[0] === seen[1],
    "the requests of a connection have the same certificate, read once",
  );
  const huge = await authority.client("jane", groups(500));
  assertEquals(await exchange(server.port, last, { ...huge, maxVersion }).catch(() => ""), "");
  assertEquals(seen.length, 2);
});

Deno.test("HttpsServer closes a connection after a wish to speak another protocol, which it ignores", async () => {
  await using server = await serve();
  for (const protocol of ["h2c", "websocket", "SPDY/3.1"]) {
    const wish = `GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
    const answer = await exchange(server.port, wish + "GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    assertEquals(statusLine(answer), "HTTP/1.1 200 OK", protocol);
    assertStringIncludes(answer.toLowerCase(), "connection: close");
    assertEquals(answer.match(/HTTP\/1.1/g)?.length, 1);
  }
});
