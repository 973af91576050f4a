import type { VolumeAttachment } from "../../api/mod.ts";
import { type Clock, Deferred } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";

/** How long until an initial state counts as an answer: the attacher may be about to change it. */
const STALE_MS = 500;

/** What to wait for, and how long. */
export interface AttachmentWait {
  readonly name: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /**
   * Looks at what the cache has.
   *
   * @param isNews Whether it has changed since the wait began, or has had its time to.
   * @returns Whether the wait is over.
   * @throws What the wait fails with.
   */
  isOver(attachment: VolumeAttachment | undefined, isNews: boolean): boolean;
}

/** Waits for attachers to process VolumeAttachments. Upstream polls the cache instead. */
export class AttachmentWatch {
  readonly #clock: Clock;
  readonly #attachments: Pick<Lister<VolumeAttachment>, "get">;
  readonly #waiting = new Map<string, Set<(isNews: boolean) => void>>();

  constructor(clock: Clock, attachments: Pick<Lister<VolumeAttachment>, "get">) {
    this.#clock = clock;
    this.#attachments = attachments;
  }

  /** The cache has something new about a VolumeAttachment. */
  changed(name: string): void {
    for (const look of [...this.#waiting.get(name) ?? []]) look(true);
  }

  /**
   * @returns Whether it was over in time.
   * @throws What `isOver` throws, and the signal's reason.
   */
  async until({ name, timeoutMs, signal, isOver }: AttachmentWait): Promise<boolean> {
    const end = new Deferred<boolean>();
    let isNews = false;
    const look = (isNew: boolean) => {
      isNews ||= isNew;
      try {
        if (isOver(this.#attachments.get(undefined, name), isNews)) end.resolve(true);
      } catch (error) {
        end.reject(error);
      }
    };
    const abort = () => end.reject(signal.reason);
    const looks = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, looks.add(look));
    const timers = [
      this.#clock.setTimer(STALE_MS, () => look(true)),
      this.#clock.setTimer(timeoutMs, () => end.resolve(false)),
    ];
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (signal.aborted) abort();
      else look(false);
      return await end.promise;
    } finally {
      for (const timer of timers) timer.cancel();
      signal.removeEventListener("abort", abort);
      looks.delete(look);
      if (looks.size === 0) this.#waiting.delete(name);
    }
  }
}
