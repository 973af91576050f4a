import type { World } from "../../base/mod.ts";
import type { Operation, Outcome } from "./outcomes.ts";

/** An operation on one object, as it stands. */
export interface Progress {
  /** Whether the driver was asked just now. */
  readonly begins: boolean;
  /** What the try came to, if it has ended. */
  readonly outcome?: Outcome;
  /** When to look again, in milliseconds from now; absent if there is nothing to wait for. */
  readonly againMs?: number;
}

/** What is known of an operation on one object. */
interface State {
  readonly goal: string;
  tries: number;
  /** When the try that is under way ends. */
  endsMs?: number;
  /** Before this no other try begins. */
  restsUntilMs: number;
  isDone: boolean;
}

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 300_000;

/**
 * What a driver has been asked to do, and how far that is.
 *
 * Contract:
 * 1. A try takes as long as its outcome says; whoever looks meanwhile begins no other.
 * 2. After a failure there is a rest of one second, which doubles with each further one, up to five minutes.
 * 3. A try that succeeded stays so, however often it is looked at, until it is forgotten.
 * 4. A try that comes to no end goes on until it is forgotten.
 *
 * Upstream: the rate limiters of the sidecars, whose flags `--retry-interval-start` and `--retry-interval-max` default to these.
 */
export class Operations {
  readonly #world: World;
  readonly #states = new Map<string, State>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Begins an operation, or looks how far it is.
   *
   * @param uid Of the object that it is about.
   * @param outcomes Of its tries.
   * @param goal Another one is another operation, and the one before is forgotten.
   */
  look(operation: Operation, uid: string, outcomes: readonly Outcome[], goal = ""): Progress {
    const key = keyOf(operation, uid);
    const nowMs = this.#world.clock.monotonicMs();
    let state = this.#states.get(key);
    if (state?.goal !== goal) this.#states.set(key, state = { goal, tries: 0, restsUntilMs: 0, isDone: false });
    const outcome = outcomes[Math.min(state.tries, outcomes.length - 1)];
    if (state.isDone) return { begins: false, outcome: { ...outcome, result: "ok" } };
    if (state.restsUntilMs > nowMs) return { begins: false, againMs: state.restsUntilMs - nowMs };
    const begins = state.endsMs === undefined;
    state.endsMs ??= nowMs + outcome.afterMs;
    if (state.endsMs === Infinity) return { begins };
    if (state.endsMs > nowMs) return { begins, againMs: state.endsMs - nowMs };
    state.endsMs = undefined;
    state.isDone = outcome.result === "ok";
    if (state.isDone) return { begins, outcome };
    const againMs = Math.min(FIRST_RETRY_MS * 2 ** state.tries, LAST_RETRY_MS);
    state.tries++;
    state.restsUntilMs = nowMs + againMs;
    return { begins, outcome, againMs };
  }

  /** Forgets operations on an object that is gone. */
  forget(uid: string | undefined, ...operations: readonly Operation[]): void {
    for (const operation of operations) this.#states.delete(keyOf(operation, uid ?? ""));
  }
}

function keyOf(operation: Operation, uid: string): string {
  return `${operation}/${uid}`;
}
