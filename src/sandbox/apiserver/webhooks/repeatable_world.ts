import type { Clock, Random, World } from "../../../base/mod.ts";

/** A world in which the same steps can be repeated with the same result. */
export interface RepeatableWorld {
  readonly world: World;
  /** Starts over: random values repeat. */
  rewind(): void;
}

/** `world` at the present moment: time stands still, except for timers, and randomness can be repeated. */
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

/** Repeats the same values after `rewind`. */
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
