/** The named classes inside brackets, as ranges of JavaScript's. */
const NAMED: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

/** What those classes leave out. */
const NOT_NAMED: Readonly<Record<string, string>> = {
  alnum: "\\x00-\\/:-@\\[-`\\{-\\u{10ffff}",
  alpha: "\\x00-@\\[-`\\{-\\u{10ffff}",
  ascii: "\\x80-\\u{10ffff}",
  blank: "\\x00-\\x08\\n-\\x1f!-\\u{10ffff}",
  cntrl: " -~\\x80-\\u{10ffff}",
  digit: "\\x00-\\/:-\\u{10ffff}",
  graph: "\\x00- \\x7f-\\u{10ffff}",
  lower: "\\x00-`\\{-\\u{10ffff}",
  print: "\\x00-\\x1f\\x7f-\\u{10ffff}",
  punct: "\\x00- 0-9A-Za-z\\x7f-\\u{10ffff}",
  space: "\\x00-\\x08\\x0e-\\x1f!-\\u{10ffff}",
  upper: "\\x00-@\\[-\\u{10ffff}",
  word: "\\x00-\\/:-@\\[-\\^`\\{-\\u{10ffff}",
  xdigit: "\\x00-\\/:-@G-`g-\\u{10ffff}",
};

/** Perl's classes as what stands between brackets; Go's `\s` has no vertical tab and knows ASCII alone. */
const PERL: Readonly<Record<string, string>> = {
  d: NAMED.digit,
  D: NOT_NAMED.digit,
  s: "\\t\\n\\f\\r ",
  S: "\\x00-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}",
  w: NAMED.word,
  W: NOT_NAMED.word,
};

/** `[:alpha:]` or `[:^alpha:]`, as ranges; `undefined` if there is no such class. */
export function namedClass(name: string): string | undefined {
  return name.startsWith("^") ? NOT_NAMED[name.slice(1)] : NAMED[name];
}

/** `\d` and its like, as ranges. */
export function perlClass(letter: string): string | undefined {
  return PERL[letter];
}

/** `\p{L}`, `\pL`, `\P{Greek}` or `\p{^Greek}` as JavaScript has it; `undefined` if there is no such class. */
export function unicodeClass(letter: string, name: string): string | undefined {
  const isNegated = (letter === "P") !== name.startsWith("^");
  const plain = name.replace(/^\^/, "");
  for (const property of [plain, `Script=${plain}`]) {
    const text = `\\${isNegated ? "P" : "p"}{${property}}`;
    try {
      new RegExp(text, "u");
    } catch {
      continue;
    }
    // Categories and scripts alone: JavaScript knows more properties than Go.
    if (property.startsWith("Script=") || /^(Any|[A-Z][a-z]?)$/.test(plain)) return text;
  }
  return undefined;
}
