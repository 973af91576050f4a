import { type Clock, SystemClock } from "./clock.ts";
import { FakeClock } from "./fake_clock.ts";
import { type Logger, MemoryLogger } from "./log.ts";
import { type Random, SeededRandom, SystemRandom } from "./random.ts";

/** The entry at a path. */
export interface FileEntry {
  readonly isFolder: boolean;
  readonly isLink: boolean;
  /** The owner's number; `null` if the platform has none. */
  readonly owner: number | null;
  /** Its Unix mode; `null` if the platform has none. */
  readonly mode: number | null;
  /** When it was last written, by the wall clock; `null` where nobody knows. */
  readonly modifiedMs?: number | null;
}

/** kubeloop's access to the file system: mostly reads. */
export interface Files {
  /**
   * @param maxBytes If given, anything longer or other than a regular file is an error: reading a pipe may never end.
   * @throws {Error} If the file cannot be read; the message names the path.
   */
  readText(path: string, maxBytes?: number): Promise<string>;
  /**
   * Writes a whole file and creates its folder if missing.
   * @throws {Error} If it cannot be written.
   *
   * @param options.mode Its Unix mode.
   */
  writeText(path: string, text: string, options: { readonly mode: number }): Promise<void>;
  /**
   * The entry at a path; `undefined` if there is none. Of a link it is the link itself, or what it leads to with
   * `followsLinks`.
   * @throws {Error} If that cannot be determined.
   */
  look(path: string, options?: { readonly followsLinks: boolean }): Promise<FileEntry | undefined>;
  /**
   * The names of a folder's entries, in no particular order; none if there is no such folder.
   * @throws {Error} If it cannot be read.
   */
  list(path: string): Promise<readonly string[]>;
  /**
   * Creates one folder.
   * @throws {Error} If the name is taken, or it cannot be created.
   */
  makeFolder(path: string, options: { readonly mode: number }): Promise<void>;
  /**
   * Removes a file, a link itself, or a folder and its contents.
   * @throws {Error} If it cannot be removed.
   */
  remove(path: string): Promise<void>;
}

/**
 * Everything that makes two runs differ: time, randomness, files and the log. The API server is reached through a
 * `Transport` (`src/client`), which is injected in the same way.
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
  // Some files do not report their size, and others grow.
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

async function lookAt(path: string, { followsLinks } = { followsLinks: false }): Promise<FileEntry | undefined> {
  try {
    const { isDirectory, isSymlink, uid, mode, mtime } = await (followsLinks ? Deno.stat(path) : Deno.lstat(path));
    return { isFolder: isDirectory, isLink: isSymlink, owner: uid, mode, modifiedMs: mtime?.getTime() ?? null };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
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
      look: lookAt,
      list: namesIn,
      makeFolder: (path, options) => Deno.mkdir(path, options),
      remove: (path) => Deno.remove(path, { recursive: true }),
    },
    log,
  };
}

/** A folder of a process that is not root. */
const OWN_FOLDER: FileEntry = { isFolder: true, isLink: false, owner: 1000, mode: 0o755 };
const OWN_FILE: FileEntry = { ...OWN_FOLDER, isFolder: false, mode: 0o644 };

/**
 * A world for tests: time stands still until `clock.advance`, randomness comes from a seed, files are a map, log lines
 * are kept in `log.lines`.
 *
 * @example
 * ```ts
 * import { FakeWorld } from "kubeloop/world";
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
  /** Folders and links by path; change it to have others. */
  readonly entries: Map<string, FileEntry> = new Map([["/tmp", { ...OWN_FOLDER, mode: 0o1777 }]]);

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
    look: (path) => Promise.resolve(this.entries.get(path) ?? (this.fileContents.has(path) ? OWN_FILE : undefined)),
    list: (path) => {
      const below = [...this.entries.keys(), ...this.fileContents.keys()].filter((each) => each.startsWith(`${path}/`));
      return Promise.resolve([...new Set(below.map((each) => each.slice(path.length + 1).split("/")[0]))]);
    },
    makeFolder: (path, { mode }) => {
      if (this.entries.has(path) || this.fileContents.has(path)) {
        return Promise.reject(new Deno.errors.AlreadyExists(`File exists (os error 17): mkdir '${path}'`));
      }
      this.entries.set(path, { ...OWN_FOLDER, mode });
      return Promise.resolve();
    },
    remove: (path) => {
      for (const held of [this.entries, this.fileContents]) {
        for (const each of [...held.keys()]) if (each === path || each.startsWith(`${path}/`)) held.delete(each);
      }
      return Promise.resolve();
    },
  };
}
