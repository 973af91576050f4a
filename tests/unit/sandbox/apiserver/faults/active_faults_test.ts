import { assertEquals, assertRejects } from "@std/assert";
import { CONFIG_MAPS, Harness, MERGE, PODS } from "../harness.ts";

Deno.test("Faults: a request meets the first fault that matches it and is not used up; a fault with times is gone once it has met that many requests", async () => {
  using api = new Harness();
  const status = { code: 429, message: "slow down", retryAfterSeconds: 2 };
  const fault = api.server.faults.add({
    verb: "list",
    resource: "configmaps",
    namespace: "default",
    after: 1,
    times: 2,
    status,
  });
  const list = async () => (await api.get(CONFIG_MAPS)).status;
  assertEquals([await list(), await list()], [200, 429]);
  assertEquals((await api.get(PODS)).status, 200);
  assertEquals((await api.post(CONFIG_MAPS, { metadata: { name: "a" } })).status, 201);
  const { status: code, body, headers } = await api.get(CONFIG_MAPS);
  assertEquals([code, body.reason, body.message, headers.get("retry-after")], [
    429,
    "TooManyRequests",
    "slow down",
    "2",
  ]);
  assertEquals([await list(), fault.hits], [200, 2]);
});

Deno.test("Faults meet subresources by their own name", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  await api.post("/api/v1/nodes", { metadata: { name: "n" } });
  using _fault = api.server.faults.add({ resource: "nodes/status", status: { code: 500 } });
  const patch = async (path: string) => (await api.patch(path, { metadata: { labels: { a: "b" } } }, MERGE)).status;
  assertEquals([await patch("/api/v1/nodes/n"), await patch("/api/v1/nodes/n/status")], [200, 500]);
});

Deno.test("Faults: a dropped connection rejects like one of fetch, before or after the request is served", async () => {
  using api = new Harness();
  const create = () => api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  api.server.faults.add({ verb: "create", times: 1, drop: "before" });
  await assertRejects(create, TypeError);
  assertEquals((await api.get(`${CONFIG_MAPS}/a`)).status, 404);
  api.server.faults.add({ verb: "create", times: 1, drop: "after" });
  await assertRejects(create, TypeError);
  assertEquals((await api.get(`${CONFIG_MAPS}/a`)).status, 200);
});

Deno.test("Faults delay an answer, unless the request is given up", async () => {
  using api = new Harness();
  api.server.faults.add({ verb: "list", delayMs: 1000 });
  let answered = false;
  const list = api.get(CONFIG_MAPS).then(() => answered = true);
  await api.world.clock.advance(999);
  assertEquals(answered, false);
  await api.world.clock.advance(1);
  await list;
  const abort = new AbortController();
  const given = api.server.fetch(new Request(`http://server${CONFIG_MAPS}`, { signal: abort.signal }));
  abort.abort(new Error("enough"));
  await assertRejects(() => given, Error, "enough");
  assertEquals(api.world.clock.pendingTimers, 0);
});

Deno.test("Faults end when disposed of or cleared", async () => {
  using api = new Harness();
  const status = async () => (await api.get(CONFIG_MAPS)).status;
  const fault = api.server.faults.add({ status: { code: 503 } });
  assertEquals(await status(), 503);
  fault[Symbol.dispose]();
  assertEquals(await status(), 200);
  api.server.faults.add({ status: { code: 503 } });
  api.server.faults.clear();
  assertEquals(await status(), 200);
});

Deno.test("Faults meet only the client whose User-Agent they name", async () => {
  using api = new Harness();
  api.server.faults.add({ userAgent: "/kubelet", status: { code: 503 } });
  const ask = (agent: string) =>
    api.server.fetch(new Request(`http://server${CONFIG_MAPS}`, { headers: { "user-agent": agent } }));
  assertEquals([(await ask("x/1/kubelet")).status, (await ask("x/1/scheduler")).status], [503, 200]);
});

Deno.test("Faults repeat a request: it is served twice and its first answer given", async () => {
  using api = new Harness();
  const fault = api.server.faults.add({ verb: "create", resource: "configmaps", duplicate: true });
  const body = { metadata: { generateName: "a-" } };
  assertEquals((await api.post(CONFIG_MAPS, body)).status, 201);
  assertEquals((await api.post(CONFIG_MAPS, { metadata: { name: "once" } })).status, 201);
  const { items } = (await api.get(CONFIG_MAPS)).body;
  assertEquals(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name.slice(0, 4).length), [
    4,
    4,
    4,
  ]);
  assertEquals(fault.hits, 2);
});

Deno.test("Faults tell the events of a watch twice, or late", async () => {
  using api = new Harness();
  const watch = async () => {
    const response = await api.server.fetch(new Request(`http://server${CONFIG_MAPS}?watch=true&resourceVersion=1`));
    const lines: string[] = [];
    const reading = response.body!.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({ write: (text) => void lines.push(...text.trim().split("\n")) }),
    );
    return { lines, reading };
  };
  const names = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).object.metadata.name);
  api.server.faults.add({ verb: "watch", times: 1, duplicate: true });
  const twice = await watch();
  api.server.faults.add({ verb: "watch", times: 1, lagMs: 2000 });
  const late = await watch();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  await api.world.clock.advance(1999);
  assertEquals([names(twice.lines), names(late.lines)], [["a", "a"], []]);
  await api.world.clock.advance(1);
  assertEquals(names(late.lines), ["a"]);
  await api.post(CONFIG_MAPS, { metadata: { name: "b" } });
  api.server.closeWatches();
  await api.world.clock.advance(2000);
  await Promise.all([twice.reading, late.reading]);
  assertEquals(names(late.lines), ["a", "b"]);
});

Deno.test("A lagging watch that is given up leaves no timer", async () => {
  using api = new Harness();
  api.server.faults.add({ verb: "watch", lagMs: 2000 });
  const response = await api.server.fetch(new Request(`http://server${CONFIG_MAPS}?watch=true&resourceVersion=1`));
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  await api.world.clock.advance(1);
  await response.body!.cancel();
  api.server.close();
  await api.world.clock.advance(0);
  assertEquals(api.world.clock.pendingTimers, 0);
});

Deno.test("Faults: a read that lags sees one state of the past, never a mixture", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { v: "1" } });
  api.server.faults.add({ resource: "configmaps", lagMs: 5000 });
  await api.world.clock.advance(10_000);
  await api.patch(`${CONFIG_MAPS}/a`, { data: { v: "2" } }, MERGE);
  await api.post(CONFIG_MAPS, { metadata: { name: "b" } });
  const seen = async () => {
    const { body } = await api.get(CONFIG_MAPS);
    const { status, body: one } = await api.get(`${CONFIG_MAPS}/a`);
    const { status: other } = await api.get(`${CONFIG_MAPS}/b`);
    return [body.items.length, status, one.kind, one.data.v, other];
  };
  await api.world.clock.advance(4999);
  assertEquals(await seen(), [1, 200, "ConfigMap", "1", 404]);
  await api.world.clock.advance(1);
  assertEquals(await seen(), [2, 200, "ConfigMap", "2", 200]);
});
