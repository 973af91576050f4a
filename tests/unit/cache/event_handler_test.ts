import { assertEquals } from "@std/assert";
import { DeletedFinalStateUnknown, filteringHandler, finalStateOf } from "../../../src/cache/mod.ts";
import type { Pod } from "../../../src/api/mod.ts";
import { Journal, pod } from "./fixtures.ts";

const yes = (resourceVersion: number) => pod("a", resourceVersion, { labels: { match: "yes" } });
const no = (resourceVersion: number) => pod("a", resourceVersion);

function filtered() {
  const journal = new Journal();
  const handler = filteringHandler<Pod>({
    filter: (object) => finalStateOf(object)?.metadata?.labels?.match === "yes",
    handler: journal,
  });
  return { journal, handler };
}

Deno.test("filteringHandler: an object that begins to pass is added, one that ceases to is deleted with its old state", () => {
  const cases = [
    { before: yes(1), after: yes(2), expected: ["update a@1>2"] },
    { before: no(1), after: yes(2), expected: ["add a@2"] },
    { before: yes(1), after: no(2), expected: ["delete a@1"] },
    { before: no(1), after: no(2), expected: [] },
  ];
  for (const { before, after, expected } of cases) {
    const { journal, handler } = filtered();
    handler.onUpdate!(before, after);
    assertEquals(journal.take(), expected);
  }
});

Deno.test("filteringHandler passes on adds and deletes of objects that pass, and tombstones", () => {
  const { journal, handler } = filtered();
  handler.onAdd!(yes(1), true);
  handler.onAdd!(no(1), true);
  handler.onDelete!(yes(2));
  handler.onDelete!(no(2));
  handler.onDelete!(new DeletedFinalStateUnknown("ns/a", yes(3)));
  handler.onDelete!(new DeletedFinalStateUnknown<Pod>("ns/a", undefined));
  assertEquals(journal.take(), ["add a@1*", "delete a@2", "tombstone a@3"]);
});
