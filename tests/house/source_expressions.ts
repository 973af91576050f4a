/** Every regular expression in the source: those written as literals, and those that modules compose as they load. */
import { fromFileUrl, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** A regular expression, and where it is in the source. */
export interface SourceExpression {
  readonly file: string;
  readonly line: number;
  readonly expression: RegExp;
}

/** What the source has. */
export interface SourceExpressions {
  readonly literals: readonly SourceExpression[];
  /** Those made by `new RegExp(…)` before anything is called. */
  readonly composed: readonly SourceExpression[];
  /** `file:line` of each `new RegExp(…)`, whenever it runs. */
  readonly constructions: readonly string[];
}

/** Reads all of `src`, and loads the modules that compose expressions. */
export async function sourceExpressions(): Promise<SourceExpressions> {
  const literals: SourceExpression[] = [];
  const constructions: string[] = [];
  const composing = new Set<string>();
  for (const path of sourceFiles(`${ROOT}src`)) {
    const file = relative(ROOT, path);
    const text = Deno.readTextFileSync(path);
    const lineOf = ({ range: [start] }: Deno.lint.Node) => text.slice(0, start).split("\n").length;
    const isRegExp = (node: Deno.lint.Node) => node.type === "Identifier" && node.name === "RegExp";
    const construction = (node: Deno.lint.NewExpression | Deno.lint.CallExpression) => {
      if (!isRegExp(node.callee)) return;
      constructions.push(`${file}:${lineOf(node)}`);
      composing.add(path);
    };
    visit(path, text, {
      Literal: (node) => {
        if (!("regex" in node) || !node.regex) return;
        const { pattern, flags } = node.regex;
        literals.push({ file, line: lineOf(node), expression: new RegExp(pattern, flags) });
      },
      NewExpression: construction,
      CallExpression: construction,
    });
  }
  return { literals, composed: await composedBy(composing), constructions };
}

function* sourceFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sourceFiles(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

function visit(path: string, text: string, visitor: Deno.lint.LintVisitor): void {
  Deno.lint.runPlugin({ name: "house", rules: { expressions: { create: () => visitor } } }, path, text);
}

/** Loads modules while every `new RegExp` notes who calls it. */
async function composedBy(paths: Iterable<string>): Promise<SourceExpression[]> {
  const composed: SourceExpression[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given: [pattern: string | RegExp, flags?: string], newTarget) {
      const expression = Reflect.construct(target, given, newTarget) as RegExp;
      const caller = new Error().stack?.split("\n")[2] ?? "";
      const place = caller.match(/file:\/\/(.*?):(\d+):\d+\)?$/);
      if (place?.[1].startsWith(`${ROOT}src/`)) {
        composed.push({ file: relative(ROOT, place[1]), line: Number(place[2]), expression });
      }
      return expression;
    },
  });
  try {
    for (const path of paths) await import(`file://${path}`);
  } finally {
    globalThis.RegExp = original;
  }
  return composed;
}
