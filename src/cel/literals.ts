import type { LiteralKind } from "./expressions.ts";
import type { Token, TokenKind } from "./tokens.ts";
import { unescapeString } from "./unescape.ts";

/** A constant, or its error. */
interface Literal {
  readonly type: LiteralKind;
  readonly text: string;
  readonly wrong?: string;
}

/** Tokens that may have a sign. */
export const NUMBERS: ReadonlySet<TokenKind> = new Set<TokenKind>(["int", "double"]);
const [SMALLEST_INT, LARGEST_INT, LARGEST_UINT] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n];

/** Longer numbers are out of range and slow to read. */
const MOST_DIGITS = 20;

function integer(text: string): bigint | undefined {
  const isHex = text.startsWith("0x");
  const digits = (isHex ? text.slice(2) : text).replace(/^0+(?=.)/, "");
  return digits.length > MOST_DIGITS ? undefined : BigInt(isHex ? `0x${digits}` : digits);
}

/** The value of a token, if it is a constant. Upstream: VisitInt and the like of `parser/parser.go`. */
export function literalOf({ kind, text }: Token, sign: Token | undefined): Literal | undefined {
  switch (kind) {
    case "int": {
      const number = integer(text);
      const isInRange = number !== undefined && number <= (sign ? -SMALLEST_INT : LARGEST_INT);
      return { type: "int", text, ...(isInRange ? {} : { wrong: "invalid int literal" }) };
    }
    case "uint": {
      const number = integer(text.slice(0, -1));
      const isInRange = number !== undefined && number <= LARGEST_UINT;
      return { type: "uint", text, ...(isInRange ? {} : { wrong: "invalid uint literal" }) };
    }
    case "double": {
      const isInRange = Number.isFinite(Number(text));
      return { type: "double", text, ...(isInRange ? {} : { wrong: "invalid double literal" }) };
    }
    case "string":
    case "bytes": {
      const read = unescapeString(kind === "bytes" ? text.slice(1) : text, kind === "bytes");
      return "wrong" in read ? { type: kind, text, wrong: read.wrong } : { type: kind, text: read.text };
    }
    case "true":
    case "false":
      return { type: "bool", text: kind };
    case "null":
      return { type: "null", text: kind };
    default:
      return undefined;
  }
}
