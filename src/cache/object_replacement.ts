import { type KubeObject, objectKey } from "../api/mod.ts";
import type { Replacement, WatchFrame } from "../watch/mod.ts";
import type { StoreContent } from "./store_content.ts";

/** What an {@link ObjectReplacement} is made of. */
export interface ObjectReplacementOptions<T extends KubeObject> {
  readonly content: StoreContent<T>;
  /** The object of a frame, or `undefined` if it is to be skipped. */
  readonly decode: (frame: WatchFrame) => T | undefined;
  /** Calls `take` for each frame without holding the event loop for long. */
  readonly inSlices: (frames: readonly WatchFrame[], take: (frame: WatchFrame) => void) => void | Promise<void>;
  readonly commit: (content: StoreContent<T>, resourceVersion: string) => void | Promise<void>;
}

/** The objects of a re-list, gathered in private by key, until they are committed as a whole or dropped. */
export class ObjectReplacement<T extends KubeObject> implements Replacement {
  readonly #options: Omit<ObjectReplacementOptions<T>, "content">;
  /** Nothing else here refers to it, so that it goes when the replacement ends. */
  #content: StoreContent<T> | undefined;

  constructor({ content, ...options }: ObjectReplacementOptions<T>) {
    this.#options = options;
    this.#content = content;
  }

  events(frames: readonly WatchFrame[]): void | Promise<void> {
    return this.#options.inSlices(frames, (frame) => this.#take(frame));
  }

  commit(resourceVersion: string): void | Promise<void> {
    const content = this.#content;
    if (!content) throw new Error("Cannot commit a replacement: it was committed, aborted, or another one was begun");
    this.#content = undefined;
    return this.#options.commit(content, resourceVersion);
  }

  abort(): void {
    this.#content = undefined;
  }

  #take(frame: WatchFrame): void {
    const content = this.#content;
    if (!content) return; // discarded while it was waiting for its turn
    const object = this.#options.decode(frame);
    if (!object) return;
    if (frame.type === "DELETED") content.remove(objectKey(object));
    else content.put(objectKey(object), object);
  }
}
