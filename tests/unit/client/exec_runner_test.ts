/** Real programs. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { runProcess } from "../../../src/client/mod.ts";

function run(
  script: string,
  { collectsErrors = true, signal }: { collectsErrors?: boolean; signal?: AbortSignal } = {},
) {
  return runProcess({ command: "/bin/sh", args: ["-c", script], env: {}, interactive: false, collectsErrors, signal });
}

Deno.test("runProcess collects errors behind the rest of the output, if they are asked for", async () => {
  assertEquals(await run("echo err >&2; sleep 0.1; echo out; exit 3"), { code: 3, stdout: "out\nerr\n" });
});

Deno.test("runProcess ends a program that writes without end, to either", async () => {
  for (const to of ["1", "2"]) await assertRejects(() => run(`yes >&${to}`), RangeError, "more than 1048576 bytes");
});

Deno.test("runProcess ends when it is told to, although a process of the program's own keeps the pipes", async () => {
  const stop = new AbortController();
  const running = run("sleep 1000 & echo $!; wait", { signal: stop.signal });
  stop.abort(new Error("enough"));
  assert((await assertRejects(() => running, Error)).message === "enough");
});
