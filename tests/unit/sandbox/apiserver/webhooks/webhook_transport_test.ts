/** Webhooks over the network, as `dev` reaches them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import { MemoryLogger, systemWorld } from "../../../../../src/base/mod.ts";
import {
  type ApiServer,
  CertificateAuthority,
  createApiServer,
  webhookTransport,
} from "../../../../../src/sandbox/mod.ts";
import { CONFIG_MAPS, type Loose } from "../harness.ts";

const world = systemWorld(new MemoryLogger());
const authority = await CertificateAuthority.of(world);
const other = await CertificateAuthority.of(world);
const bundle = (cert: string) => encodeBase64(new TextEncoder().encode(cert));
const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

class Rig implements AsyncDisposable {
  readonly server: ApiServer = createApiServer({ world, webhookTransport: webhookTransport(world) });
  readonly #webhook: Deno.HttpServer<Deno.NetAddr>;
  requests = 0;

  private constructor(pair: { readonly cert: string; readonly key: string }, answer: Rig["answer"]) {
    this.answer = answer;
    this.#webhook = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {}, ...pair }, async (request) => {
      this.requests++;
      return await this.answer(await request.json());
    });
  }

  answer: (review: Loose) => Response | Promise<Response>;

  static async start(answer: Rig["answer"] = allow): Promise<Rig> {
    return new Rig(await authority.serving(["policy.default.svc"], ["127.0.0.1"]), answer);
  }

  get port(): number {
    return this.#webhook.addr.port;
  }

  async post(path: string, body: Loose): Promise<Loose> {
    const headers = { "content-type": "application/json" };
    const request = new Request(`http://server${path}`, { method: "POST", body: JSON.stringify(body), headers });
    return await (await this.server.fetch(request)).json();
  }

  /** What a creation comes to with a webhook that is found so. */
  async outcome(clientConfig: Loose, more: Loose = {}): Promise<string> {
    const made = await this.post(WEBHOOKS, {
      metadata: { name: "v" },
      webhooks: [{
        name: "v.example.com",
        clientConfig,
        rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        ...more,
      }],
    });
    assertEquals(made.kind, "ValidatingWebhookConfiguration", JSON.stringify(made));
    const { message, kind } = await this.post(CONFIG_MAPS, { metadata: { name: "a" } });
    return message ?? kind;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    await this.#webhook.shutdown();
  }
}

function allow({ request: { uid }, ...review }: Loose): Response {
  return Response.json({ ...review, response: { uid, allowed: true } });
}

Deno.test("webhookTransport reaches a webhook by its URL and the certificates in its configuration", async () => {
  await using rig = await Rig.start();
  const url = `https://127.0.0.1:${rig.port}/check`;
  assertEquals(await rig.outcome({ url, caBundle: bundle(authority.cert) }), "ConfigMap");
  assertEquals(rig.requests, 1);
});

Deno.test("webhookTransport reaches a Service of type ExternalName under the Service's name", async () => {
  await using rig = await Rig.start();
  await rig.post("/api/v1/namespaces/default/services", {
    metadata: { name: "policy" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  const service = { namespace: "default", name: "policy", port: rig.port, path: "/check" };
  assertEquals(await rig.outcome({ service, caBundle: bundle(authority.cert) }), "ConfigMap");
});

Deno.test("webhookTransport does not trust a certificate of another authority", async () => {
  await using rig = await Rig.start();
  const message = await rig.outcome({ url: `https://127.0.0.1:${rig.port}/`, caBundle: bundle(other.cert) });
  assertStringIncludes(
    message,
    `Internal error occurred: failed calling webhook "v.example.com": failed to call webhook:`,
  );
  assertStringIncludes(message, "certificate");
  assertEquals(rig.requests, 0);
});

Deno.test("webhookTransport says that nobody listens", async () => {
  await using rig = await Rig.start();
  assertEquals(
    await rig.outcome({ url: "https://127.0.0.1:1/x", caBundle: bundle(authority.cert) }),
    'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: ' +
      'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
  );
});

Deno.test("webhookTransport gives up a webhook that sends for ever, or nothing", async () => {
  const endless = () => {
    const chunk = new Uint8Array(65_536).fill(0x20);
    return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
  };
  const silent = Promise.withResolvers<Response>();
  const cases: readonly (readonly [answer: Rig["answer"], timeoutSeconds: number, why: string])[] = [
    [endless, 30, "it is longer than 3145728 bytes"],
    [() => silent.promise, 5, "context deadline exceeded"],
    [() => Response.redirect("https://127.0.0.1:1/", 307), 30, "status code 307"],
  ];
  for (const [answer, timeoutSeconds, why] of cases) {
    await using rig = await Rig.start(answer);
    const clientConfig = { url: `https://127.0.0.1:${rig.port}/`, caBundle: bundle(authority.cert) };
    assertStringIncludes(await rig.outcome(clientConfig, { timeoutSeconds }), why);
    assert(rig.requests === 1, "it is asked once");
    if (why.includes("deadline")) silent.resolve(new Response());
  }
});
