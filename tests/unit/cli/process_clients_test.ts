import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { clientsOf } from "../../../src/cli/process_clients.ts";
import { managerFlags, managerOptions } from "../../../src/manager/mod.ts";

Deno.test("clientsOf: lines of groups go to stderr whole, and one that cannot be written throws nothing", () => {
  const options = managerOptions(managerFlags([]));
  const world = new FakeWorld();
  const { log } = clientsOf(world, { config: { server: "http://127.0.0.1" }, options })(
    () => true,
    new MetricsRegistry(),
  );
  const written: string[] = [];
  const { writeSync } = Deno.stderr;
  let isBroken = false;
  Deno.stderr.writeSync = (bytes) => {
    if (isBroken) throw new Deno.errors.BrokenPipe("nobody reads");
    written.push(new TextDecoder().decode(bytes));
    return bytes.length;
  };
  try {
    log("a line\n");
    isBroken = true;
    log("nobody reads this\n");
    isBroken = false;
    log("another\n");
  } finally {
    Deno.stderr.writeSync = writeSync;
  }
  assertEquals(written, ["a line\n", "another\n"]);
});
