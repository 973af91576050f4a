import { errorText, orAborted, sleep, type World } from "../../base/mod.ts";
import { FileTexts } from "./file_texts.ts";

/** Where a text comes from: a file, which may change, or a fixed text. An empty path stands for an empty text. */
export type FileOrigin = { readonly path: string } | { readonly text: string };

/** A bundle of all public authorities takes a quarter of this. */
const MOST_BYTES = 1024 * 1024;
const PERIOD_MS = 10_000;
/** A file may be read while it is being written, so its content must stay the same for this long. */
const SETTLES_MS = 1000;

/** A file and its state. */
interface Followed {
  readonly flag: string;
  readonly path: string;
  text?: string;
  /** Why the last read failed. */
  failure?: string;
}

/**
 * Texts of files, kept up to date.
 *
 * Contract:
 * 1. A change counts once the file was read twice with the same content.
 * 2. While a file cannot be read, is not a regular file or exceeds a mebibyte, its last text stays; the reason is
 *    logged once.
 * 3. A file that is slow to read does not delay the others.
 */
export class RotatingFiles extends FileTexts {
  readonly #world: World;
  readonly #followed: readonly Followed[];

  constructor(world: World, origins: ReadonlyMap<string, FileOrigin>) {
    super(
      world.log,
      [...origins].map(([flag, origin]) => {
        if ("text" in origin) return [flag, origin];
        return [flag, origin.path === "" ? { text: "" } : { failure: `open ${origin.path}: it was not read yet` }];
      }),
    );
    this.#world = world;
    this.#followed = [...origins].flatMap(([flag, origin]) =>
      "path" in origin && origin.path !== "" ? [{ flag, path: origin.path }] : []
    );
  }

  /** Reads every file once. */
  async read(): Promise<void> {
    await Promise.all(this.#followed.map(async (file) => {
      const text = await this.#textOf(file);
      if (text !== undefined) this.#take(file, text);
    }));
  }

  /** Reads the files periodically until `signal` aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#followed.map((file) => this.#follow(file, signal)));
  }

  async #follow(file: Followed, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#world;
    let candidate: string | undefined;
    while (await sleep(clock, candidate === undefined ? PERIOD_MS : SETTLES_MS, signal)) {
      const text = await orAborted(this.#textOf(file), signal, undefined);
      if (text === undefined || text === file.text) {
        candidate = undefined;
      } else if (text === candidate) {
        candidate = undefined;
        log.info("A file has changed", { path: file.path });
        this.#take(file, text);
      } else {
        candidate = text;
      }
    }
  }

  #take(file: Followed, text: string): void {
    file.text = text;
    this.set(file.flag, { text });
  }

  /** The file's text, if it can be read. */
  async #textOf(file: Followed): Promise<string | undefined> {
    const { files, log } = this.#world;
    try {
      const text = await files.readText(file.path, MOST_BYTES);
      file.failure = undefined;
      return text;
    } catch (error) {
      const reason = errorText(error);
      if (reason !== file.failure) log.error("Cannot read a file", { path: file.path, err: error });
      file.failure = reason;
      if (file.text === undefined) this.set(file.flag, { failure: `open ${file.path}: ${reason}` });
      return undefined;
    }
  }
}
