import { AsyncLocalStorage } from "node:async_hooks";

/** What {@link Ambient.current} gives to a loop; the loop changes it as it goes. */
export interface AmbientPlace<T> {
  value: T | undefined;
}

/**
 * A value that goes along with a piece of work wherever that work awaits, without being handed on.
 *
 * Contract:
 * 1. Inside `run`, also after each `await`, `current` is the value given; of several that are nested, the innermost.
 * 2. Work that runs at the same time sees its own value only, and outside of `run` there is none.
 * 3. Inside `loop`, `current` is what the loop put there last; it costs nothing to put another value there.
 *
 * Reading it takes some 20 ns. Each `run` takes some microseconds, more the more are under way, for the garbage collector has to
 * look at each; a `loop` takes that once.
 *
 * @example
 * ```ts
 * import { Ambient } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const name = new Ambient<string>();
 * const later = name.run("a", async () => {
 *   await Promise.resolve();
 *   return name.current;
 * });
 * assertEquals(name.current, undefined);
 * assertEquals(await later, "a");
 * ```
 */
export class Ambient<T> {
  readonly #storage = new AsyncLocalStorage<AmbientPlace<T>>();

  /** The value of the work that is going on, if any. */
  get current(): T | undefined {
    return this.#storage.getStore()?.value;
  }

  /** Does `work` with `value` as its own. */
  run<R>(value: T, work: () => R): R {
    return this.#storage.run({ value }, work);
  }

  /** Does `work` that goes through many values, one after the other. What a turn leaves running sees the values of later turns. */
  loop<R>(work: (place: AmbientPlace<T>) => R): R {
    const place: AmbientPlace<T> = { value: undefined };
    return this.#storage.run(place, () => work(place));
  }
}
