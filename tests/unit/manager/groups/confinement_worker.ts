/** Tries what reaches beyond a controller group's thread, and says what it could do. */
/// <reference lib="deno.worker" />
import { readFence } from "../../../../src/manager/groups/confinement.ts";

/** Where the runtime is older than 2.9, code that has an `import` of its own may use it. */
const [major, minor] = Deno.version.deno.split(".").map(Number);
const REFUSES_MODULES = major > 2 || minor >= 9;

interface NodeProcess {
  kill(pid: number, signal: string): unknown;
  _kill(pid: number, signal: number): unknown;
  abort(): never;
  pid: number;
  getBuiltinModule(name: string): Record<string, (...args: unknown[]) => unknown>;
}

const node = () => (globalThis as unknown as { process: NodeProcess }).process;
const NOTHING = new URL("data:text/javascript,");
/** Harmless where it works: nobody listens to it. */
const SIGNAL = "SIGURG";
// Not by its own syntax, which would be there in spite of everything.
const functionOf = (sample: () => unknown) => sample.constructor as (text: string) => () => unknown;

const TRIES: Readonly<Record<string, () => unknown>> = {
  "signal its process": () => Deno.kill(Deno.pid, SIGNAL),
  "signal its process as Node does": () => node().kill(node().pid, SIGNAL),
  "signal its process past Node": () => node()._kill(node().pid, 23),
  "abort its process": () => node().abort(),
  "listen to signals": () => Deno.addSignalListener(SIGNAL, () => {}),
  "set V8's flags": () => node().getBuiltinModule("node:v8").setFlagsFromString("--stack-trace-limit=10"),
  "get at any module": () => node().getBuiltinModule("node:fs"),
  "reach the runtime's insides": () => (Deno as unknown as { internal: symbol }).internal.description!.length,
  "set the umask": () => Deno.umask(0o022),
  "close a standard stream": () => Deno.stdin.close(),
  "write to a standard stream": () => Deno.stderr.writeSync(new Uint8Array()),
  "open a file": () => Deno.openSync("/dev/null"),
  "start a worker": () => new Worker(NOTHING, { type: "module" }).terminate(),
  "open a channel": () => new BroadcastChannel("any").close(),
  "open a cache": () => caches.open("any"),
  "use a GPU": () => navigator.gpu.requestAdapter(),
  "make code of text": () => (0, eval)("1"),
  "make a function of text": () => new Function("return 1"),
  "make a function by another": () => functionOf(() => {})("return 1"),
  "make an async function of text": () => functionOf(async () => {})("return 1"),
  // Older runtimes take it for code.
  "make code of text by a timer": () => clearTimeout(setTimeout("0" as unknown as () => void)),
  "make code of text by an interval": () => clearInterval(setInterval("0" as unknown as () => void)),
  "get what was taken back": () => {
    if (!Reflect.deleteProperty(globalThis, "Deno")) throw new TypeError("it cannot be deleted");
  },
};
const IMPORTS: Readonly<Record<string, () => unknown>> = REFUSES_MODULES
  ? {
    "import V8's flags": () => import("node:v8"),
    "import Node's process": () => import("node:process"),
    "import Node's workers": () => import("node:worker_threads"),
    "import text": () => import(NOTHING.href),
  }
  : {};

/** Every memory that a listener gets to see. */
const memories: unknown[] = [];

self.addEventListener("message", async ({ data }: MessageEvent<unknown[]>) => {
  for (const each of data) {
    memories.push(...Object.values(each as object).filter((v) => v instanceof SharedArrayBuffer));
  }
  const refused: string[] = [];
  const done: string[] = [];
  for (const [what, attempt] of Object.entries({ ...TRIES, ...IMPORTS })) {
    try {
      await attempt();
      done.push(what);
    } catch {
      refused.push(what);
    }
  }
  self.postMessage({ refused, done, memories: memories.length, fence: [readFence(0), readFence(1)].map(String) });
});
