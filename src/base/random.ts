/** The source of randomness. */
export interface Random {
  /** Uniform in [0, 1). */
  float(): number;
  /** A version 4 UUID. */
  uuid(): string;
}

/** The platform's randomness. */
export class SystemRandom implements Random {
  float(): number {
    return Math.random();
  }

  uuid(): string {
    return crypto.randomUUID();
  }
}

/**
 * Randomness that is the same for the same seed (mulberry32), for tests and simulations.
 *
 * @example
 * ```ts
 * import { SeededRandom } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(new SeededRandom(7).uuid(), new SeededRandom(7).uuid());
 * ```
 */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed = 1) {
    this.#state = seed >>> 0;
  }

  float(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  uuid(): string {
    const digit = () => Math.floor(this.float() * 16).toString(16);
    return "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, digit);
  }
}
