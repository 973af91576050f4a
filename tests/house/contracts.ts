// deno-lint-ignore-file no-console
/**
 * Numbered sentences of contracts, and the tests that quote them.
 *
 * A test quotes a sentence when its name holds the name of what promises it and then the sentence's opening: its words up
 * to the first `.`, `;` or `:`, or the first ten of them. Case and punctuation do not matter, so that both of these do:
 *
 *     DeltaFifo: a re-list is one atomic replacement
 *     DeltaFifo, sentence 3: "A re-list is one atomic replacement", also while a pop waits
 *
 * A step counts as a test, its name behind that of the test around it. `deno run --allow-read tests/house/contracts.ts
 * [FOLDER]` prints how many sentences of each room are quoted, and those below FOLDER that are not.
 */
import { fromFileUrl, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

const MOST_WORDS = 10;

export interface Sentence {
  readonly file: string;
  /** The class, interface or function that promises it; the file's name where the comment stands before none. */
  readonly symbol: string;
  readonly number: number;
  readonly text: string;
}

/** The sentences of every contract in a source file. */
export function sentencesIn(file: string, source: string): Sentence[] {
  const found: Sentence[] = [];
  for (let at = source.indexOf("/**"); at >= 0; at = source.indexOf("/**", at + 3)) {
    const end = source.indexOf("*/", at);
    if (end < 0) break;
    const items = numberedItems(source.slice(at, end));
    const symbol = symbolBehind(source, end + 2) ?? file.slice(file.lastIndexOf("/") + 1, -".ts".length);
    found.push(...items.map(({ number, text }) => ({ file, symbol, number, text })));
  }
  return found;
}

function numberedItems(comment: string): { number: number; text: string }[] {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, ""));
  const start = lines.findIndex((line) => line.startsWith("Contract") && line.endsWith(":"));
  if (start < 0) return [];
  const items: { number: number; text: string }[] = [];
  for (const line of lines.slice(start + 1)) {
    const [, number, text] = line.match(/^(\d+)\. (.*)/) ?? [];
    if (number) items.push({ number: Number(number), text });
    else if (line.trim() === "" || items.length === 0) break;
    else items[items.length - 1].text += ` ${line.trim()}`;
  }
  return items;
}

/** The name that the declaration behind a comment gives, which begins within a few hundred characters. */
function symbolBehind(source: string, at: number): string | undefined {
  const declaration = source.slice(at, at + 300).trimStart();
  return declaration.match(
    /^(?:export |default |declare |abstract |async )*(?:class|interface|function\*?|const|type|namespace) (\w+)/,
  )?.[1];
}

/** The names of the tests in a file, as far as they stand there: what a template fills in is left out. */
export function testNamesIn(source: string): string[] {
  const names: string[] = [];
  let test = "";
  for (const match of source.matchAll(/\bDeno\.test(?:\.\w+)?\(|\.step\(/g)) {
    const start = source.slice(match.index + match[0].length, match.index + match[0].length + 200);
    const skipped = start.match(/^\s*(?:\{\s*name:\s*)?/)![0].length;
    const name = literalAt(source, match.index + match[0].length + skipped);
    if (name === undefined) continue;
    if (match[0] === ".step(") names.push(`${test} ${name}`);
    else names.push(test = name);
  }
  return names;
}

/** The string that begins at `at`, and those added to it by `+`. */
function literalAt(source: string, at: number): string | undefined {
  const quote = source[at];
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
  let text = "";
  let end = at + 1;
  for (; end < source.length && source[end] !== quote; end++) {
    if (source[end] === "\\") text += source[++end];
    else if (quote === "`" && source.startsWith("${", end)) {
      const hole = source.indexOf("}", end);
      if (hole < 0) return text;
      text += HOLE;
      end = hole;
    } else text += source[end];
  }
  const more = source.slice(end + 1, end + 200).match(/^\s*\+\s*/);
  return more ? text + (literalAt(source, end + 1 + more[0].length) ?? "") : text;
}

/** A word that no sentence holds. */
const HOLE = " 0000 ";

function wordsOf(text: string): string[] {
  return text.replaceAll("{@link ", "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What a test has to quote of a sentence. */
export function openingOf(text: string): string {
  const [clause] = text.split(/[.;:](?:\s|$)/, 1);
  return wordsOf(clause).slice(0, MOST_WORDS).join(" ");
}

/** Those of the sentences that no test's name quotes. */
export function unquoted(sentences: readonly Sentence[], testNames: readonly string[]): Sentence[] {
  const namesBySymbol = new Map<string, string[]>(sentences.map(({ symbol }) => [symbol.toLowerCase(), []]));
  for (const name of testNames) {
    const words = wordsOf(name);
    for (const [place, word] of words.entries()) {
      namesBySymbol.get(word)?.push(` ${words.slice(place + 1).join(" ")} `);
    }
  }
  return sentences.filter(({ symbol, text }) => {
    const opening = ` ${openingOf(text)} `;
    return !namesBySymbol.get(symbol.toLowerCase())!.some((name) => name.includes(opening));
  });
}

/** All sentences of `src`, and those that no test in `tests` quotes. */
export async function readContracts(): Promise<{ sentences: Sentence[]; owed: Sentence[] }> {
  const sentences: Sentence[] = [];
  for await (const { file, text } of sourceFiles("src")) sentences.push(...sentencesIn(file, text));
  const names: string[] = [];
  for await (const { text } of sourceFiles("tests")) names.push(...testNamesIn(text));
  return { sentences, owed: unquoted(sentences, names) };
}

async function* sourceFiles(folder: string): AsyncGenerator<{ file: string; text: string }> {
  for await (const entry of Deno.readDir(`${ROOT}${folder}`)) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* sourceFiles(file);
    else if (entry.name.endsWith(".ts")) yield { file, text: await Deno.readTextFile(`${ROOT}${file}`) };
  }
}

function printTable(sentences: readonly Sentence[], owed: readonly Sentence[], folder: string): void {
  const roomOf = ({ file }: Sentence) => file.slice(0, file.lastIndexOf("/"));
  const rooms = Map.groupBy(sentences, roomOf);
  const owing = Map.groupBy(owed, roomOf);
  for (const room of [...rooms.keys()].sort()) {
    const count = rooms.get(room)!.length;
    console.log(
      `${String(count - (owing.get(room)?.length ?? 0)).padStart(4)} of ${String(count).padStart(3)}  ${room}`,
    );
  }
  console.log(`${String(sentences.length - owed.length).padStart(4)} of ${sentences.length}  in all`);
  for (const { file, symbol, number, text } of owed.filter(({ file }) => file.startsWith(`${folder}/`))) {
    console.log(`${file}: ${symbol} ${number}. ${text}`);
  }
}

if (import.meta.main) {
  const { sentences, owed } = await readContracts();
  const folder = Deno.args[0] ? relative(ROOT, `${Deno.cwd()}/${Deno.args[0]}`) : "none";
  printTable(sentences, owed, folder);
}
