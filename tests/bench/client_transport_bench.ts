/** What one small request costs: the client over its own sockets, and fetch for comparison. */
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { type Pod, PODS } from "../../src/api/mod.ts";
import { Client, httpTransport } from "../../src/client/mod.ts";
import { TestAuthority } from "../unit/client/test_pki.ts";

const AT_ONCE = 20;
const authority = await TestAuthority.create();
const pair = await authority.server([], ["127.0.0.1"]);
const pod: Pod = {
  metadata: { name: "web-0", namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "registry.example/web:1.2.3", env: [{ name: "A", value: "b" }] }] },
};
const answer = new TextEncoder().encode(JSON.stringify(pod).padEnd(2000));

/** Answers every request on kept connections, in one write each. */
const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...pair, alpnProtocols: ["http/1.1"] });
const head = new TextEncoder().encode(`HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n`);
const whole = new Uint8Array(head.length + answer.length);
whole.set(head);
whole.set(answer, head.length);

async function serve(): Promise<void> {
  for await (const connection of listener) void respond(connection);
}

async function respond(connection: Deno.TlsConn): Promise<void> {
  const buffer = new Uint8Array(65_536);
  // Requests of this bench fit in one read, so each read is one request.
  while (await connection.read(buffer).catch(() => null) !== null) await connection.write(whole);
}

void serve();

const server = `https://127.0.0.1:${listener.addr.port}`;
const world = systemWorld(new MemoryLogger());
const transport = httpTransport({ world, server, tls: () => ({ ca: authority.cert }) });
const client = new Client({ world, transport, server, userAgent: "bench" });
const web = new Client({ world, transport: (request) => transport(request), server, userAgent: "bench" });
const httpClient = Deno.createHttpClient({ caCerts: [authority.cert], http2: false });
const byFetch = new Client({
  world,
  transport: (request) => fetch(request, { client: httpClient }),
  server,
  userAgent: "bench",
});

for (
  const [name, subject] of Object.entries({ "own sockets": client, "own sockets, fetch-shaped": web, "fetch": byFetch })
) {
  Deno.bench(`POST of a pod over TLS: ${name}`, { group: "one at a time", baseline: subject === client }, async () => {
    await subject.create(PODS, pod);
  });
  Deno.bench(
    `${AT_ONCE} POSTs of a pod over TLS: ${name}`,
    { group: "many at once", baseline: subject === client },
    async () => {
      await Promise.all(Array.from({ length: AT_ONCE }, () => subject.create(PODS, pod)));
    },
  );
}

Deno.bench("a new connection over TLS, and one POST", async () => {
  const fresh = httpTransport({ world, server, tls: () => ({ ca: authority.cert }) });
  await new Client({ world, transport: fresh, server, userAgent: "bench" }).create(PODS, pod);
  fresh.close();
});
