import type { World } from "../../../base/mod.ts";

/** A world in which the same steps can be repeated with the same result. */
export interface RepeatableWorld {
  readonly world: World;
  /** Starts over: random values repeat. */
  rewind(): void;
}

/** `world` at the present moment: time stands still, except for timers, and randomness can be repeated. */
export function repeatable({ clock, random, ...rest }: World): RepeatableWorld {
  const [wallMs, monotonicMs] = [clock.wallMs(), clock.monotonicMs()];
  const stopped: World["clock"] = {
    wallMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    setTimer: (delayMs, fn) => clock.setTimer(delayMs, fn),
    nextTurn: () => clock.nextTurn(),
  };
  const floats: number[] = [];
  const uuids: string[] = [];
  let nextFloat = 0;
  let nextUuid = 0;
  const replayed: World["random"] = {
    float: () => floats[nextFloat++] ??= random.float(),
    uuid: () => uuids[nextUuid++] ??= random.uuid(),
  };
  return { world: { ...rest, clock: stopped, random: replayed }, rewind: () => void (nextFloat = nextUuid = 0) };
}
