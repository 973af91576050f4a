import { assert, assertEquals, assertRejects } from "@std/assert";
import { CONFIG_MAPS, Harness, PARTIAL, pod, PODS } from "../harness.ts";

const maps = (...names: string[]) => names.map((name) => ({ metadata: { name } }));

Deno.test("Watch shows what is there first, then what happens", async () => {
  using api = new Harness();
  for (const map of maps("b", "a")) await api.post(CONFIG_MAPS, map);
  const watch = await api.watch(CONFIG_MAPS);
  assertEquals(await watch.texts(2), ["ADDED a", "ADDED b"]);
  await api.patch(`${CONFIG_MAPS}/a`, { data: { x: "1" } });
  await api.delete(`${CONFIG_MAPS}/b`);
  assertEquals(await watch.texts(2), ["MODIFIED a", "DELETED b"]);
  await watch.cancel();
  assertEquals(api.server.openWatches, 0);
});

Deno.test("Watch from a revision shows every event after it, and nothing else", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, maps("a")[0]);
  const from = api.server.revision;
  await api.post(CONFIG_MAPS, maps("b")[0]);
  await api.post("/api/v1/namespaces/default/secrets", maps("s")[0]);
  await api.delete(`${CONFIG_MAPS}/a`);
  const watch = await api.watch(CONFIG_MAPS, `&resourceVersion=${from}`);
  assertEquals(await watch.texts(2), ["ADDED b", "DELETED a"]);
  await watch.cancel();
});

Deno.test("Watch from an expired revision is answered with 200 and one ERROR event", async () => {
  using api = new Harness();
  for (const map of maps("a", "b")) await api.post(CONFIG_MAPS, map);
  const from = api.server.revision - 1;
  api.server.compact();
  const watch = await api.watch(CONFIG_MAPS, `&resourceVersion=${from}`);
  assertEquals(watch.status, 200);
  const { type, object } = await watch.next();
  assertEquals([type, object.code, object.reason], ["ERROR", 410, "Expired"]);
  assertEquals(object.message, `too old resource version: ${from} (${from + 1})`);
  assertEquals(await watch.next(), undefined);
});

Deno.test("Watch: initial objects come first, then the bookmark that ends them, then every matching write in order", async () => {
  using api = new Harness();
  for (const map of maps("a", "b")) await api.post(CONFIG_MAPS, map);
  const revision = api.server.revision;
  const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watch = await api.watch(CONFIG_MAPS, query);
  assertEquals(await watch.texts(2), ["ADDED a", "ADDED b"]);
  assertEquals(await watch.next(), {
    type: "BOOKMARK",
    object: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { resourceVersion: String(revision), annotations: { "k8s.io/initial-events-end": "true" } },
    },
  });
  await api.post(CONFIG_MAPS, maps("c")[0]);
  assertEquals(await watch.texts(1), ["ADDED c"]);
  await watch.cancel();
});

Deno.test("Watch list parameters only come together", async () => {
  using api = new Harness();
  const status = async (query: string) => (await api.get(`${CONFIG_MAPS}?watch=true${query}`)).status;
  assertEquals(await status("&sendInitialEvents=true"), 422);
  assertEquals(await status("&resourceVersionMatch=NotOlderThan"), 422);
  assertEquals(await status("&sendInitialEvents=true&resourceVersionMatch=Exact"), 422);
});

Deno.test("Watch: a write that makes an object match is ADDED, one that makes it stop matching is DELETED with its previous content", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a", labels: { on: "no" } }, data: { n: "1" } });
  const watch = await api.watch(`${CONFIG_MAPS}?labelSelector=on%3Dyes`, `&resourceVersion=${api.server.revision}`);
  await api.patch(`${CONFIG_MAPS}/a`, { metadata: { labels: { on: "yes" } }, data: { n: "2" } });
  await api.patch(`${CONFIG_MAPS}/a`, { data: { n: "3" } });
  await api.patch(`${CONFIG_MAPS}/a`, { metadata: { labels: { on: "no" } }, data: { n: "4" } });
  const events = [await watch.next(), await watch.next(), await watch.next()];
  assertEquals(events.map(({ type, object }) => `${type} ${object.data.n}`), ["ADDED 2", "MODIFIED 3", "DELETED 3"]);
  assertEquals(events[2].object.metadata.resourceVersion, String(api.server.revision));
  assertEquals(events[2].object.metadata.labels, { on: "yes" });
  await watch.cancel();
});

Deno.test("Watch of one name and of one namespace sees no other object", async () => {
  using api = new Harness();
  await api.namespace("other");
  const from = `&resourceVersion=${api.server.revision}`;
  const watches = [
    await api.watch(CONFIG_MAPS, `${from}&fieldSelector=metadata.name%3Da`),
    await api.watch("/api/v1/watch/namespaces/default/configmaps/a", from),
    await api.watch(CONFIG_MAPS, from),
  ];
  await api.post("/api/v1/namespaces/other/configmaps", maps("a")[0]);
  for (const map of maps("ab", "a")) await api.post(CONFIG_MAPS, map);
  const seen = await Promise.all(watches.map((watch, i) => watch.texts(i === 2 ? 2 : 1)));
  assertEquals(seen, [["ADDED a"], ["ADDED a"], ["ADDED ab", "ADDED a"]]);
  const initial = await api.watch(CONFIG_MAPS, "&fieldSelector=metadata.name%3Da&timeoutSeconds=1");
  assertEquals(await initial.texts(1), ["ADDED a"]);
  await api.world.clock.advance(1000);
  assertEquals(await initial.next(), undefined);
  for (const watch of watches) await watch.cancel();
});

Deno.test("Watch is asked for of collections: one object is read", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, maps("a")[0]);
  assertEquals((await api.get(`${CONFIG_MAPS}/a?watch=true`)).body.metadata.name, "a");
});

Deno.test("Watch of metadata shows objects without their spec, bookmarks too", async () => {
  using api = new Harness();
  await api.account("default");
  const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  await api.post(PODS, pod("p"));
  const watch = await api.watch(PODS, query, { accept: PARTIAL });
  const { object } = await watch.next();
  assertEquals([object.kind, object.apiVersion, object.metadata.name], [
    "PartialObjectMetadata",
    "meta.k8s.io/v1",
    "p",
  ]);
  assertEquals(Object.keys(object), ["kind", "apiVersion", "metadata"]);
  assertEquals((await watch.next()).object.kind, "PartialObjectMetadata");
  await watch.cancel();
});

Deno.test("Watch sends a bookmark a minute and two seconds before its deadline, then ends", async () => {
  using api = new Harness();
  const watch = await api.watch(CONFIG_MAPS, "&allowWatchBookmarks=true&timeoutSeconds=90&resourceVersion=1");
  await api.post("/api/v1/namespaces/default/secrets", maps("s")[0]);
  await api.world.clock.advance(60_000);
  const { type, object } = await watch.next();
  assertEquals([type, object.metadata.resourceVersion], ["BOOKMARK", String(api.server.revision)]);
  await api.world.clock.advance(28_000);
  assertEquals((await watch.next()).type, "BOOKMARK");
  await api.world.clock.advance(2000);
  assertEquals(await watch.next(), undefined);
  assertEquals(api.world.clock.pendingTimers, 0);
});

Deno.test("Watch without bookmarks gets none and ends within an hour", async () => {
  using api = new Harness();
  const watch = await api.watch(CONFIG_MAPS, "&resourceVersion=1");
  await api.world.clock.advance(29 * 60_000);
  assertEquals(api.server.openWatches, 1);
  await api.world.clock.advance(31 * 60_000);
  assertEquals(await watch.next(), undefined);
});

Deno.test("Watch whose reader lags too far behind is ended, and writers never wait", async () => {
  using api = new Harness({ watchBufferEvents: 5 });
  const watch = await api.watch(CONFIG_MAPS, "&resourceVersion=1");
  const writes = [0, 1, 2, 3, 4, 5].map((i) => api.post(CONFIG_MAPS, { metadata: { name: `m${i}` } }));
  assertEquals((await Promise.all(writes)).map(({ status }) => status), [201, 201, 201, 201, 201, 201]);
  assertEquals(api.server.openWatches, 0);
  assertEquals(await watch.next(), undefined);
});

Deno.test("Watch: when the stream ends, for whatever reason, no timer and no subscription of it is left: its request is aborted", async () => {
  using api = new Harness();
  const abort = new AbortController();
  const request = new Request(`http://server${CONFIG_MAPS}?watch=true&resourceVersion=1`, { signal: abort.signal });
  const response = await api.server.fetch(request);
  const reading = response.body!.getReader().read();
  abort.abort(new Error("enough"));
  await assertRejects(() => reading, Error, "enough");
  assertEquals([api.server.openWatches, api.world.clock.pendingTimers], [0, 0]);
});

Deno.test("ApiServer closes watches on demand: ended, broken or expired", async () => {
  using api = new Harness();
  const open = () => api.watch(CONFIG_MAPS, "&resourceVersion=1");
  const [ended, other] = [await open(), await api.watch(PODS, "&resourceVersion=1")];
  api.server.closeWatches({ resource: "configmaps" });
  assertEquals(await ended.next(), undefined);
  assertEquals(api.server.openWatches, 1);
  const broken = await open();
  api.server.closeWatches({ resource: "configmaps" }, "break");
  await assertRejects(() => broken.next(), TypeError);
  const expired = await open();
  api.server.closeWatches({}, "expire");
  assertEquals((await expired.next()).object.code, 410);
  assertEquals((await other.next()).type, "ERROR");
});

Deno.test("Watches of one write get bytes of their own", async () => {
  using api = new Harness();
  const open = async () =>
    (await api.server.fetch(api.request("GET", `${CONFIG_MAPS}?watch=1&resourceVersion=1`))).body!.getReader();
  const readers = [await open(), await open()];
  const reads = readers.map((reader) => reader.read());
  await api.post(CONFIG_MAPS, maps("a")[0]);
  const [first, second] = await Promise.all(reads);
  // One of them may be moved to another thread, which must not take the other's bytes along.
  structuredClone(first.value!.buffer, { transfer: [first.value!.buffer] });
  assert(second.value!.byteLength > 0);
  for (const reader of readers) await reader.cancel();
});

Deno.test("Watch from the present state says where that ends to those who want bookmarks", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, maps("a")[0]);
  for (const query of ["", "&resourceVersion=0"]) {
    const watch = await api.watch(CONFIG_MAPS, `&allowWatchBookmarks=true${query}`);
    assertEquals(await watch.texts(2), ["ADDED a", "BOOKMARK"]);
    await watch.cancel();
  }
  const now = await api.watch(CONFIG_MAPS, "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
  await api.post(CONFIG_MAPS, maps("b")[0]);
  assertEquals(await now.texts(1), ["ADDED b"]);
  await now.cancel();
});

Deno.test("Watch bookmarks have what their type always has", async () => {
  using api = new Harness();
  const watch = await api.watch(PODS, "&allowWatchBookmarks=true");
  const { object } = await watch.next();
  assertEquals([object.spec, object.status], [{ containers: null }, {}]);
  await watch.cancel();
});

Deno.test("Watch from a revision to come shows nothing up to it", async () => {
  using api = new Harness();
  const from = api.server.revision + 2;
  const watch = await api.watch(CONFIG_MAPS, `&allowWatchBookmarks=true&resourceVersion=${from}`);
  await api.world.clock.advance(60_000);
  for (const map of maps("a", "b", "c")) await api.post(CONFIG_MAPS, map);
  assertEquals(await watch.texts(1), ["ADDED c"]);
  await watch.cancel();
});

Deno.test("Watch list from a revision that does not come gets an ERROR event", async () => {
  using api = new Harness();
  const query = `&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${api.server.revision + 9}`;
  const opening = api.watch(CONFIG_MAPS, query);
  await api.world.clock.advance(3000);
  const watch = await opening;
  const { type, object } = await watch.next();
  assertEquals([watch.status, type, object.code, object.reason], [200, "ERROR", 504, "Timeout"]);
  assertEquals(await watch.next(), undefined);
});

Deno.test("Watch: at its deadline a watch ends, even amid its initial objects", async () => {
  using api = new Harness();
  const data = { text: "x".repeat(50_000) };
  for (const map of maps("a", "b", "c", "d")) await api.post(CONFIG_MAPS, { ...map, data });
  const watch = await api.watch(CONFIG_MAPS, "&allowWatchBookmarks=true&timeoutSeconds=5");
  assertEquals(await watch.texts(2), ["ADDED a", "ADDED b"]);
  await api.post(CONFIG_MAPS, maps("e")[0]);
  await api.world.clock.advance(5000);
  assertEquals(await watch.next(), undefined);
  assertEquals([api.server.openWatches, api.world.clock.pendingTimers], [0, 0]);
});

Deno.test("Watch that has shown everything sends what is pending at its deadline", async () => {
  using api = new Harness();
  const watch = await api.watch(CONFIG_MAPS, `&timeoutSeconds=5&resourceVersion=${api.server.revision}`);
  const first = watch.texts(1);
  for (const map of maps("a", "b")) await api.post(CONFIG_MAPS, map);
  await api.world.clock.advance(5000);
  assertEquals([await first, await watch.texts(1)], [["ADDED a"], ["ADDED b"]]);
  assertEquals(await watch.next(), undefined);
});

Deno.test("Watch whose time is over before it begins says so", async () => {
  using api = new Harness();
  const watch = await api.watch(CONFIG_MAPS, "&timeoutSeconds=-1");
  const { type, object } = await watch.next();
  assertEquals([type, object.code, object.message], ["ERROR", 500, "context deadline exceeded"]);
});

Deno.test("Watch of tables has the columns in its first event alone, whatever comes first", async () => {
  using api = new Harness();
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  await api.post(CONFIG_MAPS, maps("a")[0]);
  const from = api.server.revision;
  const watches = [
    await api.watch(CONFIG_MAPS, "&allowWatchBookmarks=true", { accept }),
    await api.watch(CONFIG_MAPS, `&resourceVersion=${from}`, { accept }),
    await api.watch("/api/v1/secrets", "&allowWatchBookmarks=true", { accept }),
  ];
  await api.post(CONFIG_MAPS, maps("b")[0]);
  await api.post("/api/v1/namespaces/default/secrets", maps("c")[0]);
  const columns = [];
  for (const [i, watch] of watches.entries()) {
    const events = [await watch.next(), await (i === 1 ? undefined : watch.next())].filter((event) => event);
    columns.push(events.map(({ type, object }) => `${type} ${object.columnDefinitions ? "with" : "without"}`));
    await watch.cancel();
  }
  assertEquals(columns, [["ADDED with", "BOOKMARK without"], ["ADDED with"], ["BOOKMARK with", "ADDED without"]]);
});
