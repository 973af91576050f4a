import { type Clock, SystemClock } from "./clock.ts";
import { FakeClock } from "./fake_clock.ts";
import { type Logger, MemoryLogger } from "./log.ts";
import { type Random, SeededRandom, SystemRandom } from "./random.ts";

/** What kubeloop reads from the file system, and the little that it writes. */
export interface Files {
  /**
   * @param maxBytes If given, what is no regular file, or longer, is an error: pipes have no end, and some have no beginning.
   * @throws {Error} If the file cannot be read; the message names the path.
   */
  readText(path: string, maxBytes?: number): Promise<string>;
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

async function readBounded(path: string, maxBytes: number): Promise<string> {
  const { isFile, size } = await Deno.stat(path);
  if (!isFile) throw new Error(`readfile '${path}': it is not a regular file`);
  if (size > maxBytes) throw tooLong(path, maxBytes);
  using file = await Deno.open(path);
  // Some files do not know their size, and others grow.
  const bytes = new Uint8Array(Math.min(maxBytes, Math.max(2 * size, 4096)) + 1);
  let length = 0;
  for (let read: number | null = 0; read !== null && length < bytes.length; length += read ?? 0) {
    read = await file.read(bytes.subarray(length));
  }
  if (length === bytes.length) throw tooLong(path, length - 1);
  return new TextDecoder().decode(bytes.subarray(0, length));
}

function tooLong(path: string, maxBytes: number): Error {
  return new Error(`readfile '${path}': it is longer than ${maxBytes} bytes`);
}

/** The real world, logging to `log`. */
export function systemWorld(log: Logger): World {
  return {
    clock: new SystemClock(),
    random: new SystemRandom(),
    files: {
      readText: (path, maxBytes) => maxBytes === undefined ? Deno.readTextFile(path) : readBounded(path, maxBytes),
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
    readText: (path, maxBytes = Infinity) => {
      const text = this.fileContents.get(path);
      if (text === undefined) {
        return Promise.reject(new Deno.errors.NotFound(`No such file or directory (os error 2): readfile '${path}'`));
      }
      return text.length > maxBytes ? Promise.reject(tooLong(path, maxBytes)) : Promise.resolve(text);
    },
    writeText: (path, text) => {
      this.fileContents.set(path, text);
      return Promise.resolve();
    },
  };
}
