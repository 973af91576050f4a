/** What the endpoint asks the API server about strangers, how often, and what it keeps of the answers. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, QueueFullError } from "../../../../src/base/mod.ts";
import { Client, StatusError } from "../../../../src/client/mod.ts";
import { ExpiringCache } from "../../../../src/manager/endpoint/expiring_cache.ts";
import { AccessReviews, TokenReviews } from "../../../../src/manager/endpoint/reviews.ts";

/** An API server that answers when it is told to, with what `statusOf` says. */
class Server {
  readonly world = new FakeWorld();
  readonly stop = new AbortController();
  readonly asked: Record<string, unknown>[] = [];
  isSilent = false;
  statusOf: (spec: Record<string, unknown>) => unknown = () => ({ authenticated: false });

  get asking() {
    const { world, stop: { signal } } = this;
    const transport = async (request: Request): Promise<Response> => {
      const { spec } = await request.json();
      this.asked.push(spec);
      if (this.isSilent) {
        return await new Promise((_, reject) => {
          request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
        });
      }
      return Response.json({ spec, status: this.statusOf(spec) });
    };
    return { world, signal, client: new Client({ world, transport, server: "http://api", userAgent: "test" }) };
  }
}

Deno.test("ReviewQueue: a client with too many open questions gets a QueueFullError for more: 800 bogus tokens of one address do not keep a scraper at another waiting", async () => {
  const server = new Server();
  server.statusOf = ({ token }) => token === "good" ? { authenticated: true, user: { username: "jane" } } : {};
  const reviews = new TokenReviews(server.asking, { ttlMs: 10_000 });
  const { clock } = server.world;
  let [refused, answered] = [0, 0];
  const bogus = Array.from({ length: 800 }, async (_, i) => {
    const error = await reviews.userOf(`bogus-${i}`, "10.0.0.1").catch((error) => error);
    if (error instanceof QueueFullError) refused++;
    else answered++;
  });
  // Digests are made by other threads, in no time of this clock.
  while (refused + answered + reviews.open < 800) await clock.nextTurn();
  let user: unknown;
  void reviews.userOf("good", "10.0.0.2").then((found) => user = found);
  const waiting = reviews.open;
  while (reviews.open === waiting && !user) await clock.nextTurn();
  await clock.advance(20);
  assertEquals(user, { name: "jane", uid: undefined, groups: [], extra: undefined });
  await clock.advance(10_000);
  await Promise.all(bogus);
  assertEquals([refused + server.asked.length, reviews.open], [801, 0]);
  server.stop.abort();
});

Deno.test("reviews go out at upstream's rates: 400 at once, then 200 in a second", async () => {
  const server = new Server();
  const reviews = new TokenReviews(server.asking, { ttlMs: 10_000 });
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 100; i++) void reviews.userOf(`${round} ${i}`, `10.0.0.${round}`);
    await server.world.clock.advance(0);
  }
  while (server.asked.length < 400) await server.world.clock.nextTurn();
  for (let i = 0; i < 100; i++) void reviews.userOf(`more ${i}`, "10.0.0.9");
  await server.world.clock.advance(100);
  assert(server.asked.length <= 420, `${server.asked.length}`);
  await server.world.clock.advance(400);
  while (server.asked.length < 500) await server.world.clock.nextTurn();
  server.stop.abort();
});

Deno.test("ReviewQueue: a question without an answer within ten seconds fails, and no more than 50 are under way", async () => {
  const server = new Server();
  server.isSilent = true;
  const reviews = new TokenReviews(server.asking, { ttlMs: 10_000 });
  const asked = Array.from(
    { length: 60 },
    (_, i) => reviews.userOf(`t${i}`, `10.0.0.${i % 3}`).catch((error) => error),
  );
  while (reviews.open < 60) await server.world.clock.nextTurn(); // digests are made by another thread
  await server.world.clock.advance(9999);
  assertEquals([server.asked.length, reviews.open], [50, 60]);
  await server.world.clock.advance(1);
  for (const error of await Promise.all(asked)) assertEquals(error.message, "the API server has not answered in time");
  await server.world.clock.advance(0);
  assertEquals([reviews.open, server.world.clock.pendingTimers], [0, 0]);
});

Deno.test("a token that the API server refuses with an error is refused for two seconds without asking again", async () => {
  const server = new Server();
  server.statusOf = () => ({ authenticated: false, error: "invalid bearer token" });
  const reviews = new TokenReviews(server.asking, { ttlMs: 10_000 });
  for (let i = 0; i < 3; i++) {
    await assertRejects(() => reviews.userOf("bad", "10.0.0.1"), Error, "invalid bearer token");
  }
  assertEquals(server.asked.length, 1);
  await server.world.clock.advance(2000);
  assertEquals(reviews.cachedBytes, 0);
  await assertRejects(() => reviews.userOf("bad", "10.0.0.1"), Error, "invalid bearer token");
  assertEquals(server.asked.length, 2);
  server.stop.abort();
  assertEquals(server.world.clock.pendingTimers, 0);
});

Deno.test("ExpiringCache: an expired answer is freed, whether or not anybody asks again; what is wished in 10,000 characters or more is asked about each time, and not kept", async () => {
  const server = new Server();
  server.statusOf = () => ({ allowed: true });
  const reviews = new AccessReviews(server.asking, { allowTtlMs: 10_000, denyTtlMs: 10_000 });
  const user = { name: "jane", groups: [] };
  for (const [length, count] of [[9996, 1], [9997, 3]]) {
    const before = server.asked.length;
    const wish = { verb: "get", path: "/".padEnd(length, "a") };
    for (let i = 0; i < 2; i++) await reviews.ask(user, wish, "10.0.0.1");
    assertEquals(server.asked.length - before, count === 1 ? 1 : 2, `${length}`);
  }
  assert(reviews.cachedBytes < 25_000);
  await server.world.clock.advance(10_000);
  assertEquals([reviews.cachedBytes, server.world.clock.pendingTimers], [0, 0], "freed, though nobody asks again");
  server.stop.abort();
});

Deno.test("ExpiringCache: keys and answers take 4 MiB at most, and what takes more than a sixteenth is not kept", async () => {
  const { clock } = new FakeWorld();
  const options = { clock, ttlMs: () => 1000, signal: new AbortController().signal };
  const cache = new ExpiringCache<string>({ ...options, size: (value) => value.length });
  const keep = (key: string, value: string) => cache.get(key, () => Promise.resolve(value));
  await keep("huge", "x".repeat(200_000));
  assertEquals(cache.bytes, 0);
  for (let i = 0; i < 100; i++) await keep(`k${i}`, "x".repeat(50_000));
  assert(cache.bytes <= 4 << 20 && cache.bytes > 3 << 20, `${cache.bytes}`);
  let asked = 0;
  const ask = () => Promise.resolve(String(++asked));
  await cache.get("k99", ask);
  await cache.get("k0", ask);
  assertEquals(asked, 1, "the oldest was forgotten");
  await clock.advance(1000);
  assertEquals([cache.bytes, clock.pendingTimers], [0, 0]);
});

Deno.test("ExpiringCache: callers that want the same key at the same time cause one request", async () => {
  const { clock } = new FakeWorld();
  const stop = new AbortController();
  const cache = new ExpiringCache<string>({ clock, ttlMs: () => 0, size: () => 1, signal: stop.signal });
  let asked = 0;
  const ask = () => Promise.resolve(String(++asked));
  assertEquals(await Promise.all([cache.get("a", ask), cache.get("a", ask), cache.get("b", ask)]), ["1", "1", "2"]);
});

Deno.test("ExpiringCache: an answer is kept for as long as ttlMs says of it; a failure is not kept", async () => {
  const { clock } = new FakeWorld();
  const { signal } = new AbortController();
  const cache = new ExpiringCache<number>({ clock, ttlMs: (value) => value, size: () => 1, signal });
  let asked = 0;
  const get = (ttlMs: number) => cache.get(`${ttlMs}`, () => Promise.resolve(ttlMs).finally(() => asked++));
  await get(1000);
  await get(2000);
  await clock.advance(999);
  await get(1000);
  assertEquals(asked, 2);
  await clock.advance(1);
  await get(1000);
  await get(2000);
  assertEquals(asked, 3);
  await assertRejects(() => cache.get("x", () => Promise.reject(new Error("no"))), Error, "no");
  assertEquals(await cache.get("x", () => Promise.resolve(1)), 1);
  await clock.advance(2000);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("ReviewQueue: if the API server cannot be reached, fails or is too busy, it is asked again, five times in all", async () => {
  for (const code of [500, 429, 403]) {
    const world = new FakeWorld();
    const stop = new AbortController();
    let asked = 0;
    const create = () => {
      asked++;
      return Promise.reject(new StatusError({ code, reason: "", message: "no" } as never));
    };
    const client = { create } as unknown as Client;
    const reviews = new TokenReviews({ world, signal: stop.signal, client }, { ttlMs: 10_000 });
    const failed = assertRejects(() => reviews.userOf("t", "10.0.0.1"), StatusError);
    while (asked === 0) await world.clock.nextTurn(); // digests are made by another thread
    await world.clock.advance(9000);
    await failed;
    assertEquals(asked, code === 403 ? 1 : 5, `${code}`);
    stop.abort();
  }
});
