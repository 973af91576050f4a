/** Texts that are made from a regular expression to make it slow: a way in, something that repeats, a way to fail. */
import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import type { Backtracking } from "./backtracking.ts";

/** `prefix`, then `pump` again and again, then `suffix`. */
export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

/** How many shapes of one part are tried. */
const MAX_SHAPES = 4;
/** Pairs of characters are tried as pumps where no more kinds of characters are told apart. */
const MAX_PAIRED = 8;

const CHARACTERS = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  "\u00e9",
  "\u2028",
  "\u4e2d",
];

/** Attacks on one expression: any kind of character that it tells apart, and any text that one of its loops goes through. */
export function* attacksOn(expression: Backtracking): Generator<Attack> {
  const { loops, texts } = partsOf(expression);
  const kinds = kindsOf(expression);
  const strange = strangest(expression, kinds);
  const suffixes = new Set(["", "\n", strange]);
  const pairs = kinds.length <= MAX_PAIRED ? kinds.flatMap((a) => kinds.filter((b) => a !== b).map((b) => a + b)) : [];
  const ways: [prefixes: Iterable<string>, pumps: Iterable<string>][] = [
    [new Set(["", strange, ...loops.flatMap(({ prefixes }) => prefixes)]), kinds],
    [[""], new Set([...texts, ...pairs, ...loops.flatMap(({ prefixes }) => prefixes)])],
    ...loops.map(({ prefixes, bodies }) => [prefixes, bodies] as [string[], string[]]),
  ];
  for (const [prefixes, pumps] of ways) {
    for (const prefix of prefixes) {
      for (const pump of pumps) {
        if (pump !== "") { for (const suffix of suffixes) yield { prefix, pump, suffix }; }
      }
    }
  }
}

interface Loop {
  readonly prefixes: string[];
  readonly bodies: string[];
}

function partsOf(expression: Backtracking): { loops: Loop[]; texts: string[] } {
  const loops: Loop[] = [];
  const texts = new Set<string>();
  const shapes = (element: AST.Element) => shapesOf(element, expression);
  visitRegExpAST(expression.pattern, {
    onQuantifierEnter: (node) => {
      const bodies = shapes(node.element as AST.Element);
      loops.push({ prefixes: waysTo(node, shapes), bodies });
    },
    onAlternativeEnter: ({ elements }) => {
      for (let from = 0; from < elements.length; from++) {
        for (const text of joined(elements.slice(from).map(shapes))) texts.add(text);
      }
    },
  });
  return { loops, texts: [...texts] };
}

/** Texts that lead to `node` from the expression's start. */
function waysTo(node: AST.Node, shapes: (element: AST.Element) => string[]): string[] {
  let before: string[][] = [];
  for (let inner: AST.Node = node; inner.parent; inner = inner.parent) {
    const { parent } = inner;
    if (parent.type !== "Alternative") continue;
    before = [...parent.elements.slice(0, parent.elements.indexOf(inner as AST.Element)).map(shapes), ...before];
  }
  return joined(before);
}

/** Some texts that match `element`: each loop goes round once, or not at all where it may. */
function shapesOf(element: AST.Element, expression: Backtracking): string[] {
  switch (element.type) {
    case "Group":
    case "CapturingGroup":
      return element.alternatives
        .flatMap(({ elements }) => joined(elements.map((inner) => shapesOf(inner, expression))))
        .slice(0, 2 * MAX_SHAPES);
    case "Quantifier": {
      const once = shapesOf(element.element as AST.Element, expression).map((text) =>
        text.repeat(Math.max(1, element.min))
      );
      return element.min === 0 ? [...once, ""] : once;
    }
    case "Assertion":
    case "Backreference":
      return [""];
    default: {
      const matches = expression.atoms.get(element)!;
      const found = CHARACTERS.filter(matches);
      // A letter rather than a control character, which few loops besides take.
      return [found.find((character) => /\w/.test(character)) ?? found[0] ?? ""];
    }
  }
}

/** A few ways through a sequence: some of all, and each shape of each part at least once. */
function joined(parts: readonly string[][]): string[] {
  const some = parts.reduce<string[]>(
    (texts, shapes) => texts.flatMap((text) => shapes.map((shape) => text + shape)).slice(0, MAX_SHAPES),
    [""],
  );
  const ways = Math.max(1, ...parts.map((shapes) => shapes.length));
  const each = Array.from({ length: ways }, (_, i) => parts.map((shapes) => shapes[i % shapes.length]).join(""));
  return [...new Set([...some, ...each])];
}

/** One of each kind of characters that the expression tells apart. */
function kindsOf({ atoms }: Backtracking): string[] {
  const kinds = new Map<string, string>();
  for (const character of CHARACTERS) {
    const kind = [...atoms.values()].map((matches) => matches(character) ? 1 : 0).join("");
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  return [...kinds.values()];
}

/** The character that the fewest parts of the expression match. */
function strangest({ atoms }: Backtracking, kinds: readonly string[]): string {
  const matching = (character: string) => [...atoms.values()].filter((matches) => matches(character)).length;
  return kinds.toSorted((a, b) => matching(a) - matching(b))[0] ?? "\0";
}
