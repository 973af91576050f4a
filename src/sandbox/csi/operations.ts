import type { World } from "../../base/mod.ts";
import type { Operation, Outcome } from "./outcomes.ts";

/** The state of an operation on an object. */
export interface Progress {
  /** Whether an attempt has just started. */
  readonly begins: boolean;
  /** The result of the attempt, if it has ended. */
  readonly outcome?: Outcome;
  /** When to check again, in milliseconds; absent if there is nothing to wait for. */
  readonly againMs?: number;
}

/** What is known of an operation on one object. */
interface State {
  readonly goal: string;
  tries: number;
  /** When the current attempt ends. */
  endsMs?: number;
  /** No attempt starts before this time. */
  restsUntilMs: number;
  isDone: boolean;
}

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 300_000;

/**
 * Keeps track of what a driver was asked to do.
 *
 * Contract:
 * 1. An attempt takes as long as its outcome says; looking at it meanwhile starts no other.
 * 2. After a failure there is a pause of one second, which doubles with each further one, up to five minutes.
 * 3. A successful attempt stays successful, however often it is looked at, until it is forgotten.
 * 4. An attempt that does not end goes on until it is forgotten.
 *
 * Upstream: the rate limiters of the sidecars; the flags `--retry-interval-start` and `--retry-interval-max` have these
 * defaults.
 */
export class Operations {
  readonly #world: World;
  readonly #states = new Map<string, State>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Starts an operation, or checks on it.
   *
   * @param uid Identifies the object.
   * @param outcomes The results of the attempts.
   * @param goal A new goal starts a new operation, and the previous one is forgotten.
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

  /** Forgets operations on a deleted object. */
  forget(uid: string | undefined, ...operations: readonly Operation[]): void {
    for (const operation of operations) this.#states.delete(keyOf(operation, uid ?? ""));
  }
}

function keyOf(operation: Operation, uid: string): string {
  return `${operation}/${uid}`;
}
