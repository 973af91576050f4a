import { sleepS } from "../loads/kit.ts";

/** How often a batch of them begins. */
const BATCHES_A_SECOND = 10;
/** Beyond so many under way the server cannot keep up, and no more begin. */
const MOST_UNDER_WAY = 200;

/** Does something again and again at a steady rate, whether or not what came before has ended. */
export class Steady implements AsyncDisposable {
  readonly #act: (i: number) => Promise<void>;
  readonly #perBatch: number;
  readonly #running: Promise<void>;
  readonly #underWay = new Set<Promise<void>>();
  #isEnded = false;
  #owed = 0;
  #done = 0;
  #failures: string[] = [];

  /** Calls `act` with 0, 1, 2 and so on, `perSecond` times a second. */
  constructor(perSecond: number, act: (i: number) => Promise<void>) {
    this.#act = act;
    this.#perBatch = perSecond / BATCHES_A_SECOND;
    this.#running = this.#run();
  }

  /** How often it was done. */
  get done(): number {
    return this.#done;
  }

  /** Begins no more, and waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    await this.#running;
    await Promise.all(this.#underWay);
    if (this.#failures.length > 0) throw new Error(`${this.#failures.length} failed: ${this.#failures[0]}`);
  }

  async #run(): Promise<void> {
    const began = performance.now();
    let next = 0;
    for (let batch = 1; !this.#isEnded; batch++) {
      this.#owed += this.#perBatch;
      for (; this.#owed >= 1 && this.#underWay.size < MOST_UNDER_WAY; this.#owed--) this.#begin(next++);
      this.#owed = Math.min(this.#owed, Math.max(1, this.#perBatch));
      await sleepS(Math.max(0, batch / BATCHES_A_SECOND - (performance.now() - began) / 1000));
    }
  }

  #begin(i: number): void {
    const act = this.#act(i).then(() => void this.#done++, (error) => void this.#failures.push(String(error)))
      .finally(() => this.#underWay.delete(act));
    this.#underWay.add(act);
  }
}
