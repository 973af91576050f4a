/** Flags that commands about objects share with kubectl. */
import { FlagError, type Flags } from "../manager/mod.ts";

const LONG: Readonly<Record<string, string>> = { n: "namespace", o: "output", h: "help" };

/** Converts kubectl's short flags, `-n x`, `-n=x` and `-nx`, to long ones. */
export function spelledOut(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return args.map((arg, index) => {
    const [, letter, value] = /^-([noh])=?(.*)$/.exec(index < end ? arg : "") ?? [];
    if (letter === undefined) return arg;
    return `--${LONG[letter]}${value === "" ? "" : `=${value}`}`;
  });
}

/**
 * The value of `--output`.
 * @throws {FlagError} If it is neither text nor json.
 */
export function outputOf(flags: Flags): "text" | "json" {
  const output = flags.string("output");
  if (output === "text" || output === "json") return output;
  throw new FlagError(`invalid argument ${JSON.stringify(output)} for "--output" flag: it must be text or json`);
}
