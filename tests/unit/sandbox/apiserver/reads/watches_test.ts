import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../../src/base/mod.ts";
import { MemoryBackend, Store, type StoredObject } from "../../../../../src/sandbox/storage/mod.ts";
import type { WatchForm } from "../../../../../src/sandbox/apiserver/reads/event_writer.ts";
import { ResourceTable } from "../../../../../src/sandbox/apiserver/resources/resource_table.ts";
import { Watches } from "../../../../../src/sandbox/apiserver/reads/watches.ts";

class Fixture {
  readonly world = new FakeWorld();
  readonly store = new Store({ backend: new MemoryBackend(), clock: this.world.clock });
  readonly watches = new Watches();
  readonly served = new ResourceTable(new Set()).find("", "v1", "configmaps")!;

  open(form: WatchForm) {
    const { store, world, served } = this;
    return this.watches.open({
      store,
      served,
      clock: world.clock,
      random: () => 0,
      selection: { matches: () => true, isEverything: true },
      prefix: "",
      initial: [],
      missed: [],
      after: 0,
      bookmarks: false,
      marksInitialEnd: false,
      bufferEvents: 10,
    }, form);
  }

  put(name: string): void {
    this.store.put("configmaps", `default/${name}`, { metadata: { name } });
  }
}

/** A form that counts what it writes. */
function countingForm(name: string) {
  const rendered: string[] = [];
  const render = ({ metadata }: StoredObject) => {
    rendered.push(metadata.name ?? "");
    return `"${name} ${metadata.name}"`;
  };
  return { rendered, form: { name, render, renderBookmark: render } };
}

Deno.test("Watches: a write is encoded once for all watches that show it in the same form", async () => {
  const fixture = new Fixture();
  const [whole, partial] = [countingForm("whole"), countingForm("partial")];
  const readers = [whole, whole, partial, whole].map(({ form }) => fixture.open(form).stream.getReader());
  fixture.put("a");
  fixture.put("b");
  assertEquals([whole.rendered, partial.rendered], [["a", "b"], ["a", "b"]]);
  const texts = await Promise.all(readers.map(async (reader) => new TextDecoder().decode((await reader.read()).value)));
  const lines = (form: string) => ["a", "b"].map((name) => `{"type":"ADDED","object":"${form} ${name}"}\n`).join("");
  assertEquals(texts, [lines("whole"), lines("whole"), lines("partial"), lines("whole")]);
  for (const reader of readers) await reader.cancel();
});

Deno.test("Watches let go of a form with the last watch that shows it", async () => {
  const fixture = new Fixture();
  const [before, after] = [countingForm("whole"), countingForm("whole")];
  const streams = [fixture.open(before.form).stream, fixture.open(before.form).stream];
  for (const stream of streams) await stream.cancel();
  const { stream } = fixture.open(after.form);
  fixture.put("a");
  assertEquals([before.rendered, after.rendered], [[], ["a"]]);
  await stream.cancel();
  assertEquals([fixture.watches.size, fixture.world.clock.pendingTimers], [0, 0]);
});

Deno.test("Watches: closeAll ends every watch that matches", async () => {
  const fixture = new Fixture();
  const readers = [1, 2, 3].map(() => fixture.open(countingForm("whole").form).stream.getReader());
  fixture.watches.closeAll({ resource: "secrets" });
  assertEquals(fixture.watches.size, 3);
  fixture.watches.closeAll({ resource: "configmaps" });
  assertEquals(fixture.watches.size, 0);
  assertEquals((await Promise.all(readers.map((reader) => reader.read()))).map(({ done }) => done), [true, true, true]);
});
