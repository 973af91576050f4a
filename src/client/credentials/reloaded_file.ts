import type { World } from "../../base/mod.ts";

/** How often certificate files are read again. */
const RELOAD_PERIOD_MS = 300_000;

/**
 * The content of a file that may change. It is read again at most every five minutes, and only on demand.
 *
 * Contract:
 * 1. The first content must be readable and acceptable; later ones that are not leave the last good one in place.
 * 2. `onChange` is called after a later content has been taken.
 * 3. After `lookAgainIn` the file is looked at earlier than it would be.
 */
export class ReloadedFile {
  readonly #world: World;
  readonly #path: string;
  readonly #accept: (text: string) => boolean;
  #text?: string;
  #readMs = -Infinity;
  onChange: () => void = () => {};
  /** Called when a later content is rejected, with the reason. */
  onRefusal: (reason: "read_error" | "invalid") => void = () => {};

  constructor(
    world: World,
    { path, accept = (text) => text.trim() !== "" }: {
      readonly path: string;
      /** Whether a content is acceptable; by default, if it is not blank. */
      readonly accept?: (text: string) => boolean;
    },
  ) {
    this.#world = world;
    this.#path = path;
    this.#accept = accept;
  }

  /** @throws {Error} If there was never an acceptable content. */
  async text(): Promise<string> {
    const nowMs = this.#world.clock.monotonicMs();
    if (this.#text === undefined || nowMs - this.#readMs >= RELOAD_PERIOD_MS) {
      this.#readMs = nowMs;
      await this.#read();
    }
    return this.#text!; // #read has thrown if there is none
  }

  /** Lets the file be read again in `delayMs`, on demand. */
  lookAgainIn(delayMs: number): void {
    this.#readMs = Math.min(this.#readMs, this.#world.clock.monotonicMs() + delayMs - RELOAD_PERIOD_MS);
  }

  async #read(): Promise<void> {
    let text: string;
    try {
      text = await this.#world.files.readText(this.#path);
    } catch (error) {
      return this.#refuse("read_error", error);
    }
    if (text === this.#text) return;
    if (!this.#accept(text)) return this.#refuse("invalid", new Error(`nothing usable in ${this.#path}`));
    const isFirst = this.#text === undefined;
    this.#text = text;
    if (!isFirst) this.onChange();
  }

  #refuse(reason: "read_error" | "invalid", err: unknown): void {
    if (this.#text === undefined) throw err;
    this.#world.log.error("Keeping the last good content of a file", { path: this.#path, err });
    this.onRefusal(reason);
  }
}
