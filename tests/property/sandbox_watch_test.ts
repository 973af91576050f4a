import fc from "../fast_check.ts";
import { assert, assertEquals } from "@std/assert";
import { CONFIG_MAPS, Harness, type Loose, type WatchReader } from "../unit/sandbox/apiserver/harness.ts";

type Write =
  | { readonly kind: "put"; readonly name: string; readonly on: boolean; readonly value: number }
  | { readonly kind: "delete"; readonly name: string }
  | { readonly kind: "elsewhere" };

const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("put" as const), name, on: fc.boolean(), value: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("elsewhere" as const) }) },
);

async function perform(api: Harness, write: Write): Promise<void> {
  if (write.kind === "elsewhere") {
    return void await api.post("/api/v1/namespaces", { metadata: { generateName: "n-" } });
  }
  if (write.kind === "delete") return void await api.delete(`${CONFIG_MAPS}/${write.name}`);
  const object = {
    metadata: { name: write.name, labels: { on: String(write.on) } },
    data: { value: String(write.value) },
  };
  const created = await api.post(CONFIG_MAPS, object);
  if (created.status === 409) await api.put(`${CONFIG_MAPS}/${write.name}`, object);
}

/** Name to resourceVersion: what a client knows of a collection. */
type State = Map<string, string>;

const stateOf = (items: Loose[]): State =>
  new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));

/** Applies a watch's events up to a bookmark, checking that they make sense one after the other. */
async function follow(watch: WatchReader, state: State): Promise<State> {
  let last = 0;
  for (;;) {
    const event = await watch.next();
    const { name, resourceVersion } = event.object.metadata;
    assert(Number(resourceVersion) >= last, "revisions never go back");
    last = Number(resourceVersion);
    if (event.type === "BOOKMARK") return state;
    assertEquals(event.type === "ADDED", !state.has(name), "only what is new is ADDED");
    if (event.type === "DELETED") state.delete(name);
    else state.set(name, resourceVersion);
  }
}

const sorted = (state: State) => [...state].sort(([a], [b]) => a < b ? -1 : 1);

Deno.test("List and watch from any revision reconstruct the present state", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 25 }),
      fc.array(write, { maxLength: 25 }),
      fc.constantFrom("", "labelSelector=on%3Dtrue&"),
      async (before, after, selector) => {
        using api = new Harness();
        for (const write of before) await perform(api, write);
        const list = (await api.get(`${CONFIG_MAPS}?${selector}`)).body;
        const split = Math.floor(after.length / 2);
        for (const write of after.slice(0, split)) await perform(api, write);
        const from = `&allowWatchBookmarks=true&resourceVersion=${list.metadata.resourceVersion}`;
        const watch = await api.watch(`${CONFIG_MAPS}?${selector}`, from);
        for (const write of after.slice(split)) await perform(api, write);
        await api.world.clock.advance(60_000);
        const state = await follow(watch, stateOf(list.items));
        const present = (await api.get(`${CONFIG_MAPS}?${selector}`)).body;
        assertEquals(sorted(state), sorted(stateOf(present.items)));
        await watch.cancel();
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("Paging is consistent under writes: pages together are the list at the first page's revision", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 30 }),
      fc.array(write, { minLength: 5, maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      async (before, during, limit) => {
        using api = new Harness();
        for (const write of before) await perform(api, write);
        const whole = (await api.get(CONFIG_MAPS)).body;
        const pending = [...during];
        const items: Loose[] = [];
        let token = "";
        do {
          const page = (await api.get(`${CONFIG_MAPS}?limit=${limit}${token && `&continue=${token}`}`)).body;
          assertEquals(page.metadata.resourceVersion, whole.metadata.resourceVersion);
          assert(page.items.length <= limit);
          items.push(...page.items);
          token = page.metadata.continue ?? "";
          for (const write of pending.splice(0, 3)) await perform(api, write);
        } while (token !== "");
        assertEquals(items, whole.items);
      },
    ),
    { numRuns: 60 },
  );
});
