/** Tries everything, and says what it could do. */
/// <reference lib="deno.worker" />
import { getHeapStatistics } from "node:v8";

const TRIES: Readonly<Record<string, () => unknown>> = {
  "read a file": () => Deno.readTextFileSync("/etc/hostname"),
  "read its own file": () => Deno.readTextFileSync(new URL(import.meta.url)),
  "write a file": () => Deno.writeTextFileSync(".kubeloop/written", ""),
  "connect": () => Deno.connect({ hostname: "127.0.0.1", port: 1 }),
  "listen": () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  "fetch": () => fetch("https://127.0.0.1:1/"),
  "read the environment": () => Deno.env.get("HOME"),
  "run a program": () => new Deno.Command("true").outputSync(),
  "ask for the host's name": () => Deno.hostname(),
};

/** What the confinement of a group's thread has left nothing of. */
const TAKEN_AWAY = /is not a (function|constructor)|of undefined/;

const refused: string[] = [];
const done: string[] = [];
for (const [what, attempt] of Object.entries(TRIES)) {
  try {
    await attempt();
    done.push(what);
  } catch (error) {
    const isTakenAway = error instanceof TypeError && TAKEN_AWAY.test(error.message);
    if (isTakenAway || error instanceof Deno.errors.NotCapable) refused.push(what);
    else done.push(`${what}, but for: ${error}`);
  }
}
self.postMessage({ refused, done, heapLimitBytes: getHeapStatistics().heap_size_limit });
