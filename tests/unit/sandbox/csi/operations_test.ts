import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { Operations } from "../../../../src/sandbox/csi/operations.ts";
import type { Outcome } from "../../../../src/sandbox/csi/outcomes.ts";

const OK: Outcome = { afterMs: 0, result: "ok", message: "" };
const FAIL: Outcome = { afterMs: 0, result: "fail", message: "no" };

Deno.test("Operations: an attempt takes as long as its outcome says; looking at it meanwhile starts no other", async () => {
  const world = new FakeWorld();
  const operations = new Operations(world);
  const look = () => operations.look("attach", "u", [{ ...OK, afterMs: 5000 }]);
  assertEquals(look(), { begins: true, againMs: 5000 });
  await world.clock.advance(2000);
  assertEquals(look(), { begins: false, againMs: 3000 });
  await world.clock.advance(3000);
  assertEquals(look().outcome?.result, "ok");
});

Deno.test("Operations: after a failure there is a pause of one second, which doubles with each further one, up to five minutes", async () => {
  const world = new FakeWorld();
  const operations = new Operations(world);
  const rests: (number | undefined)[] = [];
  for (let i = 0; i < 11; i++) {
    const { begins, outcome, againMs = 0 } = operations.look("attach", "u", [FAIL]);
    assertEquals([begins, outcome], [true, FAIL]);
    assertEquals(operations.look("attach", "u", [FAIL]), { begins: false, againMs });
    rests.push(againMs / 1000);
    await world.clock.advance(againMs);
  }
  assertEquals(rests, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

Deno.test("Operations: a successful attempt stays successful, however often it is looked at, until it is forgotten", async () => {
  const world = new FakeWorld();
  const operations = new Operations(world);
  const look = (goal = "") => operations.look("expand", "u", [FAIL, OK], goal);
  assertEquals(look().outcome?.result, "fail");
  await world.clock.advance(1000);
  assertEquals([look().outcome?.result, look().outcome?.result], ["ok", "ok"]);
  assertEquals(look("another").outcome?.result, "fail", "another goal is another operation");
  operations.forget("u", "expand");
  assertEquals(look().outcome?.result, "fail");
});

Deno.test("Operations: an attempt that does not end goes on until it is forgotten", async () => {
  const world = new FakeWorld();
  const operations = new Operations(world);
  const look = () => operations.look("attach", "u", [{ ...OK, afterMs: Infinity }]);
  assertEquals(look(), { begins: true });
  await world.clock.advance(1e9);
  assertEquals(look(), { begins: false });
  operations.forget("u", "attach");
  assertEquals(look(), { begins: true });
});
