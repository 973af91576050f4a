import { assert, assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { WithdrawableHeap } from "../../../src/workqueue/withdrawable_heap.ts";

interface Entry {
  readonly value: number;
  withdrawn: boolean;
}

Deno.test("WithdrawableHeap: peek and pop give the smallest entry that was not withdrawn", () => {
  const { random } = new FakeWorld({ seed: 7 });
  const heap = new WithdrawableHeap<Entry>((a, b) => a.value - b.value);
  const model: Entry[] = [];
  const take = (entry: Entry) => model.splice(model.indexOf(entry), 1);
  for (let i = 0; i < 5000; i++) {
    const what = random.float();
    if (what < 0.5) {
      const entry = { value: random.float(), withdrawn: false };
      heap.push(entry);
      model.push(entry);
    } else if (what < 0.8 && model.length > 0) {
      const entry = model[Math.floor(random.float() * model.length)];
      heap.withdraw(entry);
      take(entry);
    } else {
      const smallest = model.toSorted((a, b) => a.value - b.value).at(0);
      assertEquals([heap.peek(), heap.pop()], [smallest, smallest]);
      if (smallest) take(smallest);
    }
    assertEquals(heap.length, model.length);
  }
});

Deno.test("WithdrawableHeap: withdrawn entries are never more than the others and FEW together: comparisons stay logarithmic", () => {
  let comparisons = 0;
  const heap = new WithdrawableHeap<Entry>((a, b) => (comparisons++, a.value - b.value));
  const last = { value: Infinity, withdrawn: false };
  heap.push(last);
  // Each is withdrawn at once, as by ever earlier times of one key; a heap that kept them would grow to 100,000.
  for (let i = 0; i < 100_000; i++) {
    const entry = { value: -i, withdrawn: false };
    heap.push(entry);
    heap.withdraw(entry);
  }
  assert(comparisons < 100_000 * 10, `${comparisons} comparisons`);
  comparisons = 0;
  assertEquals([heap.pop(), heap.pop()], [last, undefined]);
  assert(comparisons < 64 * 10, `${comparisons} comparisons to get past what was withdrawn`);
});
