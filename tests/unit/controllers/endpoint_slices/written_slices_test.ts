import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import type { EndpointSlice } from "../../../../src/api/mod.ts";
import { SERVICE_NAME_LABEL, WrittenSlices } from "../../../../src/controllers/endpoint_slices/mod.ts";

function slice(uid: string, generation = 1, service = "web"): EndpointSlice {
  return {
    metadata: { namespace: "a", name: uid, uid, generation, labels: { [SERVICE_NAME_LABEL]: service } },
    addressType: "IPv4",
  };
}

Deno.test("WrittenSlices: a slice is news if it was not written here, or has a later generation than what was written", () => {
  const written = new WrittenSlices(new FakeClock());
  assertEquals([written.isNews(slice("x")), written.isKnown(slice("x"))], [true, false]);
  written.wrote(slice("x", 5));
  assertEquals([4, 5, 6].map((generation) => written.isNews(slice("x", generation))), [false, false, true]);
  assertEquals(written.isKnown(slice("x")), true);
  assertEquals(written.isNews(slice("x", 5, "other")), true, "of another Service");
});

Deno.test("WrittenSlices: a cache is stale for a Service while it shows a slice that was deleted, shows an older generation than was written, or lacks a slice that was written", () => {
  const written = new WrittenSlices(new FakeClock());
  assertEquals(written.isStale("a/web", []), false);
  written.wrote(slice("x", 5));
  const cases: readonly (readonly [EndpointSlice[], boolean])[] = [
    [[], true],
    [[slice("x", 4)], true],
    [[slice("x", 5)], false],
    [[slice("x", 6), slice("of somebody")], false],
  ];
  for (const [shown, stale] of cases) assertEquals(written.isStale("a/web", shown), stale);
  written.deleted(slice("x", 5));
  assertEquals([written.isStale("a/web", [slice("x", 5)]), written.isStale("a/web", [])], [true, false]);
  assertEquals(written.isStale("a/other", [slice("x", 5)]), false);
});

Deno.test("WrittenSlices: a deletion that is seen is forgotten; it was unexpected if the slice had been written and not deleted", () => {
  const written = new WrittenSlices(new FakeClock());
  assertEquals(written.sawDeletion(slice("x")), false, "never known");
  written.wrote(slice("x"));
  assertEquals(written.sawDeletion(slice("x")), true);
  assertEquals(written.isStale("a/web", []), false);
  written.wrote(slice("x"));
  written.deleted(slice("x"));
  assertEquals(written.sawDeletion(slice("x")), false);
  assertEquals(written.isKnown(slice("x")), false);
});

Deno.test("WrittenSlices: a Service that is forgotten leaves nothing behind", () => {
  const written = new WrittenSlices(new FakeClock());
  written.wrote(slice("x"));
  written.deleted(slice("y"));
  assertEquals(written.size, 1);
  written.forget("a/web");
  assertEquals([written.size, written.isStale("a/web", [])], [0, false]);
});

Deno.test("WrittenSlices: after five minutes a slice that no cache has shown is no longer waited for", async () => {
  const clock = new FakeClock();
  const written = new WrittenSlices(clock);
  written.wrote(slice("came and went"));
  await clock.advance(5 * 60_000 - 1);
  assertEquals(written.isStale("a/web", []), true);
  await clock.advance(1);
  assertEquals(written.isStale("a/web", []), false);
  assertEquals(written.isKnown(slice("came and went")), false);
});
