// deno-lint-ignore-file no-console -- it is there to print
/**
 * kubeloop as `main.ts` runs it, beside a timer that tells how long it was kept from its turn: at its end a line
 * `pause MS at WALL_MS` on standard error for each pause beyond {@link TOLD_MS}, in processor time of the main thread, so that
 * others on the machine do not count. At its end, since of a long log only the last part is kept.
 */
import { runCommand } from "../../../src/cli/mod.ts";

/** Shorter pauses are not told. */
const TOLD_MS = 20;
const EVERY_MS = 2;

function threadCpuMs(): number {
  const [onCpuNs] = Deno.readTextFileSync(`/proc/self/task/${Deno.pid}/schedstat`).split(" ");
  return Number(onCpuNs) / 1e6;
}

if (import.meta.main) {
  const pauses: string[] = [];
  let lastMs = threadCpuMs();
  setInterval(() => {
    const nowMs = threadCpuMs();
    if (nowMs - lastMs > TOLD_MS) pauses.push(`pause ${(nowMs - lastMs).toFixed(0)} at ${Date.now()}`);
    lastMs = nowMs;
  }, EVERY_MS);
  const code = await runCommand("kubeloop", Deno.args);
  console.error([...pauses, "told all pauses"].join("\n"));
  Deno.exit(code);
}
