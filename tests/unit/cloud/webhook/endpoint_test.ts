import { assert, assertEquals, assertFalse, assertInstanceOf, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  CloudConflictError,
  CloudError,
  type CloudProvider,
  type CloudTls,
  ImplementedElsewhereError,
  InstanceNotFoundError,
  NotImplementedError,
  RetryError,
} from "../../../../src/cloud/mod.ts";
import { WEBHOOK_PROVIDER } from "../../../../src/cloud/webhook/mod.ts";
import { cloudSetup } from "../setup.ts";

const CONFIG = "apiVersion: kubeloop.dev/v1alpha1\nkind: WebhookProviderConfiguration\nurl: https://cloud.test/base/\n";
const ALL = { name: "far", hasClusterId: true, capabilities: ["loadBalancers", "instances", "routes"] };
const NODE = { metadata: { name: "n" } };
const SERVICE = { metadata: { name: "s", namespace: "d", uid: "u" } };
const signal = new AbortController().signal;

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly authorization: string | null;
  readonly body: unknown;
}

/** A provider whose endpoint answers as `answer` says, after it has described itself. */
async function opened(
  answer: (asked: Asked, nth: number) => Response | Promise<Response>,
  { rest = "", world = new FakeWorld(), env = {}, tls = [] as CloudTls[] } = {},
): Promise<{ provider: CloudProvider; asked: Asked[]; world: FakeWorld }> {
  const asked: Asked[] = [];
  const send = async (request: Request) => {
    const { url, method, headers } = request;
    const one = { url, method, authorization: headers.get("authorization"), body: await request.json() };
    if (url.endsWith("/v1/describe")) return Response.json({ result: ALL });
    asked.push(one);
    return await answer(one, asked.length);
  };
  const setup = { ...cloudSetup(CONFIG + rest, { world, env }), connect: (one?: CloudTls) => (tls.push(one!), send) };
  return { provider: await WEBHOOK_PROVIDER.open(setup), asked, world };
}

/** The answer of one call of each kind. */
function result(value: unknown) {
  return () => Response.json({ result: value });
}

Deno.test("a call is a POST of its arguments, and its result is what is answered", async () => {
  const status = { ingress: [{ ip: "1.2.3.4", ipMode: "VIP", other: 1 }], more: true };
  const { provider, asked } = await opened(result(status));
  assertEquals(provider.name, "far");
  const answer = await provider.loadBalancers!.ensureLoadBalancer("k", SERVICE, [NODE], signal);
  assertEquals(answer, { ingress: [{ ip: "1.2.3.4", ipMode: "VIP" }] });
  assertEquals(asked, [{
    url: "https://cloud.test/base/v1/loadBalancers/ensureLoadBalancer",
    method: "POST",
    authorization: null,
    body: { args: ["k", SERVICE, [NODE]] },
  }]);
});

Deno.test("only the capabilities that the endpoint names are there", async () => {
  const send = () => Promise.resolve(Response.json({ result: { ...ALL, capabilities: ["instances"] } }));
  const provider = await WEBHOOK_PROVIDER.open(cloudSetup(CONFIG, { send }));
  assertEquals([!!provider.instances, provider.routes, provider.loadBalancers], [true, undefined, undefined]);
});

const KINDS = [
  ["instanceNotFound", InstanceNotFoundError],
  ["notImplemented", NotImplementedError],
  ["implementedElsewhere", ImplementedElsewhereError],
  ["conflict", CloudConflictError],
  ["retry", RetryError],
  ["other", CloudError],
] as const;

for (const [kind, type] of KINDS) {
  Deno.test(`an error of kind ${kind} is a ${type.name}`, async () => {
    const { provider } = await opened(() =>
      Response.json({ error: { kind, message: "line 1\nline 2", afterMs: 5000 } })
    );
    const error = await assertRejects(() => provider.instances!.instanceExists(NODE, signal), type, "line 1 line 2");
    if (error instanceof RetryError) assertEquals(error.afterMs, 5000);
  });
}

/** Answers that are none, by what is said of them. */
const NONSENSE: readonly (readonly [what: string, body: string, why: string])[] = [
  ["no JSON", "<html>", "it is not JSON"],
  ["nothing", "", "it is not JSON"],
  ["a list", "[]", 'it must be an object with "result" or "error"'],
  ["null", "null", 'it must be an object with "result" or "error"'],
  ["neither", "{}", 'it must be an object with "result" or "error"'],
  ["both", '{"result":true,"error":{"kind":"other","message":""}}', 'it must be an object with "result" or "error"'],
  ["a text for a boolean", '{"result":"false"}', 'result must be true or false, not "false"'],
  ["null for a boolean", '{"result":null}', "result must be true or false, not null"],
  ["zero for a boolean", '{"result":0}', "result must be true or false, not a number"],
  ["an unknown kind", '{"error":{"kind":"gone","message":""}}', "error.kind must be one of instanceNotFound, "],
  ["no message", '{"error":{"kind":"other"}}', "error.message is missing"],
  ["a retry without a time", '{"error":{"kind":"retry","message":"x"}}', "error.afterMs is missing"],
  [
    "a retry in the past",
    '{"error":{"kind":"retry","message":"x","afterMs":-1}}',
    "error.afterMs must be a whole number",
  ],
  ["a proto", '{"__proto__":{"result":false}}', 'it must be an object with "result" or "error"'],
];

for (const [what, body, why] of NONSENSE) {
  Deno.test(`nonsense is an error, and never "does not exist": ${what}`, async () => {
    const { provider, asked } = await opened(() => new Response(body));
    const error = await assertRejects(() => provider.instances!.instanceExists(NODE, signal), CloudError);
    assertStringIncludes(error.message, "The webhook answered instances/instanceExists with nonsense: " + why);
    assertFalse(error instanceof InstanceNotFoundError);
    assertEquals(asked.length, 1);
  });
}

Deno.test("results are checked by the method's type, in depth", async () => {
  const answers: readonly (readonly [unknown, string])[] = [
    [null, "result must be an object, not null"],
    [{ ingress: {} }, "result.ingress must be a list"],
    [{ ingress: [{}, { ip: "banana" }] }, 'result.ingress[1].ip must be an IP address, not "banana"'],
    [{ ingress: [{ ip: "1.1.1.1", ipMode: "Vip" }] }, "result.ingress[0].ipMode must be one of VIP, Proxy"],
    [{ ingress: [{ ip: "1.1.1.1", ports: [{ port: "80" }] }] }, "result.ingress[0].ports[0].protocol is missing"],
    [{ ingress: Array(2000).fill({}) }, "result.ingress must have at most 1000 entries"],
  ];
  for (const [value, why] of answers) {
    const { provider } = await opened(result(value));
    const call = () => provider.loadBalancers!.ensureLoadBalancer("k", SERVICE, [], signal);
    assertStringIncludes((await assertRejects(call, CloudError)).message, why);
  }
  const { provider } = await opened(result([{ targetNode: "a", destinationCIDR: 10 }]));
  await assertRejects(
    () => provider.routes!.listRoutes("k", signal),
    CloudError,
    "result[0].destinationCIDR must be a string",
  );
});

Deno.test("WebhookEndpoint: only a well-formed answer of status 200 counts; only 502, 503 and 504 are asked again, and never what may change something", async () => {
  for (
    const [code, tries] of [[404, 1], [500, 1], [204, 1], [302, 1], [429, 1], [502, 3], [503, 3], [504, 3]] as const
  ) {
    const world = new FakeWorld();
    const { provider, asked } = await opened(() => new Response(null, { status: code }), { world });
    const exists = assertRejects(
      () => provider.instances!.instanceExists(NODE, signal),
      CloudError,
      `with status ${code}`,
    );
    await world.clock.advance(5000);
    await exists;
    assertEquals(asked.length, tries, `status ${code}`);
    await assertRejects(() => provider.loadBalancers!.ensureLoadBalancerDeleted("k", SERVICE, signal), CloudError);
    assertEquals(asked.length, tries + 1);
  }
});

Deno.test("WebhookEndpoint: calls that change nothing are made again, a few times, if nobody answered", async () => {
  const { provider, asked, world } = await opened((_, nth) => {
    if (nth < 3) throw new TypeError("connection reset");
    return Response.json({ result: true });
  });
  const exists = provider.instances!.instanceExists(NODE, signal);
  await world.clock.advance(5000);
  assertEquals([await exists, asked.length], [true, 3]);
});

Deno.test("a call ends when its time is up, or its signal aborts, whatever the endpoint does", async () => {
  const { provider, world } = await opened(() => new Promise(() => {}), { rest: "timeout: 2s\nchangeTimeout: 3s\n" });
  const reading = assertRejects(() => provider.instances!.instanceExists(NODE, signal), CloudError, "within 2 s");
  await world.clock.advance(2000);
  await reading;
  const changing = assertRejects(() =>
    provider.routes!.deleteRoute("k", { targetNode: "", destinationCIDR: "" }, signal)
  );
  await world.clock.advance(3000);
  assertStringIncludes((await changing as Error).message, "did not answer routes/deleteRoute within 3 s");
  const stop = new AbortController();
  const cut = assertRejects(() => provider.instances!.instanceExists(NODE, stop.signal), Error, "enough");
  stop.abort(new Error("enough"));
  await cut;
});

Deno.test("WebhookConnections: what changed later is used within ten seconds, at the next call; a bad one leaves the last", async () => {
  const pem = (name: string) => `-----BEGIN ${name}-----`;
  const files = { "/t": "one\n", "/ca": pem("CA"), "/c": pem("C"), "/k": pem("K") };
  const world = new FakeWorld({ files });
  const tls: CloudTls[] = [];
  const { provider, asked } = await opened(result(true), {
    world,
    tls,
    rest: "bearerTokenFile: /t\ncertificateAuthorityFile: /ca\nclientCertificateFile: /c\nclientKeyFile: /k\n",
  });
  const ask = async () => {
    await provider.instances!.instanceExists(NODE, signal);
    return asked.at(-1)!.authorization;
  };
  assertEquals(tls, [{ authorities: [pem("CA")], certificate: pem("C"), key: pem("K") }]);
  assertEquals(await ask(), "Bearer one");
  world.fileContents.set("/t", "two");
  world.fileContents.set("/k", pem("K2"));
  await world.clock.advance(10_000);
  assertEquals(await ask(), "Bearer two");
  assertEquals(tls.at(-1)!.key, pem("K2"));
  world.fileContents.set("/t", "");
  await world.clock.advance(10_000);
  assertEquals(await ask(), "Bearer two");
  const text = JSON.stringify(world.log.lines);
  assert(text.includes("holds no token") && !text.includes("two"), text);
});

Deno.test("the token is in no error, even if the endpoint repeats it", async () => {
  const env = { TOKEN: "s3cret-token" };
  const rest = "bearerTokenVariable: TOKEN\n";
  for (
    const answer of [
      Response.json({ error: { kind: "other", message: "bad token s3cret-token!" } }),
      Response.json({ result: "s3cret-token" }),
      new Response("s3cret-token"),
    ]
  ) {
    const { provider, asked } = await opened(() => answer, { env, rest });
    const error = await assertRejects(() => provider.instances!.instanceExists(NODE, signal), Error);
    assertEquals(asked[0].authorization, "Bearer s3cret-token");
    assertFalse(error.message.includes("s3cret"), error.message);
  }
});

Deno.test("an endpoint that cannot describe itself ends the start in one line", async () => {
  const world = new FakeWorld();
  const open = (send: () => Promise<Response>) => WEBHOOK_PROVIDER.open(cloudSetup(CONFIG, { send, world }));
  const down = assertRejects(() => open(() => Promise.reject(new Error("connection\nrefused"))), Error);
  await world.clock.advance(10_000);
  const { message } = await down as Error;
  assertEquals(
    message,
    "/etc/cloud.yaml: https://cloud.test/base: The webhook cannot be asked to describe: connection refused",
  );
  const odd = await assertRejects(
    () => open(() => Promise.resolve(Response.json({ result: { ...ALL, name: "A B" } }))),
    Error,
  );
  assertStringIncludes(odd.message, "The webhook answered describe with nonsense: result.name must be of the form");
  assertInstanceOf(odd, Error);
});

Deno.test("WebhookConnections: the first content of each file must be usable", async () => {
  const world = new FakeWorld({ files: { "/blank": " \n", "/two": "two words", "/no.pem": "hello" } });
  for (
    const [rest, why] of [
      ["bearerTokenFile: /blank", 'bearerTokenFile "/blank" holds no token: it is empty'],
      ["bearerTokenFile: /two", 'bearerTokenFile "/two" holds no token: it must be one word'],
      ["certificateAuthorityFile: /no.pem", 'certificateAuthorityFile "/no.pem" holds no PEM block'],
      ["certificateAuthorityFile: /absent", 'certificateAuthorityFile "/absent" cannot be read: '],
    ]
  ) {
    await assertRejects(() => WEBHOOK_PROVIDER.open(cloudSetup(`${CONFIG}${rest}\n`, { world })), Error, why);
  }
});

/** Configurations, and what is said of them. */
const FAULTS: readonly (readonly [rest: string, why: string])[] = [
  ["", "url is missing"],
  ["url: http://cloud.test", "url must begin with https:// (http:// only for a loopback address)"],
  ["url: ftp://127.0.0.1", "url must begin with https://"],
  ["url: nowhere", "url must be a URL such as"],
  ["url: 'https://a:hunter2@cloud.test'", "url must not hold a name or password"],
  ["url: 'https://cloud.test?x=1'", "url must have no query and no fragment"],
  ["url: https://c.test\ntoken: x", "token is an unknown field: there are url, "],
  ["url: https://c.test\nclientKeyFile: /k", "clientCertificateFile and clientKeyFile must be given both, or neither"],
  ["url: https://c.test\nbearerTokenFile: /t\nbearerTokenVariable: T", "must not be given both"],
  ["url: https://c.test\nbearerTokenFile: /t", 'bearerTokenFile "/t" cannot be read: '],
  ["url: https://c.test\nbearerTokenVariable: T", "bearerTokenVariable T holds no token: it is not set"],
  ["url: https://c.test\ntimeout: 1d", 'timeout: time: unknown unit "d"'],
  ["url: https://c.test\ntimeout: 2h", "timeout must be from 1ms to 60s, not 2h"],
  ["url: https://c.test\nretries: 99", "retries must be a whole number from 0 to 5"],
];

for (const [rest, why] of FAULTS) {
  Deno.test(`a wrong configuration is told in one line: ${why.slice(0, 50)}`, async () => {
    const text = `apiVersion: kubeloop.dev/v1alpha1\nkind: WebhookProviderConfiguration\n${rest}\n`;
    const error = await assertRejects(() => WEBHOOK_PROVIDER.open(cloudSetup(text)), Error);
    assertStringIncludes(error.message, why);
    assert(error.message.startsWith("/etc/cloud.yaml: ") && !error.message.includes("\n"), error.message);
    assertFalse(error.message.includes("hunter2"));
  });
}
