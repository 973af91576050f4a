import { bold, dim, red, yellow } from "@std/fmt/colors";
import { printable } from "../printable.ts";
import type { Explanation, Finding } from "./finding.ts";
import { ageText } from "./wording.ts";

/** How a line is coloured; without colours, each returns the text unchanged. */
interface Paint {
  readonly title: (text: string) => string;
  readonly blocks: (text: string) => string;
  readonly passes: (text: string) => string;
  readonly info: (text: string) => string;
}

const PLAIN: Paint = { title: same, blocks: same, passes: same, info: same };
const COLOURED: Paint = { title: bold, blocks: red, passes: yellow, info: dim };

function same(text: string): string {
  return text;
}

/**
 * Formats an explanation as a tree of lines.
 *
 * @param options.isColoured Whether to use a terminal's colours.
 */
export function explanationText(
  { title, object, state, findings, unread, nextSteps }: Explanation,
  { isColoured = false }: { readonly isColoured?: boolean } = {},
): string {
  const paint = isColoured ? COLOURED : PLAIN;
  const where = object.namespace ? ` in namespace ${object.namespace}` : "";
  const heading = state.type === "deleting"
    ? `is still there: its deletion was asked for ${ageText(state.forMs)} ago (${state.since})`
    : findings.length > 0
    ? "is not being deleted. What its deletion would wait for, and what it belongs to:"
    : "is not being deleted, and nothing would hold its deletion";
  return [
    `${paint.title(printable(title))}${printable(where)} ${heading}`,
    ...tree(findings, paint, ""),
    ...unread.length === 0 ? [] : [
      "",
      "This could not be read, so the answer may lack something:",
      ...unread.map(({ what, why }) => `  ${printable(what)}: ${printable(why)}`),
    ],
    ...nextSteps.length === 0 ? [] : [
      "",
      "What to do next:",
      ...nextSteps.flatMap(({ text, command }, index) => [
        `  ${index + 1}. ${printable(text)}`,
        ...command === undefined ? [] : [`     ${paint.title(printable(command))}`],
      ]),
    ],
  ].join("\n");
}

function tree(findings: readonly Finding[], paint: Paint, indent: string): string[] {
  return findings.flatMap(({ level, message, causes = [] }, index) => {
    const isLast = index === findings.length - 1;
    return [
      `${indent}${isLast ? "└─ " : "├─ "}${paint[level](printable(message))}`,
      ...tree(causes, paint, `${indent}${isLast ? "   " : "│  "}`),
    ];
  });
}
