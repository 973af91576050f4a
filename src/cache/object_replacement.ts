import { type KubeObject, objectKey } from "../api/mod.ts";
import type { Replacement, WatchFrame } from "../watch/mod.ts";
import type { Reasons, SetAsideObject } from "./set_aside.ts";
import type { StoreContent } from "./store_content.ts";

/** Options of {@link ObjectReplacement}. */
export interface ObjectReplacementOptions<T extends KubeObject> {
  readonly content: StoreContent<T>;
  /** @throws If the object of the frame cannot be read. */
  readonly decode: (frame: WatchFrame) => T;
  /** Called for each unreadable object; returns its key and the reason, if it has a key. */
  readonly onUnread: (frame: WatchFrame, error: unknown) => SetAsideObject | undefined;
  /** Calls `take` for each frame without holding the event loop for long. */
  readonly inSlices: (frames: readonly WatchFrame[], take: (frame: WatchFrame) => void) => void | Promise<void>;
  /** Receives the objects, and the unreadable ones by key. */
  readonly commit: (read: StoreContent<T>, unread: Reasons, resourceVersion: string) => void | Promise<void>;
}

/** The objects of a re-list, collected in private until they are committed as a whole or dropped. */
export class ObjectReplacement<T extends KubeObject> implements Replacement {
  readonly #options: Omit<ObjectReplacementOptions<T>, "content">;
  /** The only reference here, so that it can be freed when the replacement ends. */
  #content: StoreContent<T> | undefined;
  readonly #unread = new Map<string, string>();

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
    return this.#options.commit(content, this.#unread, resourceVersion);
  }

  abort(): void {
    this.#content = undefined;
  }

  #take(frame: WatchFrame): void {
    const content = this.#content;
    if (!content) return; // discarded while waiting for its turn
    const { decode, onUnread } = this.#options;
    const isDeletion = frame.type === "DELETED";
    let object: T;
    try {
      object = decode(frame);
    } catch (error) {
      const unread = onUnread(frame, error);
      if (!unread) return;
      if (isDeletion) this.#forget(content, unread.key);
      else this.#unread.set(unread.key, unread.reason);
      return;
    }
    const key = objectKey(object);
    if (isDeletion) return this.#forget(content, key);
    content.put(key, object);
    this.#unread.delete(key);
  }

  #forget(content: StoreContent<T>, key: string): void {
    content.remove(key);
    this.#unread.delete(key);
  }
}
