/** A place in an expression: the line from 1, and the column in characters from 0. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

const DESCRIPTION = "<input>";
const LONGEST_SNIPPET = 16_384;
const [DOT, CARET] = [".", "^"];
const [WIDE_DOT, WIDE_CARET] = ["\uff0e", "\uff3e"];
const ONE_BYTE = 0x80;

interface ShownLine {
  readonly text: string;
  readonly dots: string;
}

function shownLine(characters: readonly string[]): ShownLine {
  const dots = characters.map((character) => isWide(character) ? WIDE_DOT : DOT);
  return { text: characters.map((character) => character === "\t" ? " " : character).join(""), dots: dots.join("") };
}

/** The text of an expression, counted in characters (code points). Upstream: `common/source.go`, `common/error.go`. */
export class SourceText {
  readonly characters: readonly string[];
  /** Where the lines after the first begin. */
  readonly #starts: readonly number[];
  readonly #lines = new Map<number, ShownLine | undefined>();

  constructor(text: string) {
    this.characters = Array.from(text.toWellFormed());
    const starts: number[] = [];
    for (const [i, character] of this.characters.entries()) if (character === "\n") starts.push(i + 1);
    this.#starts = starts;
  }

  /** The location of the character at `offset`; none if it is negative. */
  location(offset: number): Location {
    if (offset < 0) return { line: -1, column: -1 };
    const lines = this.#linesUpTo(offset);
    return { line: lines + 1, column: lines === 0 ? offset : offset - this.#starts[lines - 1] };
  }

  /** A message with its place, the line, and a pointer below it. */
  display({ line, column }: Location, message: string): string {
    const head = `ERROR: ${DESCRIPTION}:${line}:${column + 1}: ${message}`;
    const shown = this.#shown(line);
    if (!shown) return head;
    const before = shown.dots.slice(0, Math.max(column, 0));
    const caret = shown.dots[before.length] === WIDE_DOT ? WIDE_CARET : CARET;
    return `${head}\n | ${shown.text}\n | ${before}${caret}`;
  }

  /** A line as displayed, and the marks below its characters; `undefined` if it does not exist or is too long. */
  #shown(line: number): ShownLine | undefined {
    if (!this.#lines.has(line)) {
      const characters = this.#line(line);
      const isShort = characters && byteLength(characters) <= LONGEST_SNIPPET;
      this.#lines.set(line, isShort ? shownLine(characters) : undefined);
    }
    return this.#lines.get(line);
  }

  #line(line: number): readonly string[] | undefined {
    if (line < 1 || line > this.#starts.length + 1 || this.characters.length === 0) return undefined;
    const start = line === 1 ? 0 : this.#starts[line - 2];
    const next = this.#starts[line - 1];
    return this.characters.slice(start, next === undefined ? undefined : next - 1);
  }

  #linesUpTo(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isWide(character: string): boolean {
  return character.codePointAt(0)! >= ONE_BYTE;
}

function byteLength(characters: readonly string[]): number {
  let bytes = 0;
  for (const character of characters) {
    const code = character.codePointAt(0)!;
    bytes += code < ONE_BYTE ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
