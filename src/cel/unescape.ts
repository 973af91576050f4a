const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const DIGITS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };
const LARGEST = 0x10ffff;

/**
 * The value of a string literal whose token is well formed.
 *
 * @returns The text, or its error. Upstream: `parser/unescape.go`.
 */
export function unescapeString(
  token: string,
  isBytes: boolean,
): { readonly text: string } | { readonly wrong: string } {
  const isRaw = token[0] === "r" || token[0] === "R";
  const quoted = (isRaw ? token.slice(1) : token).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const isTriple = quoted.length >= 6 && quoted[0] === quoted[1] && quoted[0] === quoted[2];
  const inner = isTriple ? quoted.slice(3, -3) : quoted.slice(1, -1);
  if (isRaw || !inner.includes("\\")) return { text: inner };
  const parts: string[] = [];
  for (let at = 0; at < inner.length;) {
    if (inner[at] !== "\\") {
      parts.push(inner[at++]);
      continue;
    }
    const what = inner[at + 1];
    const digits = DIGITS[what];
    if (digits !== undefined) {
      if (isBytes && digits > 2) return { wrong: "unable to unescape string" };
      const code = parseInt(inner.slice(at + 2, at + 2 + digits), 16);
      if (!isBytes && !isRune(code)) return { wrong: "invalid unicode code point" };
      parts.push(String.fromCodePoint(code));
      at += 2 + digits;
    } else if (what >= "0" && what <= "3") {
      parts.push(String.fromCodePoint(parseInt(inner.slice(at + 1, at + 4), 8)));
      at += 4;
    } else {
      parts.push(SIMPLE[what] ?? what);
      at += 2;
    }
  }
  return { text: parts.join("") };
}

function isRune(code: number): boolean {
  return code <= LARGEST && (code < 0xd800 || code > 0xdfff);
}
