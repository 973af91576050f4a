import { type Clock, SystemClock } from "./clock.ts";
import { FakeClock } from "./fake_clock.ts";
import { type Logger, MemoryLogger } from "./log.ts";
import { type Random, SeededRandom, SystemRandom } from "./random.ts";

/** What kubeloop reads from the file system, and the little that it writes. */
export interface Files {
  /** @throws {Error} If the file cannot be read; the message names the path. */
  readText(path: string): Promise<string>;
  /**
   * Writes a whole file, and makes its folder where there is none. @throws {Error} If it cannot be written.
   *
   * @param options.mode Who may read it, in Unix' terms.
   */
  writeText(path: string, text: string, options: { readonly mode: number }): Promise<void>;
}

/**
 * Everything that would make two runs differ: time, randomness, files, and where the log goes. The API server is reached
 * through a `Transport` (`src/client`), which is injected the same way.
 *
 * Production passes {@link systemWorld}; tests and simulations a {@link FakeWorld}. A lint rule keeps `Date.now`,
 * `Math.random`, timers and global `fetch` out of every other file.
 */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly log: Logger;
}

/** The real world, logging to `log`. */
export function systemWorld(log: Logger): World {
  return {
    clock: new SystemClock(),
    random: new SystemRandom(),
    files: {
      readText: (path) => Deno.readTextFile(path),
      writeText: async (path, text, options) => {
        await Deno.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
        await Deno.writeTextFile(path, text, options);
      },
    },
    log,
  };
}

/**
 * A world for tests: time stands still until `clock.advance`, randomness comes from a seed, files are a map, log lines are
 * kept in `log.lines`.
 *
 * @example
 * ```ts
 * import { FakeWorld } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const world = new FakeWorld({ files: { "/token": "abc" } });
 * assertEquals(await world.files.readText("/token"), "abc");
 * ```
 */
export class FakeWorld implements World {
  readonly clock: FakeClock;
  readonly random: SeededRandom;
  readonly log: MemoryLogger = new MemoryLogger();
  /** Path to content; change it to rotate a file. */
  readonly fileContents: Map<string, string>;

  constructor(
    { seed = 1, startWallMs, files = {} }: { seed?: number; startWallMs?: number; files?: Record<string, string> } = {},
  ) {
    this.clock = new FakeClock({ startWallMs });
    this.random = new SeededRandom(seed);
    this.fileContents = new Map(Object.entries(files));
  }

  readonly files: Files = {
    readText: (path) => {
      const text = this.fileContents.get(path);
      return text === undefined
        ? Promise.reject(new Deno.errors.NotFound(`No such file or directory (os error 2): readfile '${path}'`))
        : Promise.resolve(text);
    },
    writeText: (path, text) => {
      this.fileContents.set(path, text);
      return Promise.resolve();
    },
  };
}
