import { RingBuffer, type Timer, type World } from "../../../base/mod.ts";
import type { Store } from "../../storage/mod.ts";

const EVENTS = "events";
/** How many events are removed in one turn of the event loop, since thousands may expire at once. */
const REMOVALS_PER_TURN = 100;

interface Expiring {
  readonly key: string;
  readonly revision: number;
  readonly atMs: number;
}

/**
 * Removes events some time after their last write, like upstream's `--event-ttl`. For existing ones the time starts
 * now.
 *
 * @returns A function that stops it.
 */
export function expireEvents(
  { store, world }: { readonly store: Store; readonly world: World },
  ttlMs: number,
): () => void {
  // All lifetimes are equal, so the queue is sorted by time.
  const queue = new RingBuffer<Expiring>();
  let next: Expiring | undefined;
  let timer: Timer | undefined;
  const { clock } = world;
  const arm = () => {
    next ??= queue.shift();
    if (next) timer ??= clock.setTimer(next.atMs - clock.monotonicMs(), expire);
  };
  const expire = () => {
    timer = undefined;
    for (let i = 0; i < REMOVALS_PER_TURN && next && next.atMs <= clock.monotonicMs(); i++) {
      const { key, revision } = next;
      if (store.get(EVENTS, key)?.metadata.resourceVersion === String(revision)) store.remove(EVENTS, key);
      next = queue.shift();
    }
    arm();
  };
  const remember = (key: string, revision: number) => {
    queue.push({ key, revision, atMs: clock.monotonicMs() + ttlMs });
    arm();
  };
  for (const { key, revision } of store.list(EVENTS) ?? []) remember(key, revision);
  const unsubscribe = store.subscribe(
    EVENTS,
    ({ type, key, revision }) => type !== "DELETED" && remember(key, revision),
  );
  return () => {
    unsubscribe();
    timer?.cancel();
  };
}
