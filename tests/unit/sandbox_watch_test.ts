import { assert, assertEquals, assertRejects } from "@std/assert";
import { CONFIG_MAPS, Harness, type Loose, PARTIAL, pod, PODS } from "./sandbox_harness.ts";

const maps = (...names: string[]) => names.map((name) => ({ metadata: { name } }));
const names = (list: Loose) => list.items.map(({ metadata }: Loose) => metadata.name);

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

Deno.test("Watch list ends the initial events with a bookmark at the snapshot's revision", async () => {
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

Deno.test("Watch with a selector sees an object come and go with its labels", async () => {
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
  const one = await api.watch(`${CONFIG_MAPS}/a`, from);
  const scoped = await api.watch(CONFIG_MAPS, from);
  await api.post("/api/v1/namespaces/other/configmaps", maps("a")[0]);
  for (const map of maps("b", "a")) await api.post(CONFIG_MAPS, map);
  assertEquals(await one.texts(1), ["ADDED a"]);
  assertEquals(await scoped.texts(2), ["ADDED b", "ADDED a"]);
  await one.cancel();
  await scoped.cancel();
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

Deno.test("Watch ends when its request is aborted", async () => {
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

Deno.test("List waits for a revision that is about to come, and gives up after three seconds", async () => {
  using api = new Harness();
  const soon = api.get(`${CONFIG_MAPS}?resourceVersion=${api.server.revision + 1}`);
  await api.post(CONFIG_MAPS, maps("a")[0]);
  assertEquals(names((await soon).body), ["a"]);
  const asked = api.server.revision + 100;
  const never = api.get(`${CONFIG_MAPS}?resourceVersion=${asked}`);
  await api.world.clock.advance(3000);
  const { status, body } = await never;
  assertEquals([status, body.reason, body.details.causes[0].reason], [504, "Timeout", "ResourceVersionTooLarge"]);
  assertEquals(body.message, `Timeout: Too large resource version: ${asked}, current: ${api.server.revision}`);
  assertEquals(api.world.clock.pendingTimers, 0);
});

Deno.test("List shows a consistent snapshot over its pages while writes go on", async () => {
  using api = new Harness();
  for (const map of maps("a", "b", "c", "d", "e")) await api.post(CONFIG_MAPS, map);
  const first = (await api.get(`${CONFIG_MAPS}?limit=2`)).body;
  assertEquals([names(first), first.metadata.remainingItemCount], [["a", "b"], 3]);
  await api.delete(`${CONFIG_MAPS}/d`);
  await api.post(CONFIG_MAPS, maps("bb")[0]);
  await api.patch(`${CONFIG_MAPS}/c`, { data: { changed: "later" } });
  const second = (await api.get(`${CONFIG_MAPS}?limit=2&continue=${first.metadata.continue}`)).body;
  assertEquals([names(second), second.items[0].data], [["c", "d"], undefined]);
  assertEquals(second.metadata.resourceVersion, first.metadata.resourceVersion);
  const third = (await api.get(`${CONFIG_MAPS}?limit=2&continue=${second.metadata.continue}`)).body;
  assertEquals([names(third), third.metadata.continue], [["e"], undefined]);
  assertEquals(names((await api.get(CONFIG_MAPS)).body), ["a", "b", "bb", "c", "e"]);
});

Deno.test("List refuses a continue token that is too old, made up, or comes with a resourceVersion", async () => {
  using api = new Harness();
  for (const map of maps("a", "b")) await api.post(CONFIG_MAPS, map);
  const { continue: token, resourceVersion } = (await api.get(`${CONFIG_MAPS}?limit=1`)).body.metadata;
  assertEquals((await api.get(`${CONFIG_MAPS}?continue=${token}&resourceVersion=${resourceVersion}`)).status, 400);
  assertEquals((await api.get(`${CONFIG_MAPS}?continue=zzz`)).status, 400);
  await api.post(CONFIG_MAPS, maps("c")[0]);
  api.server.compact();
  const old = await api.get(`${CONFIG_MAPS}?limit=1&continue=${token}`);
  assertEquals([old.status, old.body.reason], [410, "Expired"]);
  assert(old.body.message.startsWith("The provided continue parameter is too old"));
});

Deno.test("List shows an exact revision, and refuses parameters that contradict", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, maps("a")[0]);
  const then = api.server.revision;
  await api.post(CONFIG_MAPS, maps("b")[0]);
  const exact = await api.get(`${CONFIG_MAPS}?resourceVersion=${then}&resourceVersionMatch=Exact`);
  assertEquals([names(exact.body), exact.body.metadata.resourceVersion], [["a"], String(then)]);
  const newer = await api.get(`${CONFIG_MAPS}?resourceVersion=${then}&resourceVersionMatch=NotOlderThan`);
  assertEquals(names(newer.body), ["a", "b"]);
  const status = async (query: string) => (await api.get(`${CONFIG_MAPS}?${query}`)).status;
  assertEquals(await status("resourceVersionMatch=Exact"), 422);
  assertEquals(await status("resourceVersion=0&resourceVersionMatch=Exact"), 422);
  assertEquals(await status("resourceVersion=1&resourceVersionMatch=Sometimes"), 422);
  assertEquals(await status("sendInitialEvents=true"), 422);
  assertEquals(await status("resourceVersion=abc"), 400);
});

Deno.test("List carries its revision when empty, and kinds of built-in items only once", async () => {
  using api = new Harness();
  const empty = (await api.get(CONFIG_MAPS)).body;
  assertEquals(empty, {
    kind: "ConfigMapList",
    apiVersion: "v1",
    metadata: { resourceVersion: String(api.server.revision) },
    items: [],
  });
  await api.post(CONFIG_MAPS, maps("a")[0]);
  assertEquals((await api.get(CONFIG_MAPS)).body.items[0].kind, undefined);
});

Deno.test("List of thousands of objects is complete", async () => {
  using api = new Harness();
  const data = { text: "x".repeat(500) };
  for (let i = 0; i < 1000; i++) await api.post(CONFIG_MAPS, { metadata: { name: `m${i}` }, data });
  assertEquals((await api.get(CONFIG_MAPS)).body.items.length, 1000);
});

Deno.test("Field selectors select by the fields of the kind, and refuse others", async () => {
  using api = new Harness();
  await api.account("default");
  for (const name of ["p", "q"]) await api.post(PODS, pod(name));
  await api.post(`${PODS}/q/binding`, { metadata: { name: "q" }, target: { name: "n1" } });
  const list = async (selector: string) =>
    names((await api.get(`${PODS}?fieldSelector=${encodeURIComponent(selector)}`)).body);
  assertEquals(await list("spec.nodeName=n1"), ["q"]);
  assertEquals(await list("spec.nodeName=,status.phase!=Failed"), ["p"]);
  assertEquals(await list("metadata.name=p,metadata.namespace=default"), ["p"]);
  const pods = await api.get(`${PODS}?fieldSelector=spec.foo%3D1`);
  assertEquals([pods.status, pods.body.message], [400, "field label not supported: spec.foo"]);
  const config = await api.get(`${CONFIG_MAPS}?fieldSelector=data%3D1`);
  assertEquals(config.body.message, '"data" is not a known field selector: only "metadata.name", "metadata.namespace"');
  assertEquals((await api.get(`${PODS}?labelSelector=a%20in`)).status, 400);
});
