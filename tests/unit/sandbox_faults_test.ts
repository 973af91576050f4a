import { assertEquals, assertRejects } from "@std/assert";
import { CONFIG_MAPS, Harness, MERGE, PODS } from "./sandbox_harness.ts";

Deno.test("Faults meet the requests that match, as often as they say", async () => {
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

Deno.test("Faults lose the connection before or after the request is served", async () => {
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
