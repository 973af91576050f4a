import { assertEquals, assertThrows } from "@std/assert";
import { Holds, ServiceBusyError } from "../../../../src/controllers/service_lb/holds.ts";

Deno.test("Holds: at any time at most one piece of work holds a Service", () => {
  const holds = new Holds();
  {
    using _web = holds.take("a/web");
    using _shop = holds.take("a/shop");
    assertThrows(() => holds.take("a/web"), ServiceBusyError, "Service a/web is being worked on already");
  }
  using _again = holds.take("a/web");
});

Deno.test("Holds: nobody waits for a hold: whoever has it hears of nodes that change meanwhile", () => {
  const holds = new Holds();
  assertEquals(holds.missNodes("a/web"), false);
  {
    using hold = holds.take("a/web");
    assertEquals([hold.missedNodes, holds.missNodes("a/web"), hold.missedNodes], [false, true, true]);
  }
  using anew = holds.take("a/web");
  assertEquals(anew.missedNodes, false);
});
