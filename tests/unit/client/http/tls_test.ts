/** The transport over real sockets: TLS in all its forms, proxies, and peers that misbehave. */
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import tls from "node:tls";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { ConnectionError, connectionFailureOf, httpTransport, type TlsSettings } from "../../../../src/client/mod.ts";
import { type Pair, TestAuthority } from "../test_pki.ts";

const world = systemWorld(new MemoryLogger());
const authority = await TestAuthority.create();

/** A TLS server that answers with the client's common name and the server name asked for. */
class TlsEcho implements AsyncDisposable {
  readonly #server: tls.Server;
  readonly port: number;

  private constructor(server: tls.Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(pair: Pair): Promise<TlsEcho> {
    const options = { ...pair, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
    const server = tls.createServer({ ...options, ALPNProtocols: ["http/1.1"] }, (socket) => {
      socket.on("error", () => {}); // clients that do not like our certificate go away
      socket.once("data", () => {
        const peer = socket.getPeerCertificate();
        const { servername } = socket as tls.TLSSocket & { servername?: string | false }; // missing from the types
        const text = JSON.stringify({ peer: peer?.subject?.CN ?? "", sni: servername || "" });
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`);
        socket.end();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TlsEcho(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
  }
}

async function ask(port: number, settings: TlsSettings, proxyUrl?: string): Promise<{ peer: string; sni: string }> {
  const server = `https://127.0.0.1:${port}`;
  const transport = httpTransport({ world, server, tls: () => settings, proxyUrl });
  try {
    const answer = await transport.exchange({ method: "GET", url: `${server}/`, headers: {} });
    return JSON.parse(await answer.text());
  } finally {
    transport.close();
  }
}

Deno.test("httpTransport verifies the server by the authority given, and shows a client certificate", async () => {
  await using echo = await TlsEcho.start(await authority.server([], ["127.0.0.1"]));
  const { cert, key } = await authority.client("CN=admin");
  assertEquals(await ask(echo.port, { ca: authority.cert, cert, key }), { peer: "admin", sni: "" });
  assertEquals((await ask(echo.port, { ca: authority.cert })).peer, "");
});

Deno.test("httpTransport refuses a server of another authority, or of another name", async () => {
  await using echo = await TlsEcho.start(await authority.server(["other.test"]));
  const stranger = await TestAuthority.create("CN=stranger");
  for (const settings of [{}, { ca: stranger.cert }, { ca: authority.cert }]) {
    const error = await assertRejects(() => ask(echo.port, settings), ConnectionError);
    assertEquals(error.failure, "tls");
    assertMatch(error.message, /^Get "https:\/\/127\.0\.0\.1:\d+\/": dial tcp 127\.0\.0\.1:\d+: .*certificate/);
  }
});

Deno.test("httpTransport asks for and verifies tls-server-name where it differs from the address", async () => {
  await using echo = await TlsEcho.start(await authority.server(["kube.test"]));
  const { cert, key } = await authority.client("CN=admin");
  const settings = { ca: authority.cert, cert, key };
  assertEquals(await ask(echo.port, { ...settings, serverName: "kube.test" }), { peer: "admin", sni: "kube.test" });
  const error = await assertRejects(() => ask(echo.port, { ...settings, serverName: "other.test" }), ConnectionError);
  assertEquals(error.failure, "tls");
});

Deno.test("httpTransport verifies tls-server-name also without a client certificate", async () => {
  await using echo = await TlsEcho.start(await authority.server(["kube.test"]));
  assertEquals((await ask(echo.port, { ca: authority.cert, serverName: "kube.test" })).sni, "kube.test");
  const error = await assertRejects(
    () => ask(echo.port, { ca: authority.cert, serverName: "x.test" }),
    ConnectionError,
  );
  assertEquals(error.failure, "tls");
});

Deno.test("httpTransport verifies tls-server-name when it is an address", async () => {
  await using echo = await TlsEcho.start(await authority.server([], ["10.0.0.1"]));
  for (const pair of [{}, await authority.client("CN=admin")]) {
    const settings = { ca: authority.cert, ...pair };
    assertEquals((await ask(echo.port, { ...settings, serverName: "10.0.0.1" })).sni, "");
    await assertRejects(() => ask(echo.port, { ...settings, serverName: "10.0.0.2" }), ConnectionError);
  }
});

Deno.test("httpTransport with insecure takes any certificate, and still shows its own", async () => {
  const stranger = await TestAuthority.create("CN=stranger");
  await using echo = await TlsEcho.start(await stranger.server(["other.test"]));
  const { cert, key } = await authority.client("CN=admin");
  assertEquals((await ask(echo.port, { insecure: true, cert, key })).peer, "admin");
});

/** A proxy that speaks HTTP CONNECT and SOCKS 5, and keeps what it was asked for. */
class Proxy implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open: Deno.Conn[] = [];
  readonly #running: Promise<void>;
  /** What CONNECT is answered with. */
  status = "200 Connection established";

  constructor() {
    this.#running = this.#run();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#running;
    for (const connection of this.#open) {
      try {
        connection.close();
      } catch {
        // closed when both of its streams had ended
      }
    }
  }

  async #run(): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#open.push(connection);
      served.push(this.#serve(connection).catch(() => {}));
    }
    await Promise.all(served);
  }

  async #serve(client: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(1024);
    const read = async () => buffer.slice(0, await client.read(buffer) ?? 0);
    const first = await read();
    if (first[0] !== 5) {
      this.asked.push(new TextDecoder().decode(first));
      await client.write(new TextEncoder().encode(`HTTP/1.1 ${this.status}\r\n\r\n`));
      if (!this.status.startsWith("200")) return;
      const [, host, port] = /^CONNECT (.*):(\d+) /.exec(this.asked.at(-1)!)!;
      return await this.#join(client, { hostname: host, port: Number(port) });
    }
    await client.write(new Uint8Array([5, first.includes(2, 2) ? 2 : 0]));
    if (first.includes(2, 2)) {
      this.asked.push([...await read()].map((byte) => String.fromCharCode(byte)).join(""));
      await client.write(new Uint8Array([1, 0]));
    }
    const request = await read();
    const hostname = new TextDecoder().decode(request.subarray(5, 5 + request[4]));
    const port = request.at(-2)! * 256 + request.at(-1)!;
    this.asked.push(`${hostname}:${port}`);
    await client.write(new Uint8Array([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    await this.#join(client, { hostname, port });
  }

  async #join(client: Deno.Conn, target: { hostname: string; port: number }): Promise<void> {
    const server = await Deno.connect(target);
    this.#open.push(server);
    const options = { preventClose: true, preventAbort: true, preventCancel: true };
    await Promise.allSettled([
      client.readable.pipeTo(server.writable, options).then(() => server.closeWrite()),
      server.readable.pipeTo(client.writable, options).then(() => client.closeWrite()),
    ]);
  }
}

Deno.test("httpTransport goes through an HTTP proxy, with TLS to the server inside", async () => {
  await using echo = await TlsEcho.start(await authority.server([], ["127.0.0.1"]));
  await using proxy = new Proxy();
  const { cert, key } = await authority.client("CN=admin");
  const settings = { ca: authority.cert, cert, key };
  assertEquals((await ask(echo.port, { ca: authority.cert }, `http://127.0.0.1:${proxy.port}`)).peer, "");
  const answer = await ask(echo.port, settings, `http://me:pass%20word@127.0.0.1:${proxy.port}`);
  assertEquals(answer.peer, "admin");
  assertStringIncludes(proxy.asked[1], `CONNECT 127.0.0.1:${echo.port} HTTP/1.1\r\n`);
  assertStringIncludes(proxy.asked[1], `Proxy-Authorization: Basic ${btoa("me:pass word")}\r\n`);
});

Deno.test("httpTransport goes through a SOCKS 5 proxy, with and without a password", async () => {
  await using echo = await TlsEcho.start(await authority.server([], ["127.0.0.1"]));
  await using proxy = new Proxy();
  await ask(echo.port, { ca: authority.cert }, `socks5://127.0.0.1:${proxy.port}`);
  const { cert, key } = await authority.client("CN=admin");
  assertEquals(
    (await ask(echo.port, { ca: authority.cert, cert, key }, `socks5://127.0.0.1:${proxy.port}`)).peer,
    "admin",
  );
  await ask(echo.port, { ca: authority.cert }, `socks5://me:secret@127.0.0.1:${proxy.port}`);
  const asked = `127.0.0.1:${echo.port}`;
  assertEquals(proxy.asked, [asked, asked, "\x01\x02me\x06secret", asked]);
});

Deno.test("httpTransport says so when a proxy refuses", async () => {
  await using proxy = new Proxy();
  proxy.status = "407 Proxy Authentication Required";
  const error = await assertRejects(
    () => ask(443, { ca: authority.cert }, `http://127.0.0.1:${proxy.port}`),
    ConnectionError,
  );
  assertStringIncludes(
    error.message,
    `proxy http://127.0.0.1:${proxy.port} refused the connection: it answered with code 407`,
  );
});

/** Sends a request to a plain server that does as `act` says. */
async function against(
  act: (peer: Deno.TcpConn) => Promise<void>,
  method = "GET",
): Promise<{ text?: string; error?: unknown }> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = `http://127.0.0.1:${listener.addr.port}`;
  const transport = httpTransport({ world, server });
  const serving = (async () => {
    const peer = await listener.accept();
    await peer.read(new Uint8Array(4096));
    await act(peer);
    return peer;
  })();
  try {
    const answer = await transport.exchange({ method, url: `${server}/`, headers: {} });
    return { text: await answer.text() };
  } catch (error) {
    return { error };
  } finally {
    const peer = await serving;
    try {
      peer.close();
    } catch {
      // the act has closed it
    }
    transport.close();
    listener.close();
  }
}

const say = async (peer: Deno.TcpConn, text: string): Promise<void> => {
  await peer.write(new TextEncoder().encode(text));
};

Deno.test("httpTransport reads a response that comes byte by byte over a real socket", async () => {
  const text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
  const { text: got } = await against(async (peer) => {
    peer.setNoDelay(true);
    for (const character of text) await say(peer, character);
  });
  assertEquals(got, "hi");
});

Deno.test("httpTransport reads a large body whole over a real socket", async () => {
  const body = "0123456789".repeat(300_000);
  const { text } = await against(async (peer) => {
    const writer = peer.writable.getWriter();
    await writer.write(new TextEncoder().encode(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`));
  });
  assertEquals(text === body, true);
});

Deno.test("httpTransport recognises a peer that closes without an answer, in the head, and in the body", async () => {
  for (const text of ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"]) {
    const { error } = await against(async (peer) => {
      if (text !== "") await say(peer, text);
      peer.close();
    }, "POST");
    assertEquals(connectionFailureOf(error), "eof");
  }
});

Deno.test("httpTransport recognises garbage", async () => {
  const { error } = await against((peer) => say(peer, "\x16\x03\x01 this is no HTTP\r\n\r\n"));
  assertEquals(connectionFailureOf(error), "protocol");
});

Deno.test("httpTransport recognises a reset", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = `http://127.0.0.1:${listener.addr.port}`;
  const transport = httpTransport({ world, server });
  const serving = (async () => {
    const peer = await listener.accept();
    peer.close(); // with the request unread, which resets the connection
  })();
  const body = "x".repeat(5_000_000);
  const error = await assertRejects(() => transport.exchange({ method: "POST", url: `${server}/`, headers: {}, body }));
  await serving;
  assertEquals(connectionFailureOf(error), "reset");
  transport.close();
  listener.close();
});

Deno.test("httpTransport recognises a refused connection, plain and with TLS", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  for (const scheme of ["http", "https"]) {
    const server = `${scheme}://127.0.0.1:${port}`;
    const transport = httpTransport({ world, server });
    const error = await assertRejects(
      () => transport.exchange({ method: "GET", url: `${server}/api`, headers: {} }),
      ConnectionError,
    );
    assertEquals(error.failure, "refused");
    assertEquals(error.message, `Get "${server}/api": dial tcp 127.0.0.1:${port}: connect: connection refused`);
    transport.close();
  }
});

Deno.test("httpTransport says so when a plain server is taken for one with TLS", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = `https://127.0.0.1:${listener.addr.port}`;
  const transport = httpTransport({ world, server });
  const serving = (async () => {
    const peer = await listener.accept();
    await peer.read(new Uint8Array(4096));
    await say(peer, "HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.close();
  })();
  const error = await assertRejects(() => transport.exchange({ method: "GET", url: `${server}/`, headers: {} }));
  await serving;
  assertEquals(connectionFailureOf(error), "tls");
  transport.close();
  listener.close();
});
