// deno-lint-ignore-file no-console -- it is there to print
/**
 * How long `kubeloop dev` takes until it is ready and until its example has rolled out, and its peak memory by then:
 * whole processes, `deno run -A tests/bench/dev_startup.ts [runs]`.
 */
import { TextLineStream } from "@std/streams/text-line-stream";
import { fromFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const PERMISSIONS = ["--allow-net=127.0.0.1", "--allow-read", "--allow-write", "--allow-env", "--allow-sys=hostname"];

interface Run {
  readonly readyMs: number;
  readonly rolledOutMs: number;
  readonly peakMiB: number;
}

async function run(flags: readonly string[]): Promise<Run> {
  const folder = await Deno.makeTempDir();
  const startedMs = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...PERMISSIONS, `${ROOT}main.ts`, "dev", "--port=0", `--kubeconfig=${folder}/kubeconfig`, ...flags],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let readyMs = 0;
  let rolledOutMs = 0;
  let peakMiB = 0;
  const text = child.stdout.pipeThrough(new TextDecoderStream());
  for await (const line of text.pipeThrough(new TextLineStream()) as ReadableStream<string>) {
    if (line.startsWith("ready ")) readyMs = performance.now() - startedMs;
    if (!line.endsWith("all ready")) continue;
    rolledOutMs = performance.now() - startedMs;
    const status = await Deno.readTextFile(`/proc/${child.pid}/status`);
    peakMiB = Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
    child.kill("SIGTERM");
  }
  await child.status;
  await Deno.remove(folder, { recursive: true });
  return { readyMs, rolledOutMs, peakMiB };
}

function median(values: readonly number[]): string {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(0);
}

const runs = Number(Deno.args[0] ?? 5);
console.log("flags                ready ms  example ready ms  peak MiB");
for (const flags of [[], ["--tls"], [`--data-dir=${await Deno.makeTempDir()}`]]) {
  const results: Run[] = [];
  for (let i = 0; i < runs; i++) results.push(await run(flags));
  const name = flags.map((flag) => flag.split("=")[0]).join(" ") || "(none)";
  const column = (pick: (each: Run) => number, width: number) => median(results.map(pick)).padStart(width);
  console.log(
    `${name.padEnd(20)} ${column((each) => each.readyMs, 8)}  ${column((each) => each.rolledOutMs, 16)}  ${
      column((each) => each.peakMiB, 8)
    }`,
  );
}
