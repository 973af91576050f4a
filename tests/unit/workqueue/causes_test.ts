import { assertEquals } from "@std/assert";
import { Causes, MAX_CAUSES, type Reason } from "../../../src/workqueue/mod.ts";

class Counted implements Reason {
  static worded = 0;

  constructor(readonly text: string) {}

  toString(): string {
    Counted.worded++;
    return this.text;
  }

  isSameAs(other: Reason): boolean {
    return other instanceof Counted && other.text === this.text;
  }
}

Deno.test("Causes: the causes are distinct and in the order in which they came", () => {
  const causes = new Causes();
  for (const cause of ["b", new Counted("a"), "b", new Counted("a"), "a", new Counted("b"), "c"]) causes.add(cause);
  assertEquals([causes.texts, causes.size, causes.dropped], [["b", "a", "c"], 3, 0]);
});

Deno.test("Causes: there are never more than MAX_CAUSES; each further one only raises dropped", () => {
  const [causes, both] = [new Causes(), new Causes()];
  for (let i = 0; i < MAX_CAUSES + 2; i++) causes.add(i % 2 === 0 ? `cause ${i}` : new Counted(`cause ${i}`));
  assertEquals([causes.texts.length, causes.size, causes.dropped], [MAX_CAUSES, MAX_CAUSES, 2]);
  both.add("another");
  both.addAll(causes);
  assertEquals([both.texts[0], both.size, both.dropped], ["another", MAX_CAUSES, 3]);
});

Deno.test("Causes: a cause does not count until it is due", () => {
  const causes = new Causes();
  causes.add({ due: "soon" }, 10);
  causes.add({ due: "late" }, 20);
  causes.add({ due: "late" }, 90);
  causes.add({ due: "too late" }, 30);
  causes.add({ due: "now" });
  assertEquals(causes.texts, ["now"]);
  causes.ripen(20);
  causes.ripen(50);
  assertEquals(causes.texts, ["now", "soon", "late"]);
});

Deno.test("Causes: no text is made before texts or notes are called for", () => {
  const causes = new Causes();
  Counted.worded = 0;
  for (const text of ["a", "b", "a"]) causes.add(new Counted(text));
  causes.ripen(5);
  assertEquals([causes.size, Counted.worded], [2, 0]);
  assertEquals([causes.texts, Counted.worded], [["a", "b"], 2]);
  assertEquals([causes.notes.map(({ text }) => text), Counted.worded], [["a", "b"], 4]);
});
