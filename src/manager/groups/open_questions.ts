import type { Clock } from "../../base/mod.ts";
import type { Answer, Answers, Question } from "../questions.ts";

/** How long a group may take to answer, since the others' answers wait for it. Debug pages may be large. */
const ANSWERS_WITHIN_MS: Readonly<Record<Question["about"], number>> = { metrics: 1500, journal: 1500, debug: 30_000 };

/**
 * Questions that wait for a group's answer.
 *
 * Contract:
 * 1. Each ends with its answer, or without one: after it waited too long, or after `close`.
 */
export class OpenQuestions {
  readonly #clock: Clock;
  readonly #waiting = new Map<number, (...answers: Answers[keyof Answers][]) => void>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of unanswered questions. */
  get count(): number {
    return this.#waiting.size;
  }

  /** Sends a question with `send` and waits for the answer. */
  ask<Q extends Question>(question: Q, send: (id: number, question: Q) => void): Promise<Answer<Q>[]> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const late = this.#clock.setTimer(ANSWERS_WITHIN_MS[question.about], () => {
        this.#waiting.delete(id);
        resolve([]);
      });
      this.#waiting.set(id, (...answers) => {
        late.cancel();
        resolve(answers as Answer<Q>[]);
      });
      send(id, question);
    });
  }

  /** Handles an answer. */
  answer(id: number, answer: Answers[keyof Answers]): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }

  close(): void {
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
