import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { RetryError, type SendRequest } from "../../../../src/cloud/mod.ts";
import { HcloudApi } from "../../../../src/cloud/hcloud/api.ts";
import { tokenSource } from "../../../../src/cloud/hcloud/token.ts";
import { Bench, nodeOf, serviceOf } from "./bench.ts";

const TOKEN = "s3cret".padEnd(64, "x");
const signal = new AbortController().signal;

/** An API whose answers a test gives one after the other; the last one stays. */
function scripted(...answers: ((request: Request) => Response | Promise<Response>)[]) {
  const bench = new Bench();
  const metrics = new MetricsRegistry();
  const requests: Request[] = [];
  const times: number[] = [];
  const send: SendRequest = (request) => {
    requests.push(request);
    times.push(bench.world.clock.monotonicMs());
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    return new Promise((resolve) => resolve(answer(request)));
  };
  const token = tokenSource({ world: bench.world, env: (name) => name === "HCLOUD_TOKEN" ? TOKEN : undefined });
  const api = new HcloudApi({ world: bench.world, metrics, send, endpoint: "https://api.example/v1", token });
  return { bench, api, requests, times, metrics, run: <T>(work: Promise<T>) => bench.run(work) };
}

const ok = () => Response.json({ fine: true });
const refusal = (status: number, code: string, headers = {}) => () =>
  Response.json({ error: { code, message: "no" } }, { status, headers });

Deno.test("HcloudApi: every request carries the token; nothing else holds it", async () => {
  const { api, requests, run, bench, metrics } = scripted(
    () => Response.json({ error: { code: "unauthorized", message: "unable to authenticate" } }, { status: 401 }),
  );
  const error = await assertRejects(() => run(api.get("/servers/1", signal)));
  assertEquals(requests[0].headers.get("authorization"), `Bearer ${TOKEN}`);
  assertEquals(requests[0].redirect, "manual");
  assertEquals(String(error), "HcloudError: GET /servers/1: unable to authenticate (unauthorized)");
  const everything = [Deno.inspect(error), Deno.inspect(api), JSON.stringify(bench.world.log.lines), metrics.render()]
    .join();
  assert(!everything.includes("s3cret"));
});

Deno.test("HcloudApi: a GET is sent again (three times in all) if there is no answer, and a write is not", async () => {
  const never = () => new Promise<Response>(() => {});
  for (const answer of [never, () => new Response("", { status: 502 }), () => Promise.reject(new Error("reset"))]) {
    const { api, requests, run } = scripted(answer);
    await assertRejects(() => run(api.get("/servers/1", signal)));
    assertEquals(requests.length, 3);
    await assertRejects(() => run(api.send("POST", "/load_balancers", {}, signal)));
    assertEquals(requests.length, 4);
  }
  const { api, requests, run } = scripted(() => new Response("", { status: 503 }), ok);
  assert((await run(api.get("/servers/1", signal))).flag("fine"));
  assertEquals(requests.length, 2);
});

Deno.test("a conflict means that nothing was done: also writes are tried again", async () => {
  const { api, requests, run } = scripted(refusal(409, "conflict"), refusal(409, "conflict"), ok);
  await run(api.send("POST", "/load_balancers", {}, signal));
  assertEquals(requests.length, 3);
});

Deno.test("what the API calls wrong is named", async () => {
  const { api, run } = scripted(() =>
    Response.json({
      error: {
        code: "invalid_input",
        message: "invalid input\n in fields",
        details: { fields: [{ name: "name", messages: ["is too long", "is odd"] }] },
      },
    }, { status: 422 })
  );
  const error = await assertRejects(() => run(api.send("PUT", "/load_balancers/1", {}, signal)));
  assertStringIncludes(
    String(error),
    "invalid input  in fields (invalid_input): invalid fields: name (is too long, is odd)",
  );
});

Deno.test("HcloudApi: all requests pass one RateGate; after a refusal they wait together", async () => {
  const limited = refusal(429, "rate_limit_exceeded");
  const { api, times, run } = scripted(limited, limited, limited, ok);
  await Promise.all([1, 2, 3].map((id) => run(api.get(`/servers/${id}`, signal))));
  // Three were on their way; then one after the other.
  assertEquals(times.slice(0, 3), [250, 250, 250].map(() => times[0]));
  assert(times[3] - times[0] >= 1000, String(times));
});

Deno.test("Retry-After is waited for, and a long wait is the caller's, who learns how long", async () => {
  const { api, times, run } = scripted(refusal(429, "rate_limit_exceeded", { "Retry-After": "4" }), ok);
  await run(api.get("/servers/1", signal));
  assert(times[1] - times[0] >= 4000);
  const long = scripted(refusal(429, "rate_limit_exceeded", { "Retry-After": "600" }), ok);
  const error = await assertRejects(() => long.run(long.api.get("/servers/1", signal)), RetryError);
  assertEquals([error.afterMs, long.requests.length], [600_000, 1]);
  await assertRejects(() => long.run(long.api.get("/servers/2", signal)), RetryError);
  assertEquals(long.requests.length, 1);
});

Deno.test("a limit that stays used up costs few requests", async () => {
  const { api, requests, run, bench } = scripted(refusal(429, "rate_limit_exceeded"));
  for (let i = 0; i < 360; i++) {
    await run(api.get("/servers/1", signal)).catch(() => {});
    await bench.world.clock.advance(5000);
  }
  assert(requests.length < 20, String(requests.length));
});

Deno.test("where few requests remain they keep the pace of the limit", async () => {
  const headers = { "RateLimit-Limit": "3600", "RateLimit-Remaining": "10", "RateLimit-Reset": "9999999999" };
  const { api, times, run } = scripted(() => Response.json({}, { headers }));
  for (let i = 0; i < 4; i++) await run(api.get("/servers/1", signal));
  for (let i = 2; i < 4; i++) assert(times[i] - times[i - 1] >= 1000, String(times));
});

Deno.test("the provider lives with a limit of a few requests", async () => {
  const bench = new Bench({ limit: 40 });
  const nodes = ["node-1", "node-2"].map((name) => nodeOf(bench.emulator.project.addServer(name)));
  const provider = await bench.open();
  for (let tries = 0; tries < 20; tries++) {
    try {
      await bench.run(provider.loadBalancers!.ensureLoadBalancer("kubernetes", serviceOf(), nodes, signal));
      break;
    } catch (error) {
      if (!(error instanceof RetryError)) throw error;
      await bench.world.clock.advance(error.afterMs);
    }
  }
  assertEquals([...bench.emulator.project.balancers.values()].map(({ targets }) => targets.length), [2]);
});

Deno.test("a call ends with its signal, whatever it waits for", async () => {
  const { api, run } = scripted(() => new Promise<Response>(() => {}));
  const abort = new AbortController();
  const call = run(api.get("/servers/1", abort.signal));
  abort.abort(new Error("enough"));
  await assertRejects(() => call, Error, "enough");
});

Deno.test("the token's file is read again, and an unreadable one is named", async () => {
  const world = new FakeWorld({ files: { "/t": " first\n" } });
  const source = tokenSource({ world, env: (name) => name === "HCLOUD_TOKEN_FILE" ? "/t" : undefined });
  assertEquals(await source.token(), "first");
  world.fileContents.set("/t", "second");
  assertEquals(await source.token(), "first");
  await world.clock.advance(10_000);
  assertEquals(await source.token(), "second");
  for (
    const [text, why] of [["", "there is no token"], ["a b", "invalid characters"], ["x\ny", "invalid characters"]]
  ) {
    world.fileContents.set("/t", text);
    await world.clock.advance(10_000);
    await assertRejects(() => source.token(), Error, why);
  }
  world.fileContents.delete("/t");
  await assertRejects(() => source.token(), Error, "failed to read the file of HCLOUD_TOKEN_FILE (/t)");
});

Deno.test("HcloudApi: an answer is at most 2 MiB long, a request takes at most fifteen seconds, a list has at most two hundred pages", async () => {
  const long = scripted(() => new Response(`"${"x".repeat(2 * 1024 * 1024)}"`));
  await assertRejects(
    () => long.run(long.api.send("POST", "/x", {}, signal)),
    Error,
    "it is longer than 2097152 bytes",
  );
  const slow = scripted(() => new Promise<Response>(() => {}));
  const call = slow.run(slow.api.send("POST", "/x", {}, signal));
  await assertRejects(() => call, Error, "it took too long");
  assert(slow.bench.world.clock.monotonicMs() <= 15_500);
  let page = 0;
  const many = scripted(() =>
    Response.json({ servers: [], meta: { pagination: { next_page: ++page + 1, total_entries: null } } })
  );
  await assertRejects(() => many.run(many.api.list("servers", {}, signal)), Error, "there are more than 200 pages");
  assertEquals(many.requests.length, 200);
});
