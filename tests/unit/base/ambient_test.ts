import { assertEquals } from "@std/assert";
import { Ambient, nextTurn } from "../../../src/base/mod.ts";

Deno.test("Ambient: inside run, also after each await, current is the value given; nested, the innermost", async () => {
  const ambient = new Ambient<string>();
  const seen = await ambient.run("outer", async () => {
    const before = ambient.current;
    await nextTurn();
    const inner = await ambient.run("inner", async () => {
      await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
      return ambient.current;
    });
    return [before, inner, ambient.current];
  });
  assertEquals(seen, ["outer", "inner", "outer"]);
});

Deno.test("Ambient: work that runs at the same time sees its own value only, and outside there is none", async () => {
  const ambient = new Ambient<number>();
  const works = [1, 2, 3].map((value) =>
    ambient.run(value, async () => {
      for (let i = 0; i < value; i++) await nextTurn();
      return ambient.current;
    })
  );
  assertEquals(ambient.current, undefined);
  assertEquals(await Promise.all(works), [1, 2, 3]);
});

Deno.test("Ambient: inside loop, current is what the loop put there last, of each loop its own", async () => {
  const ambient = new Ambient<string>();
  const loop = (name: string) =>
    ambient.loop(async (place) => {
      const seen = [ambient.current];
      for (let turn = 0; turn < 2; turn++) {
        place.value = `${name}${turn}`;
        await nextTurn();
        seen.push(ambient.current);
      }
      place.value = undefined;
      return [...seen, ambient.current];
    });
  assertEquals(await Promise.all([loop("a"), loop("b")]), [
    [undefined, "a0", "a1", undefined],
    [undefined, "b0", "b1", undefined],
  ]);
  assertEquals(ambient.current, undefined);
});

Deno.test("Ambient: an answer that comes by a message port finds the work that waits for it", async () => {
  const ambient = new Ambient<number>();
  const { port1, port2 } = new MessageChannel();
  const waiting = new Map<number, () => void>();
  port1.onmessage = ({ data }) => waiting.get(data)!();
  port2.onmessage = ({ data }) => port2.postMessage(data);
  const ask = async (id: number) => {
    const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
    port1.postMessage(id);
    await answered;
    return ambient.current;
  };
  assertEquals(await Promise.all([1, 2, 3].map((id) => ambient.run(id, () => ask(id)))), [1, 2, 3]);
  port1.close();
  port2.close();
});
