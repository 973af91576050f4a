/**
 * What an endpoint of the webhook provider, and tenants of the ippool provider, tried, and what bounds it.
 *
 * | Attack | Bound |
 * |---|---|
 * | an answer that comes byte by byte, or never | the call's time limit, whatever comes |
 * | a body without end, or one that unpacks to a gigabyte | 4 MiB, counted as it is read |
 * | JSON a million levels deep, members in hundred thousands | parsed without recursion; an error within a moment |
 * | answers of the wrong type, `false` in odd clothes | an error that says where, never "does not exist" |
 * | a redirection elsewhere | an error; nobody else sees the token |
 * | 100,000 headers, junk instead of HTTP | an error of the connection |
 * | a certificate of an authority nobody named; a client without its own | an error of the connection, in both directions |
 * | requests for addresses of other namespaces' pools, or of others | an error that names nobody |
 * | another namespace's sharing key | an address of one's own |
 * | annotations of a quarter of a megabyte, ports by the thousand | cut short; linear |
 */
import { assert, assertEquals, assertFalse, assertLess, assertRejects, assertStringIncludes } from "@std/assert";
import { createServer } from "node:https";
import { MemoryLogger, MetricsRegistry, systemWorld } from "../../../src/base/mod.ts";
import { fetchTransport } from "../../../src/client/mod.ts";
import { CloudError, type CloudProvider, InstanceNotFoundError } from "../../../src/cloud/mod.ts";
import { WEBHOOK_PROVIDER } from "../../../src/cloud/webhook/mod.ts";
import { Authority } from "../../controlplane/pki.ts";
import { Cluster, Leader, poolsText, service, type ServiceOptions } from "../../unit/cloud/ippool/stage.ts";
import { ScriptedConfig } from "../../unit/cloud/setup.ts";

const TOKEN = "t0ken-that-nobody-else-may-see";
const DESCRIPTION = { name: "far", hasClusterId: true, capabilities: ["instances", "routes"] };
const NODE = { metadata: { name: "n" } };
const signal = new AbortController().signal;

/** An endpoint that describes itself as it should, and answers all else as an attacker likes. */
async function attacked(
  answer: (request: Request) => Response | Promise<Response>,
  test: (provider: CloudProvider, url: string) => Promise<void>,
): Promise<void> {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, onError: () => new Response() },
    (request) => request.url.endsWith("/v1/describe") ? Response.json({ result: DESCRIPTION }) : answer(request),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  await test(await open(url), url);
}

async function open(url: string, rest = ""): Promise<CloudProvider> {
  const text = `apiVersion: kubeloop.dev/v1alpha1\nkind: WebhookProviderConfiguration\nurl: ${url}\n` +
    `timeout: 3s\nretries: 0\nbearerTokenVariable: TOKEN\n${rest}`;
  return await WEBHOOK_PROVIDER.open({
    world: systemWorld(new MemoryLogger()),
    metrics: new MetricsRegistry(),
    config: new ScriptedConfig(text),
    clusterName: "kubernetes",
    clusterCidrs: [],
    env: () => TOKEN,
    connect: fetchTransport,
  });
}

/** Asks whether a machine exists, which deletes its Node if the answer is no. */
async function refused(provider: CloudProvider): Promise<string> {
  const error = await assertRejects(() => provider.instances!.instanceExists(NODE, signal), Error);
  assertFalse(error instanceof InstanceNotFoundError);
  assertFalse(error.message.includes(TOKEN), error.message);
  assert(error.message.length < 2000 && !error.message.includes("\n"), error.message);
  return error.message;
}

function drip(piece: string, periodMs: number): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new TextEncoder().encode(piece)), periodMs);
    },
    cancel: () => clearInterval(timer),
  });
}

const options = { sanitizeResources: false, sanitizeOps: false };

Deno.test({
  name: "an answer that drips ends with the call's time",
  ...options,
  fn: () =>
    attacked(() => new Response(drip(" ", 20)), async (provider) => {
      const startMs = performance.now();
      assertStringIncludes(await refused(provider), "did not answer instances/instanceExists within 3 s");
      assertLess(performance.now() - startMs, 20_000);
    }),
});

Deno.test({
  name: "WebhookEndpoint: an answer is read up to 4 MiB and until the call's time is up: a body without end",
  ...options,
  fn: async () => {
    let sent = 0;
    const endless = () =>
      new ReadableStream({
        pull(controller) {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(32));
        },
      });
    await attacked(() => new Response(endless()), async (provider) => {
      assertStringIncludes(await refused(provider), "it is longer than 4194304 bytes");
      assertLess(sent, 64 * 1024 * 1024);
    });
  },
});

Deno.test({
  name: "a body that unpacks to much more is read up to 4 MiB",
  ...options,
  fn: async () => {
    const zeros = new Response(new Uint8Array(100 * 1024 * 1024)).body!.pipeThrough(new CompressionStream("gzip"));
    const bomb = new Uint8Array(await new Response(zeros).arrayBuffer());
    assertLess(bomb.length, 1024 * 1024);
    await attacked(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }), async (provider) => {
      assertStringIncludes(await refused(provider), "nonsense");
    });
  },
});

/** Bodies, and what is said of them. */
const BODIES: readonly (readonly [what: string, body: string])[] = [
  ["a million brackets", "[".repeat(1_000_000)],
  ["a million levels", `{"result":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
  ["90,000 levels", `{"result":${"[".repeat(90_000)}${"]".repeat(90_000)}}`],
  ["300,000 members", `{${Array.from({ length: 300_000 }, (_, i) => `"${i}":0`).join(",")}}`],
  ["a long text", `{"result":"${"x".repeat(3_000_000)}"}`],
  ["a long message", `{"error":{"kind":"other","message":"${"x".repeat(3_000_000)}"}}`],
  ["many line ends", `{"error":{"kind":"other","message":"${"\\n".repeat(20_000)}x"}}`],
  ["a long number", `{"result":${"9".repeat(1_000_000)}}`],
  ["a false in quotes", '{"result":"false"}'],
  ["a false in a list", '{"result":[false]}'],
  ["a false below a proto", '{"__proto__":{"result":false}}'],
  ["an error of a kind that is a method", '{"error":{"kind":"constructor","message":"x"}}'],
  ["not UTF-8", "\uFFFE{"],
];

for (const [what, body] of BODIES) {
  Deno.test({
    name: `an odd answer is an error at once: ${what}`,
    ...options,
    fn: () =>
      attacked(() => new Response(body), async (provider) => {
        const startMs = performance.now();
        await refused(provider);
        assertLess(performance.now() - startMs, 2000);
      }),
  });
}

Deno.test({
  name: "a list of 50,000 routes is read, and one of more is not",
  ...options,
  fn: async () => {
    const routes = (count: number) =>
      Response.json({
        result: Array.from(
          { length: count },
          (_, i) => ({ targetNode: `n${i}`, destinationCIDR: `10.${i >> 8 & 255}.${i & 255}.0/24` }),
        ),
      });
    await attacked(() => routes(50_000), async (provider) => {
      assertEquals((await provider.routes!.listRoutes("k", signal)).length, 50_000);
    });
    await attacked(() => routes(50_001), async (provider) => {
      await assertRejects(() => provider.routes!.listRoutes("k", signal), CloudError, "at most 50000 entries");
    });
  },
});

Deno.test({
  name: "a redirection is not followed, and nobody else sees the token",
  ...options,
  fn: async () => {
    const seen: string[] = [];
    await using elsewhere = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
      seen.push(request.headers.get("authorization") ?? "");
      return Response.json({ result: false });
    });
    const location = `http://127.0.0.1:${elsewhere.addr.port}/`;
    for (const status of [301, 302, 303, 307, 308]) {
      await attacked(() => new Response(null, { status, headers: { location } }), async (provider) => {
        assertStringIncludes(await refused(provider), `with status ${status}, which must be 200`);
      });
    }
    assertEquals(seen, []);
  },
});

/** Raw bytes after a request, and what they are. */
const WIRES: readonly (readonly [what: string, bytes: string])[] = [
  ["100,000 headers", `HTTP/1.1 200 OK\r\n${Array.from({ length: 100_000 }, (_, i) => `x-${i}: y\r\n`).join("")}\r\n`],
  ["a header of 10 MB", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(10_000_000)}\r\n\r\n`],
  ["junk", "\x00\x01\x02 what?\r\n\r\n"],
  ["less than was promised", 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"result":false}'],
  ["a negative length", 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{"result":false}'],
  ["nothing", ""],
];

for (const [what, bytes] of WIRES) {
  Deno.test({
    name: `an answer that is no HTTP is an error: ${what}`,
    ...options,
    fn: async () => {
      const body = JSON.stringify({ result: DESCRIPTION });
      const good = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const serving = (async () => {
        for await (const connection of listener) {
          const buffer = new Uint8Array(65_536);
          const read = await connection.read(buffer) ?? 0;
          const text = new TextDecoder().decode(buffer.subarray(0, read));
          const answer = new TextEncoder().encode(text.includes("/v1/describe") ? good : bytes);
          await (async () => {
            for (let at = 0; at < answer.length;) at += await connection.write(answer.subarray(at));
          })().catch(() => {});
          connection.close();
        }
      })().catch(() => {});
      const provider = await open(`http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`);
      await refused(provider);
      listener.close();
      await serving;
    },
  });
}

Deno.test({
  name: "certificates are judged in both directions",
  ...options,
  fn: async () => {
    const [authority, stranger] = [await Authority.create(), await Authority.create("stranger")];
    const [own, clientPair, foreignPair] = [
      await authority.serving(["localhost"], ["127.0.0.1"]),
      await authority.client("kubeloop"),
      await stranger.client("kubeloop"),
    ];
    const folder = await Deno.makeTempDir();
    const file = async (name: string, text: string) => {
      await Deno.writeTextFile(`${folder}/${name}`, text);
      return `${folder}/${name}`;
    };
    const seen: (string | undefined)[] = [];
    const server = createServer(
      { cert: own.cert, key: own.key, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        seen.push(request.url);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ result: request.url === "/v1/describe" ? DESCRIPTION : true }));
      },
    );
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `https://localhost:${(server.address() as { port: number }).port}`;
    try {
      const ca = await file("ca.crt", authority.cert);
      const shows = async (name: string, { cert, key }: { cert: string; key: string }) =>
        `clientCertificateFile: ${await file(`${name}.crt`, cert)}\nclientKeyFile: ${await file(`${name}.key`, key)}\n`;
      const trusted = `certificateAuthorityFile: ${ca}\n`;
      const good = await open(url, trusted + await shows("good", clientPair));
      assertEquals(await good.instances!.instanceExists(NODE, signal), true);
      assertEquals(seen, ["/v1/describe", "/v1/instances/instanceExists"]);
      const others = [
        trusted,
        trusted + await shows("foreign", foreignPair),
        await shows("good", clientPair),
        `certificateAuthorityFile: ${await file("stranger.crt", stranger.cert)}\n` + await shows("good", clientPair),
      ];
      for (const rest of others) {
        const error = await assertRejects(() => open(url, rest), Error, "The webhook cannot be asked to describe: ");
        assertFalse(error.message.includes(TOKEN));
      }
      assertEquals(seen.length, 2);
    } finally {
      server.closeAllConnections();
      server.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("a tenant gets no address of another namespace's pool, and is not told whose one is", async () => {
  const text = poolsText(
    "[{name: theirs, addresses: [10.0.0.0/30], namespaces: [rich]}, {name: all, addresses: [10.0.1.0/30]}]",
  );
  await using leader = await Leader.start(new Cluster(), text);
  await leader.settle(service("shop", { namespace: "rich" }));
  await leader.settle(service("web", { namespace: "rich", annotations: { "ippool/pool": "all" } }));
  const requests: readonly ServiceOptions[] = [
    { loadBalancerIP: "10.0.0.2" },
    { annotations: { "ippool/addresses": "10.0.0.2" } },
    { annotations: { "ippool/addresses": "10.0.0.2", "ippool/pool": "theirs" } },
    { annotations: { "ippool/pool": "theirs" } },
    { annotations: { "ippool/addresses": "10.0.1.0", "ippool/sharing-key": "k" } },
    { annotations: { "ippool/addresses": "0.0.0.0" } },
    { annotations: { "ippool/addresses": "::ffff:10.0.1.1" }, families: ["IPv6"] },
  ];
  for (const request of requests) {
    const error = await assertRejects(
      () => leader.ensure(service("thief", { namespace: "poor", ...request })),
      CloudError,
    );
    assertFalse(/rich|shop|web/.test(error.message), error.message);
  }
});

Deno.test("another namespace's sharing key opens nothing, and cannot keep its owners apart", async () => {
  const key = { "ippool/sharing-key": "k" };
  await using leader = await Leader.start(new Cluster(), poolsText("[{name: a, addresses: [10.0.0.0/16]}]"));
  assertEquals(await leader.settle(service("a", { namespace: "rich", annotations: key, ports: [1] })), ["10.0.0.0"]);
  for (let i = 0; i < 200; i++) {
    const ips = await leader.settle(service(`s${i}`, { namespace: "poor", annotations: key, ports: [2] }));
    assertFalse(ips.includes("10.0.0.0"));
  }
  assertEquals(await leader.settle(service("b", { namespace: "rich", annotations: key, ports: [2] })), ["10.0.0.0"]);
});

Deno.test("long annotations, many ports and odd keys are bounded", async () => {
  await using leader = await Leader.start(
    new Cluster(),
    poolsText("[{name: a, addresses: [10.0.0.0/16], sharing: Cluster}]"),
  );
  const startMs = performance.now();
  for (const key of ["ippool/addresses", "ippool/pool", "ippool/sharing-key"]) {
    const error = await assertRejects(
      () => leader.ensure(service("x", { annotations: { [key]: "1,".repeat(130_000) } })),
      CloudError,
    );
    assertLess(error.message.length, 500);
  }
  for (const odd of ["__proto__", "constructor", "default/k", "*"]) {
    await leader.settle(
      service(`s-${odd.length}`, { annotations: { "ippool/sharing-key": odd }, ports: [odd.length] }),
    );
  }
  const ports = Array.from({ length: 60_000 }, (_, i) => i + 1);
  await leader.settle(service("wide", { ports, annotations: { "ippool/sharing-key": "k" } }));
  for (let i = 0; i < 300; i++) {
    await leader.settle(service(`w${i}`, { ports: [61_000 + i], annotations: { "ippool/sharing-key": "k" } }));
  }
  assertLess(performance.now() - startMs, 20_000);
});
