import { isRawNumber } from "../../../base/mod.ts";

/** A value that does not fit its type. Its path is only built in this case, step by step on the way up. */
export class Misfit extends Error {
  /** The path to the value from where the error was last caught: `.spec.containers[0]`. */
  path = "";
  /** Makes the message for a value at a path. */
  readonly describe: (path: string) => string;

  constructor(describe: (path: string) => string) {
    super();
    this.describe = describe;
  }
}

/** A value of the wrong type; `wanted` is `a string` or `an object`. */
export function mismatch(value: unknown, wanted: string): Misfit {
  return new Misfit((path) => `${path === "" ? "" : `${path}: `}must be ${wanted}, not ${typeName(value)}`);
}

/** JSON's name for a value's type, with its article. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && !isRawNumber(value)) return "an object";
  return typeof value === "object" ? "a number" : `a ${typeof value}`;
}

/** The same error, seen from one level further up. */
export function below(step: string, error: unknown): unknown {
  if (error instanceof Misfit) error.path = step + error.path;
  return error;
}
