import type { Advice, Finding } from "./finding.ts";

/** Nobody does more than this at a time. */
const MOST_STEPS = 8;

/**
 * The next steps, deepest first, because the rest may follow by itself. Advice with the same key is shown once, with
 * the number of other objects that it applies to.
 *
 * @example
 * ```ts
 * import { nextSteps } from "./next_steps.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const cause = { code: "Object", level: "blocks", message: "", advice: { key: "a", text: "first" } } as const;
 * const above = { code: "Object", level: "blocks", message: "", causes: [cause], advice: { key: "b", text: "then" } } as const;
 * assertEquals(nextSteps([above]).map(({ text }) => text), ["first", "then"]);
 * ```
 */
export function nextSteps(findings: readonly Finding[]): Pick<Advice, "text" | "command">[] {
  const steps = new Map<string, { readonly advice: Advice; readonly commands: Set<string> }>();
  const collect = ({ causes = [], advice }: Finding) => {
    causes.forEach(collect);
    if (!advice) return;
    const step = steps.get(advice.key) ?? { advice, commands: new Set() };
    steps.set(advice.key, step);
    if (advice.command !== undefined) step.commands.add(advice.command);
  };
  findings.forEach(collect);
  if (steps.size === 0) {
    return [{ text: "wait and ask again: nothing is known to stand in the way of what remains" }];
  }
  return [...steps.values()].slice(0, MOST_STEPS).map(({ advice: { text, command }, commands }) => {
    const others = commands.size - 1;
    return { text: others > 0 ? `${text} (also for ${others} more above)` : text, command };
  });
}
