import type { Event } from "../api/mod.ts";
import { type Clock, LruMap } from "../base/mod.ts";

/** How many events of one source about one object may be written at once. */
const BURST = 25;
/** How long until one more may be. */
const REFILL_MS = 300_000;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** A token bucket for each source and object. Upstream: EventSourceObjectSpamFilter. */
export class SpamFilter {
  readonly #clock: Clock;
  readonly #buckets: LruMap<string, Bucket>;

  constructor({ clock, capacity }: { readonly clock: Clock; readonly capacity: number }) {
    this.#clock = clock;
    this.#buckets = new LruMap(capacity);
  }

  /** Takes a token; `false` if there is none. */
  allows(event: Event): boolean {
    const key = spamKey(event);
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(key) ?? { tokens: BURST, filledMs: nowMs };
    bucket.tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.filledMs) / REFILL_MS);
    bucket.filledMs = nowMs;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

/** The key under which events are counted together. Upstream: getSpamKey. */
function spamKey({ source, involvedObject: { kind, namespace, name, uid, apiVersion }, type }: Event): string {
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion, type].join("\u0000");
}
