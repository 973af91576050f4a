import { type FieldErrors, quote } from "../validation/mod.ts";

/** A validation error. Upstream: `kube-openapi/pkg/validation/errors`. */
export interface Problem {
  /** The whole message; problems with equal messages are the same. */
  readonly text: string;
  /** The value's path; absent if upstream does not give it. */
  readonly at?: string;
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

  add(problem: Problem): void {
    if (!this.problems.some(({ text }) => text === problem.text)) this.problems.push(problem);
  }

  merge({ problems, matches }: Findings): void {
    for (const problem of problems) this.add(problem);
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
 * @param path The value's path in messages, such as `spec.items[0]`.
 * @param before Set for updates, which accept old errors in unchanged values.
 */
export type Check = (value: unknown, path: string, found: Findings, before?: Before) => void;

/** Adds the problems to `errors`, below `root`. */
export function reportFindings({ problems }: Findings, root: string, errors: FieldErrors): void {
  for (const problem of problems) {
    const at = problem.at === undefined || problem.at === "." ? "" : problem.at.replace(/^\./, "");
    problem.report(errors, root && at ? `${root}.${at}` : root || at || "<nil>");
  }
}

export function wrong(at: string, value: unknown, text: string): Problem {
  return { at, text, report: (errors, field) => errors.invalid(field, value ?? "", text) };
}

/** A problem that upstream reports without a field; its text has the path. */
export function misplaced(text: string): Problem {
  return { text, report: (errors, field) => errors.invalid(field, "", text) };
}

export function ofWrongType(at: string, wanted: string, found: string): Problem {
  const text = `${at} in body must be of type ${wanted}: ${quote(found)}`;
  return { at, text, report: (errors, field) => errors.typeInvalid(field, found, text) };
}
