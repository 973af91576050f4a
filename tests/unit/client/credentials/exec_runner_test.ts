/** Real programs. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { runProcess } from "../../../../src/client/mod.ts";

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
  const running = run(`tail --pid=${Deno.pid} -f /dev/null & wait`, { signal: stop.signal });
  stop.abort(new Error("enough"));
  assert((await assertRejects(() => running, Error)).message === "enough");
});

Deno.test("runProcess ends what the program has started, too", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const fifo = `${folder}/fifo`;
    await new Deno.Command("mkfifo", { args: [fifo] }).output();
    // The shell opens it first, which waits for the reader below: it writes nothing before the other process holds it too.
    const running = run(`exec 3> ${fifo}; tail --pid=${Deno.pid} -f /dev/null >&3 & exec 3>&-; yes`);
    const refused = assertRejects(() => running, RangeError);
    using held = await Deno.open(fifo);
    await refused;
    assertEquals(await held.read(new Uint8Array(1)), null, "the other process is gone");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("runProcess hands this process's variables on, but not that we trust nobody", async () => {
  const module = new URL("../../../../src/client/credentials/exec_runner.ts", import.meta.url);
  const script = 'echo "$A $B ${DENO_TLS_CA_STORE-unset}"';
  const code = `import { runProcess } from "${module.href}";
    const request = { command: "/bin/sh", args: ["-c", ${JSON.stringify(script)}], env: { B: "added" } };
    console.log((await runProcess(request)).stdout);`;
  for (const [stores, inherited] of [[",", "unset"], ["system", "system"]]) {
    // In a process of its own, since the variable is everybody's.
    const { code: result, stdout } = await runProcess({
      command: Deno.execPath(),
      args: ["eval", "--no-check", code],
      env: { A: "ours", DENO_TLS_CA_STORE: stores },
      interactive: false,
    });
    assertEquals([result, stdout.trim()], [0, `ours added ${inherited}`]);
  }
});
