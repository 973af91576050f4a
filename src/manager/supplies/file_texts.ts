import { errorText, type Logger } from "../../base/mod.ts";
import { type ControllerFiles, UndeclaredNeedError } from "../../controllers/mod.ts";

/** A file's text, or why it could not be read. Plain data that can be sent between threads. */
export type FileText = { readonly text: string } | { readonly failure: string };

interface Entry {
  content: FileText;
  readonly listeners: Set<(text: string) => void>;
}

/**
 * Texts of files by the flags that name them.
 *
 * Contract:
 * 1. It holds the files that it started with, and no others.
 * 2. A listener hears of each new text; one that throws is logged.
 */
export class FileTexts implements ControllerFiles {
  readonly #log: Logger;
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(log: Logger, contents: Iterable<readonly [flag: string, content: FileText]>) {
    this.#log = log;
    this.#entries = new Map([...contents].map(([flag, content]) => [flag, { content, listeners: new Set() }]));
  }

  text(flag: string): string {
    const { content } = this.#entry(flag);
    if ("failure" in content) throw new Error(`Cannot read the file of --${flag}: ${content.failure}`);
    return content.text;
  }

  onChange(flag: string, listener: (text: string) => void): Disposable {
    const { listeners } = this.#entry(flag);
    const own = (text: string) => listener(text);
    listeners.add(own);
    return { [Symbol.dispose]: () => void listeners.delete(own) };
  }

  /** Replaces a file's content. */
  set(flag: string, content: FileText): void {
    const entry = this.#entry(flag);
    entry.content = content;
    if ("failure" in content) return;
    for (const listener of entry.listeners) {
      try {
        listener(content.text);
      } catch (err) {
        this.#log.error("A listener of a file failed to apply its change", { flag, err });
      }
    }
  }

  #entry(flag: string): Entry {
    const entry = this.#entries.get(flag);
    if (!entry) throw new UndeclaredNeedError(`the file of --${flag}`);
    return entry;
  }
}

/** The contents of `files` for each of `flags`. */
export function contentsOf(files: ControllerFiles, flags: readonly string[]): [flag: string, content: FileText][] {
  return flags.map((flag) => {
    try {
      return [flag, { text: files.text(flag) }];
    } catch (error) {
      return [flag, { failure: errorText(error) }];
    }
  });
}
