import type { Timer, World } from "../../base/mod.ts";
import type { Store } from "../storage/mod.ts";

const EVENTS = "events";

interface Expiring {
  readonly key: string;
  readonly revision: number;
  readonly atMs: number;
}

/**
 * Removes events some time after they were last written, as upstream's `--event-ttl` does.
 *
 * @returns A function that stops it.
 */
export function expireEvents(
  { store, world }: { readonly store: Store; readonly world: World },
  ttlMs: number,
): () => void {
  const queue: Expiring[] = [];
  let timer: Timer | undefined;
  const arm = () => {
    if (timer || queue.length === 0) return;
    timer = world.clock.setTimer(queue[0].atMs - world.clock.monotonicMs(), expire);
  };
  const expire = () => {
    timer = undefined;
    // All lifetimes are the same, so that the queue is in order of time.
    while (queue.length > 0 && queue[0].atMs <= world.clock.monotonicMs()) {
      const { key, revision } = queue.shift()!;
      if (store.get(EVENTS, key)?.metadata.resourceVersion === String(revision)) store.remove(EVENTS, key);
    }
    arm();
  };
  const remember = (key: string, revision: number) => {
    queue.push({ key, revision, atMs: world.clock.monotonicMs() + ttlMs });
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
