/**
 * The first code to run in a controller group's thread. It removes everything that reaches beyond the thread, before
 * other code can keep a reference. Import it first.
 *
 * Contract:
 * 1. A thread that has any permission other than to reach one address does not start.
 * 2. Of `Deno`, only what opens a connection stays. `process` is gone, and with it signals, V8's flags and the standard
 *    streams; so are nested workers, which would begin with all of it, channels to other threads, and caches on disk.
 * 3. Text never becomes code. Nothing can be imported any more where the runtime lets modules be refused (Deno 2.9);
 *    the executable's older runtime does not, but its code asks for no module by a name that it computes.
 * 4. The memory of the thread's fence comes in the first message, which no other listener hears; all that is handed out
 *    is a way to read it.
 *
 * Permissions do not cover this: Deno lets any thread send a signal to its own process, set V8's flags for all threads,
 * and close the standard streams. It restrains misbehaving code, not memory: a thread that allocates faster than its
 * heap is checked ends the whole process.
 */
/// <reference lib="deno.worker" />

const PERMISSIONS = ["env", "ffi", "net", "read", "run", "sys", "write"] as const;
const granted = PERMISSIONS.filter((name) => Deno.permissions.querySync({ name }).state === "granted");
if (granted.length > 0) throw new Error(`a controller group must not have permissions, but has: ${granted.join(", ")}`);

/** The members of `Deno` that remain. */
const KEPT = ["build", "connect", "connectTls", "errors", "startTls", "version"] as const;
const TAKEN = ["BroadcastChannel", "CacheStorage", "GPU", "Worker", "caches", "process"];

const { load } = Atomics;
/** The value of a fence that was never opened. */
const CLOSED = -(2n ** 63n);
let times: BigInt64Array | undefined;

/** One of the times of this thread's fence; see `SharedFence`. */
export function readFence(slot: number): bigint {
  return times ? load(times, slot) : CLOSED;
}

function takeFence(event: MessageEvent): void {
  const command = Array.isArray(event.data) ? event.data[0] : undefined;
  if (command?.what !== "fence") return;
  event.stopImmediatePropagation();
  self.removeEventListener("message", takeFence);
  times = new BigInt64Array(command.memory);
}

/** Sets a property permanently. */
function fix(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false });
}

function refuseModules(): void {
  const { registerHooks } = process.getBuiltinModule("node:module") as {
    registerHooks?(hooks: { resolve(specifier: string): never }): void;
  };
  registerHooks?.({
    resolve: (specifier) => {
      throw new TypeError(`Cannot import ${JSON.stringify(specifier)}: a controller group's thread loads no more code`);
    },
  });
}

function refuseTextAsCode(): void {
  const refuse = () => {
    throw new EvalError("Cannot make code of text in a controller group's thread");
  };
  const functions = [function () {}, async function () {}, function* () {}, async function* () {}];
  for (const each of functions) fix(Object.getPrototypeOf(each), "constructor", refuse);
  refuse.prototype = Function.prototype; // for `instanceof`
  fix(globalThis, "Function", refuse);
  fix(globalThis, "eval", refuse);
  // Older runtimes treat a non-function as code, which could then import anything.
  for (const name of ["setTimeout", "setInterval"] as const) {
    const set: (callback: () => void, ms?: number, ...args: unknown[]) => unknown = globalThis[name];
    fix(globalThis, name, (callback: () => void, ms?: number, ...args: unknown[]) => {
      if (typeof callback !== "function") refuse();
      return set(callback, ms, ...args);
    });
  }
}

self.addEventListener("message", takeFence);
refuseModules();
refuseTextAsCode();
fix(globalThis, "Deno", Object.freeze(Object.fromEntries(KEPT.map((name) => [name, Deno[name]]))));
for (const name of TAKEN) fix(globalThis, name, undefined);
fix(Object.getPrototypeOf(navigator), "gpu", undefined);
