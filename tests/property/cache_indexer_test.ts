import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { KubeObject } from "../../src/api/mod.ts";
import { DeletedFinalStateUnknown, Indexer } from "../../src/cache/mod.ts";
import { contentOf, pod } from "../unit/cache/fixtures.ts";

const INDEXES = {
  tag: (object: KubeObject) => Object.keys(object.metadata?.labels ?? {}),
  one: (object: KubeObject) => object.metadata?.annotations?.one ? [object.metadata.annotations.one] : [],
};

const names = fc.constantFrom("a", "b", "c", "d", "e");
const values = fc.constantFrom("x", "y", "z");
const objects = fc.record({
  name: names,
  tags: fc.uniqueArray(values),
  one: fc.option(values, { nil: "" }),
  resourceVersion: fc.integer({ min: 1, max: 999 }),
}).map(({ name, tags, one, resourceVersion }) =>
  pod(name, resourceVersion, { labels: Object.fromEntries(tags.map((tag) => [tag, ""])), annotations: { one } })
);
const steps = fc.array(
  fc.oneof(
    fc.record({ put: objects }),
    fc.record({ remove: objects }),
    fc.record({ forget: names }),
    fc.record({ replace: fc.array(objects, { maxLength: 6 }) }),
    fc.record({ stage: fc.array(objects, { maxLength: 6 }) }),
    fc.constant("add indexes" as const),
  ),
  { maxLength: 60 },
);

type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

function apply(store: Indexer<KubeObject>, model: Map<string, KubeObject>, step: Step): void {
  if (step === "add indexes") {
    if (!store.hasIndexer("tag")) store.addIndexers(INDEXES);
  } else if ("put" in step) {
    assertEquals(store.add(step.put), model.get(key(step.put)));
    model.set(key(step.put), step.put);
  } else if ("remove" in step) {
    assertEquals(store.delete(step.remove), model.get(key(step.remove)));
    model.delete(key(step.remove));
  } else if ("forget" in step) {
    store.delete(new DeletedFinalStateUnknown<KubeObject>(`ns/${step.forget}`, undefined));
    model.delete(`ns/${step.forget}`);
  } else {
    const list = "replace" in step ? step.replace : step.stage;
    if ("replace" in step) store.replace(list, "1000");
    else {
      const staged = store.stage();
      if (!store.hasIndexer("tag")) store.addIndexers(INDEXES); // while something is staged
      for (const object of list) staged.put(key(object), object);
      store.swap(staged, "1000");
    }
    model.clear();
    for (const object of list) model.set(key(object), object);
  }
}

const key = (object: KubeObject) => `ns/${object.metadata!.name}`;

Deno.test("Indexer: every index holds exactly the keys of the stored objects that have a value, and no value without keys", () => {
  fc.assert(fc.property(steps, (history) => {
    const store = new Indexer<KubeObject>();
    const model = new Map<string, KubeObject>();
    for (const step of history) {
      apply(store, model, step);
      assertEquals(contentOf(store.list()), contentOf([...model.values()]));
      assertEquals(store.keys().sort(), [...model.keys()].sort());
      for (const [name, valuesOf] of Object.entries(INDEXES)) {
        if (!store.hasIndexer(name)) continue;
        const expected = new Map<string, string[]>();
        for (const object of model.values()) {
          for (const value of valuesOf(object)) expected.set(value, [...expected.get(value) ?? [], key(object)].sort());
        }
        assertEquals(store.indexValues(name).sort(), [...expected.keys()].sort());
        for (const [value, keys] of expected) {
          assertEquals(store.indexKeys(name, value), keys);
          assertEquals(contentOf(store.byIndex(name, value)), contentOf(keys.map((k) => model.get(k)!)));
        }
      }
    }
  }));
});
