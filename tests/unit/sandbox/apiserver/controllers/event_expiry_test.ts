import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../../src/base/mod.ts";
import { MemoryBackend, Store, type StoredObject } from "../../../../../src/sandbox/storage/mod.ts";
import { expireEvents } from "../../../../../src/sandbox/apiserver/controllers/event_expiry.ts";

const HOUR_MS = 3_600_000;
const event = (): StoredObject => ({ metadata: { name: "x" } });

function fixture() {
  const world = new FakeWorld();
  const store = new Store({ backend: new MemoryBackend(), clock: world.clock });
  return { world, store, keys: () => [...store.list("events") ?? []].map(({ key }) => key) };
}

Deno.test("expireEvents removes an event an hour after its last write, for watches to see", async () => {
  const { world, store, keys } = fixture();
  const stop = expireEvents({ world, store }, HOUR_MS);
  store.put("events", "a", event());
  store.put("events", "b", event());
  await world.clock.advance(HOUR_MS / 2);
  store.put("events", "b", event());
  await world.clock.advance(HOUR_MS / 2);
  assertEquals(keys(), ["b"]);
  assertEquals(store.since("events", 4)?.map(({ type, key }) => `${type} ${key}`), ["DELETED a"]);
  await world.clock.advance(HOUR_MS / 2);
  assertEquals(keys(), []);
  stop();
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("expireEvents removes events of before it was started, and leaves alone what was removed", async () => {
  const { world, store, keys } = fixture();
  store.put("events", "old", event());
  const stop = expireEvents({ world, store }, HOUR_MS);
  store.put("events", "gone", event());
  store.remove("events", "gone");
  const { revision } = store;
  await world.clock.advance(HOUR_MS);
  assertEquals([keys(), store.revision], [[], revision + 1]);
  stop();
  store.put("events", "later", event());
  await world.clock.advance(2 * HOUR_MS);
  assertEquals(keys(), ["later"]);
});

Deno.test("expireEvents removes thousands of events that came at once", async () => {
  const { world, store, keys } = fixture();
  const stop = expireEvents({ world, store }, HOUR_MS);
  for (let i = 0; i < 3000; i++) store.put("events", `e${i}`, event());
  await world.clock.advance(HOUR_MS);
  assertEquals(keys(), []);
  stop();
});
