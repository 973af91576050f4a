import { isRawNumber } from "../../../base/mod.ts";

/** A value that does not fit its type. Where it stands is put together only then: step by step, on the way up. */
export class Misfit extends Error {
  /** The way to the value from where the error was caught last: `.spec.containers[0]`. */
  path = "";
  readonly #describe: (path: string) => string;

  constructor(describe: (path: string) => string) {
    super();
    this.#describe = describe;
  }

  /** What is wrong with the value at `path`. */
  describe(path: string): string {
    return this.#describe(path);
  }
}

/** A value of another type than is wanted: `a string`, `an object`. */
export function mismatch(value: unknown, wanted: string): Misfit {
  return new Misfit((path) => `${path === "" ? "" : `${path}: `}must be ${wanted}, not ${typeName(value)}`);
}

/** What JSON calls a value, with its article. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && !isRawNumber(value)) return "an object";
  return typeof value === "object" ? "a number" : `a ${typeof value}`;
}

/** The same error, seen from one step further up. */
export function below(step: string, error: unknown): unknown {
  if (error instanceof Misfit) error.path = step + error.path;
  return error;
}
