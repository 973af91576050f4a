import type { FieldErrors } from "../validation/mod.ts";

/** A validation error. Made into words only when it is reported, since one of several schemas may still match. */
export interface Problem {
  /** The value's path; empty if upstream does not give it. */
  readonly at: string;
  /** Adds it to `errors` as an error of `field`. */
  report(errors: FieldErrors, field: string): void;
}

/**
 * The result of checking a value.
 *
 * `matches` counts what was right: if one of several schemas must match, the problems of the best match are reported.
 */
export class Findings {
  readonly problems: Problem[] = [];
  matches = 0;

  add(at: string, report: Problem["report"]): void {
    this.problems.push({ at, report });
  }

  invalid(at: string, value: unknown, why: string): void {
    this.add(at, (errors, field) => errors.invalid(field, value ?? "", why));
  }

  merge({ problems, matches }: Findings): void {
    for (const problem of problems) this.problems.push(problem); // too many to be arguments of one call
    this.matches += matches;
  }
}

/** The previous value at `path`, if known; see {@link Check}. */
export interface Before {
  readonly value: unknown;
}

/**
 * A compiled schema.
 *
 * @param path The value's path, such as `spec.items[0]`.
 * @param before Set for updates, which accept old errors in unchanged values.
 */
export type Check = (value: unknown, path: string, found: Findings, before?: Before) => void;

/** Adds the problems to `errors`, below `root`. */
export function reportFindings({ problems }: Findings, root: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const problem of problems) {
    const at = problem.at.replace(/^\./, "");
    const count = errors.count;
    problem.report(errors, root && at ? `${root}.${at}` : root || at || "<nil>");
    const { field, message } = errors.causes[count];
    // Several schemas may say the same.
    if (seen.has(`${field}: ${message}`)) errors.forgetSince(count);
    seen.add(`${field}: ${message}`);
  }
}
