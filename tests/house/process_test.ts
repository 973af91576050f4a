import { assertEquals } from "@std/assert";
import { Process } from "../controlplane/process.ts";

/** Some of them have been reaped when they are stopped, while nobody has been told yet: 1 in 10 on the machine where this was found. */
const ENDINGS = 100;

Deno.test("A program is stopped, or signalled, whose end is just being noticed", async () => {
  for (let turn = 0; turn < ENDINGS; turn++) {
    await using program = new Process("true", "true", {});
    await new Promise((resolve) => setTimeout(resolve));
    // Its end comes in while this thread is busy.
    for (const startMs = performance.now(); performance.now() - startMs < turn % 5;);
    program.signal("SIGCONT");
    const { code, signal } = await program.stop();
    assertEquals(code === 0 || signal === "SIGTERM", true);
  }
});
