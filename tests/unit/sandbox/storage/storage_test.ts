import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import {
  CollectionHistory,
  type ListRange,
  MemoryBackend,
  Store,
  type StoredObject,
  type StoreEvent,
} from "../../../../src/sandbox/storage/mod.ts";
import { backendConformance } from "./backend_conformance.ts";

backendConformance("MemoryBackend", () => Promise.resolve({ backend: new MemoryBackend() }));

const object = (value = ""): StoredObject => ({ metadata: { name: "x" }, value });
const newStore = (historyLimit?: number) =>
  new Store({ backend: new MemoryBackend(), clock: new FakeClock(), historyLimit });

Deno.test("Store: every write takes the next revision and stamps it on the object as metadata.resourceVersion, in decimal", () => {
  const store = newStore();
  assertEquals(store.put("pods", "a", object()).metadata.resourceVersion, "2");
  assertEquals(store.put("nodes", "a", object()).metadata.resourceVersion, "3");
  assertEquals(store.remove("pods", "a")?.metadata.resourceVersion, "4");
  assertEquals(store.revision, 4);
});

Deno.test("Store: stored objects are frozen and never copied", () => {
  const store = newStore();
  const stored = store.put("pods", "a", { metadata: { labels: { a: "b" } } });
  assertThrows(() => stored.metadata.labels!.a = "c", TypeError);
  assertStrictEquals(store.get("pods", "a"), stored);
  assertStrictEquals([...store.list("pods")!][0].object, stored);
});

Deno.test("Store: listeners hear of every write to their collection, in the order of revisions, before the write returns", () => {
  const store = newStore();
  const seen: string[] = [];
  const stop = store.subscribe(
    "pods",
    ({ type, key, previous }) => seen.push(`${type} ${key} ${previous?.value ?? "-"}`),
  );
  store.put("pods", "a", object("1"));
  store.put("nodes", "a", object("1"));
  store.put("pods", "a", object("2"));
  store.remove("pods", "a");
  assertEquals(seen, ["ADDED a -", "MODIFIED a 1", "DELETED a 2"]);
  stop();
  store.put("pods", "b", object());
  assertEquals(seen.length, 3);
});

Deno.test("Store: list with at shows exactly what the collection held at that revision, or undefined when the history is too short", () => {
  const store = newStore();
  for (const key of ["b", "d", "f"]) store.put("pods", key, object("old"));
  const at = store.revision;
  store.put("pods", "a", object("new"));
  store.put("pods", "d", object("new"));
  store.put("pods", "d", object("newer"));
  store.remove("pods", "f");
  store.put("pods", "c", object("new"));
  store.remove("pods", "c");
  const then = [...store.list("pods", { at })!].map(({ key, object }) => `${key} ${object.value}`);
  assertEquals(then, ["b old", "d old", "f old"]);
  assertEquals([...store.list("pods")!].map(({ key }) => key), ["a", "b", "d"]);
  assertEquals([...store.list("pods", { at, from: "c", prefix: "f" })!].map(({ key }) => key), ["f"]);
});

Deno.test("Store counts what it lists, now and at an earlier revision", () => {
  const store = newStore();
  for (const key of ["a/1", "a/2", "b/1"]) store.put("pods", key, object());
  const at = store.revision;
  store.remove("pods", "a/1");
  store.put("pods", "a/3", object());
  store.put("pods", "a/4", object());
  const count = (range: ListRange) => [store.count("pods", range), [...store.list("pods", range)!].length];
  assertEquals([count({}), count({ at })], [[4, 4], [3, 3]]);
  assertEquals([count({ prefix: "a/" }), count({ prefix: "a/", at }), count({ from: "a/2", at })], [[3, 3], [2, 2], [
    2,
    2,
  ]]);
});

Deno.test("Store: list with at shows exactly what the collection held at that revision, or undefined when the history is too short", () => {
  const store = newStore(2);
  store.put("pods", "a", object());
  const at = store.revision;
  for (let i = 0; i < 3; i++) store.put("pods", "a", object(String(i)));
  assertEquals(store.list("pods", { at }), undefined);
  assertEquals(store.since("pods", at), undefined);
});

Deno.test("Store forgets its history when compacted, and keeps what comes after", () => {
  const store = newStore();
  store.put("pods", "a", object());
  const before = store.revision - 1;
  store.compact();
  store.put("pods", "b", object());
  assertEquals(store.since("pods", before), undefined);
  assertEquals(store.since("pods", store.revision - 1)?.length, 1);
  assertEquals(store.since("nodes", before), undefined);
});

Deno.test("Store over a backend that holds earlier writes has no history of them", () => {
  const backend = new MemoryBackend();
  backend.write("pods", "a", object(), 5);
  const store = new Store({ backend, clock: new FakeClock() });
  assertEquals([store.since("pods", 4), store.since("pods", 5)], [undefined, []]);
});

const event = (revision: number): StoreEvent => ({
  type: "ADDED",
  collection: "pods",
  key: String(revision),
  revision,
  object: object(),
});

const newHistory = (events: number, forMs = 0, mostEvents = events) =>
  new CollectionHistory({ limits: { events, forMs, mostEvents }, oldest: 0 });

Deno.test("CollectionHistory: since(n) returns every event after revision n, in order, or undefined if some of them are forgotten", () => {
  const history = newHistory(10);
  for (const revision of [2, 5, 9]) history.add(event(revision), 0);
  assertEquals(history.since(1)?.map(({ revision }) => revision), [2, 5, 9]);
  assertEquals(history.since(5)?.map(({ revision }) => revision), [9]);
  assertEquals(history.since(20), []);
});

Deno.test("CollectionHistory keeps at most its limit and says from where it answers", () => {
  const history = newHistory(3);
  for (let revision = 1; revision <= 20; revision++) history.add(event(revision), 0);
  assertEquals(history.oldest, 17);
  assertEquals(history.since(16), undefined);
  assertEquals(history.since(17)?.map(({ revision }) => revision), [18, 19, 20]);
});

Deno.test("CollectionHistory: the last events are kept, and also those of the last forMs, up to mostEvents; oldest is the smallest revision that since still answers", () => {
  const history = newHistory(3, 1000, 6);
  for (let revision = 1; revision <= 5; revision++) history.add(event(revision), revision * 100);
  assertEquals(history.oldest, 0);
  for (let revision = 6; revision <= 8; revision++) history.add(event(revision), 600);
  assertEquals(history.oldest, 2);
  history.add(event(9), 1450);
  assertEquals(history.oldest, 4);
  history.add(event(10), 60_000);
  assertEquals(history.oldest, 7);
});

Deno.test("CollectionHistory forgets what it is told to, and goes on", () => {
  const history = newHistory(10);
  for (let revision = 1; revision <= 4; revision++) history.add(event(revision), 0);
  history.forget(3);
  history.add(event(5), 0);
  assertEquals([history.since(2), history.since(3)?.map(({ revision }) => revision)], [undefined, [4, 5]]);
  history.forget(1);
  assertEquals(history.oldest, 3);
});

Deno.test("CollectionHistory of many thousands of events answers as a short one does", () => {
  const history = newHistory(2000);
  for (let revision = 1; revision <= 10_000; revision++) history.add(event(revision), 0);
  assertEquals([history.oldest, history.since(7999)], [8000, undefined]);
  assertEquals(history.since(9998)?.map(({ revision }) => revision), [9999, 10_000]);
  assertEquals(history.since(8000)?.length, 2000);
});

Deno.test("Store keeps writes of the last 75 seconds beyond the 10,000 it always keeps", async () => {
  const clock = new FakeClock();
  const store = new Store({ backend: new MemoryBackend(), clock });
  for (let i = 0; i < 10_002; i++) store.put("pods", "a", object(String(i)));
  assertEquals(store.since("pods", 1)?.length, 10_002);
  await clock.advance(75_000);
  store.put("pods", "a", object());
  assertEquals([store.since("pods", 3), store.since("pods", 4)?.length], [undefined, 10_000]);
});
