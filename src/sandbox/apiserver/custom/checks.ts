import { type FieldErrors, quote } from "../validation/mod.ts";

/** What is wrong with a value. Upstream: `kube-openapi/pkg/validation/errors`. */
export interface Problem {
  /** Whole, as two problems are the same that say the same. */
  readonly text: string;
  /** The path of the value; absent where upstream does not tell. */
  readonly at?: string;
  /** Adds it to `errors` as one of `field`. */
  report(errors: FieldErrors, field: string): void;
}

/**
 * What checking a value found.
 *
 * `matches` counts what was right: of several schemas of which one must fit, the one that fitted best is the one whose problems
 * are told.
 */
export class Findings {
  readonly problems: Problem[] = [];
  matches = 0;

  add(problem: Problem): void {
    if (!this.problems.some(({ text }) => text === problem.text)) this.problems.push(problem);
  }

  merge({ problems, matches }: Findings): void {
    for (const problem of problems) this.add(problem);
    this.matches += matches;
  }
}

/** The value that `path` had before, where that can be told; see {@link Check}. */
export interface Before {
  readonly value: unknown;
}

/**
 * One compiled schema.
 *
 * @param path How the value is called in messages, such as `spec.items[0]`.
 * @param before Set for updates that forgive what was wrong before and has not changed.
 */
export type Check = (value: unknown, path: string, found: Findings, before?: Before) => void;

/** Gives `errors` what was found, below `root`. */
export function reportFindings({ problems }: Findings, root: string, errors: FieldErrors): void {
  for (const problem of problems) {
    const at = problem.at === undefined || problem.at === "." ? "" : problem.at.replace(/^\./, "");
    problem.report(errors, root && at ? `${root}.${at}` : root || at || "<nil>");
  }
}

/** A problem of a value that is not what it should be. */
export function wrong(at: string, value: unknown, text: string): Problem {
  return { at, text, report: (errors, field) => errors.invalid(field, value ?? "", text) };
}

/** A problem that upstream reports without saying where; `text` does. */
export function misplaced(text: string): Problem {
  return { text, report: (errors, field) => errors.invalid(field, "", text) };
}

/** A problem of a value of another type. */
export function ofWrongType(at: string, wanted: string, found: string): Problem {
  const text = `${at} in body must be of type ${wanted}: ${quote(found)}`;
  return { at, text, report: (errors, field) => errors.typeInvalid(field, found, text) };
}
