import type { Clock, Random, World } from "../../../base/mod.ts";

/** A world in which something can be done more than once with the same outcome. */
export interface RepeatableWorld {
  readonly world: World;
  /** Begins anew: randomness gives what it gave before. */
  rewind(): void;
}

/** `world` at the present moment: its time stands still, except for timers, and its randomness can be had again. */
export function repeatable({ clock, random, files, log }: World): RepeatableWorld {
  const replayed = new ReplayedRandom(random);
  return { world: { clock: stopped(clock), random: replayed, files, log }, rewind: () => replayed.rewind() };
}

function stopped(clock: Clock): Clock {
  const [wallMs, monotonicMs] = [clock.wallMs(), clock.monotonicMs()];
  return {
    wallMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    setTimer: (delayMs, fn) => clock.setTimer(delayMs, fn),
    nextTurn: () => clock.nextTurn(),
  };
}

/** Gives the same values again after `rewind`. */
class ReplayedRandom implements Random {
  readonly #random: Random;
  readonly #floats: number[] = [];
  readonly #uuids: string[] = [];
  #nextFloat = 0;
  #nextUuid = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  rewind(): void {
    this.#nextFloat = 0;
    this.#nextUuid = 0;
  }

  float(): number {
    return this.#floats[this.#nextFloat++] ??= this.#random.float();
  }

  uuid(): string {
    return this.#uuids[this.#nextUuid++] ??= this.#random.uuid();
  }
}
