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

/** A value of another type than is wanted. */
export function mismatch(value: unknown, wanted: string): Misfit {
  const found = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  const kind = found === "boolean" ? "bool" : found;
  return new Misfit((path) =>
    `json: cannot unmarshal ${kind} into Go struct field ${path || "object"} of type ${wanted}`
  );
}

/** The same error, seen from one step further up. */
export function below(step: string, error: unknown): unknown {
  if (error instanceof Misfit) error.path = step + error.path;
  return error;
}
