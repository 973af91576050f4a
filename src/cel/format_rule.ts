import type { Checker } from "./checker.ts";
import type { CallExpression, Expression } from "./expressions.ts";
import type { Issues } from "./issues.ts";
import type { CelKind } from "./types.ts";

/** The types that a clause such as `%d` accepts, and the error for any other. */
interface Clause {
  readonly kinds: readonly CelKind[];
  readonly message: string;
}

const CLAUSES: Readonly<Record<string, Clause>> = {
  d: { kinds: ["int", "uint"], message: "decimal clause can only be used on integers" },
  f: { kinds: ["double", "string"], message: "fixed-point clause can only be used on doubles" },
  e: { kinds: ["double", "string"], message: "scientific clause can only be used on doubles" },
  b: { kinds: ["int", "uint", "bool"], message: "only integers and bools can be formatted as binary" },
  x: {
    kinds: ["int", "uint", "string", "bytes"],
    message: "only integers, byte buffers, and strings can be formatted as hex",
  },
  o: { kinds: ["int", "uint"], message: "octal clause can only be used on integers" },
  s: {
    kinds: [
      "list",
      "map",
      "int",
      "uint",
      "double",
      "bool",
      "string",
      "timestamp",
      "bytes",
      "duration",
      "type",
      "null",
    ],
    message:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  },
};

/** An error in a format, and its position if it is not that of the call. */
class FormatProblem extends Error {
  override readonly name = "FormatProblem";
  readonly at: Expression | undefined;

  constructor(message: string, at?: Expression) {
    super(message);
    this.at = at;
  }
}

/** Checks `'...'.format([...])` if both are literals. Upstream: `ext/formatting.go` (stringFormatValidator). */
export function checkFormat({ offset, target, args }: CallExpression, checker: Checker, issues: Issues): void {
  const [list] = args;
  if (target?.kind !== "literal" || target.type !== "string" || list?.kind !== "list" || args.length !== 1) return;
  const values = list.elements.map(({ value }) => value);
  try {
    const used = checkClauses(target.text, values, checker);
    if (values.length <= used) return;
    issues.add(offset, `too many arguments supplied to string.format (expected ${used}, got ${values.length})`);
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    issues.add(error.at?.offset ?? offset, error.message);
  }
}

/** The number of values that a format uses. */
function checkClauses(format: string, values: readonly Expression[], checker: Checker): number {
  let used = 0;
  for (let at = format.indexOf("%"); at >= 0; at = format.indexOf("%", at)) {
    if (format[at + 1] === "%") {
      at += 2;
      continue;
    }
    const value = values[used++];
    if (at + 1 >= format.length) throw new FormatProblem("unexpected end of string");
    if (!value) throw new FormatProblem(`index ${used - 1} out of range`);
    const end = precisionEnd(format, at + 1);
    const letter = String.fromCodePoint(format.codePointAt(end)!);
    checkClause(letter, value, checker);
    at = end + 1;
  }
  return used;
}

/** The position of a clause's letter. */
function precisionEnd(format: string, at: number): number {
  if (format[at] !== ".") return at;
  let end = at + 1;
  while (format[end] >= "0" && format[end] <= "9") end++;
  const problem = (what: string) =>
    new FormatProblem(`could not parse formatting clause: error while parsing precision: ${what}`);
  if (end >= format.length) throw problem("could not find end of precision specifier");
  const digits = format.slice(at + 1, end);
  const wrong = digits === "" ? "invalid syntax" : BigInt(digits) >= 2n ** 63n ? "value out of range" : undefined;
  if (!wrong) return end;
  throw problem(
    `error while converting precision to integer: strconv.Atoi: parsing ${JSON.stringify(digits)}: ${wrong}`,
  );
}

function checkClause(letter: string, value: Expression, checker: Checker): void {
  const clause = CLAUSES[letter === "X" ? "x" : letter];
  if (!clause) throw new FormatProblem(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
  const wrong = letter === "s" ? unprintable(value, checker) : isOneOf(value, clause, checker) ? undefined : value;
  if (!wrong) return;
  const message = `error during formatting: ${clause.message}, was given ${checker.typeOf(wrong).name}`;
  throw new FormatProblem(message, wrong);
}

function isOneOf(value: Expression, { kinds }: Clause, checker: Checker): boolean {
  const { kind } = checker.typeOf(value);
  return kind === "dyn" || kinds.includes(kind);
}

/** The first part of a value that cannot be printed. */
function unprintable(value: Expression, checker: Checker): Expression | undefined {
  if (!isOneOf(value, CLAUSES.s, checker)) return value;
  const parts = value.kind === "list"
    ? value.elements.map((element) => element.value)
    : value.kind === "map"
    ? value.entries.flatMap((entry) => [entry.key, entry.value])
    : [];
  for (const part of parts) {
    const wrong = unprintable(part, checker);
    if (wrong) return wrong;
  }
  return undefined;
}
