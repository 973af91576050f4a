import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { waitForCacheSync, waitForNamedCacheSync } from "../../../src/cache/mod.ts";
import { rig } from "./fixtures.ts";

const never = { whenSynced: new Promise<void>(() => {}) };
const synced = { whenSynced: Promise.resolve() };

Deno.test("waitForCacheSync is false when it is stopped while something has not synced", async () => {
  const world = new FakeWorld();
  const abort = new AbortController();
  world.clock.setTimer(1000, () => abort.abort());
  let result: boolean | undefined;
  void waitForCacheSync(abort.signal, synced, never).then((value) => result = value);
  await world.clock.advance(999);
  assertEquals(result, undefined);
  await world.clock.advance(1);
  assertEquals(result, false);
});

Deno.test("waitForCacheSync waits for informers and registrations alike", async () => {
  await using it = rig();
  const registration = it.informer.addEventHandler({});
  it.start();
  const waiting = waitForCacheSync(new AbortController().signal, it.informer, registration, synced);
  await it.source.list([], 1);
  assertEquals(await waiting, true);
});

Deno.test("waitForCacheSync is true at once when there is nothing to wait for", async () => {
  assertEquals(await waitForCacheSync(new AbortController().signal), true);
});

Deno.test("waitForNamedCacheSync logs that it waits and how it ended", async () => {
  const { log } = new FakeWorld();
  const signal = new AbortController().signal;
  assertEquals(await waitForNamedCacheSync({ log, name: "deployment", signal }, synced), true);
  assertEquals(await waitForNamedCacheSync({ log, name: "deployment", signal: AbortSignal.abort() }, never), false);
  assertEquals(log.lines.map((line) => `${line.severity} ${line.message}`), [
    "info Waiting for caches to sync",
    "info Caches are synced",
    "info Waiting for caches to sync",
    "error Unable to sync caches",
  ]);
  assertEquals(log.lines[0].fields, { controller: "deployment" });
});
