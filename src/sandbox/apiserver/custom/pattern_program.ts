import { PatternError } from "./pattern_error.ts";

/** A condition on a place between two characters. */
export type Assertion = (characters: readonly string[], at: number) => boolean;

export type PatternPart =
  | { readonly kind: "character"; readonly fits: RegExp }
  | { readonly kind: "assertion"; readonly holds: Assertion }
  | { readonly kind: "group"; readonly alternatives: readonly (readonly PatternPart[])[] }
  | { readonly kind: "repeat"; readonly part: PatternPart; readonly least: number; readonly most: number };

type Step =
  | { readonly kind: "character"; readonly fits: RegExp }
  | { readonly kind: "assertion"; readonly holds: Assertion }
  /** Continues at each of these steps. */
  | { readonly kind: "fork"; readonly to: number[] }
  | { readonly kind: "match" };

/** The steps of the largest program, which bounds the cost of each character of a text. */
const MOST_STEPS = 10_000;

/**
 * A compiled pattern. It reads a text once and follows all possible matches at the same time, so its time is linear in
 * the length of the text for any pattern. Upstream: `regexp/exec.go`.
 */
export class PatternProgram {
  readonly #steps: Step[] = [];
  /** The round in which each step was last reached. */
  readonly #reached: Float64Array;
  #round = 0;

  /** @throws {PatternError} If the program would be too large. */
  constructor(alternatives: readonly (readonly PatternPart[])[], source: string) {
    this.#compileGroup(alternatives, source);
    this.#add({ kind: "match" }, source);
    this.#reached = new Float64Array(this.#steps.length);
  }

  /** Whether the pattern matches anywhere in `text`. */
  test(text: string): boolean {
    const characters = Array.from(text);
    let places: number[] = [];
    for (let at = 0;; at++) {
      this.#round++;
      const here: number[] = [];
      for (const place of places) if (this.#reach(place, here, characters, at)) return true;
      // A match may begin at any character.
      if (this.#reach(0, here, characters, at)) return true;
      if (at === characters.length) return false;
      places = [];
      for (const place of here) {
        const step = this.#steps[place];
        if (step.kind === "character" && step.fits.test(characters[at])) places.push(place + 1);
      }
    }
  }

  /** Adds the steps that can consume the next character, starting at `place`; true if the pattern has matched. */
  #reach(place: number, here: number[], characters: readonly string[], at: number): boolean {
    const open = [place];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#reached[next] === this.#round) continue;
      this.#reached[next] = this.#round;
      const step = this.#steps[next];
      if (step.kind === "match") return true;
      if (step.kind === "character") here.push(next);
      else if (step.kind === "fork") open.push(...step.to);
      else if (step.holds(characters, at)) open.push(next + 1);
    }
    return false;
  }

  #add(step: Step, source: string): void {
    if (this.#steps.length >= MOST_STEPS) throw new PatternError("expression too large", source);
    this.#steps.push(step);
  }

  #fork(source: string): number[] {
    const to: number[] = [];
    this.#add({ kind: "fork", to }, source);
    return to;
  }

  #compile(part: PatternPart, source: string): void {
    if (part.kind === "group") this.#compileGroup(part.alternatives, source);
    else if (part.kind === "repeat") this.#compileRepeat(part, source);
    else this.#add(part, source);
  }

  #compileGroup(alternatives: readonly (readonly PatternPart[])[], source: string): void {
    const starts = this.#fork(source);
    const ends: number[][] = [];
    for (const parts of alternatives) {
      starts.push(this.#steps.length);
      for (const part of parts) this.#compile(part, source);
      ends.push(this.#fork(source));
    }
    for (const end of ends) end.push(this.#steps.length);
  }

  #compileRepeat({ part, least, most }: PatternPart & { readonly kind: "repeat" }, source: string): void {
    for (let i = 0; i < least; i++) this.#compile(part, source);
    if (most === Infinity) {
      const start = this.#steps.length;
      const into = this.#fork(source);
      into.push(this.#steps.length);
      this.#compile(part, source);
      this.#fork(source).push(start);
      into.push(this.#steps.length);
      return;
    }
    const exits: number[][] = [];
    for (let i = least; i < most; i++) {
      const into = this.#fork(source);
      into.push(this.#steps.length);
      exits.push(into);
      this.#compile(part, source);
    }
    for (const exit of exits) exit.push(this.#steps.length);
  }
}
