import type { TurnBudget } from "../../base/mod.ts";
import type { NodeView } from "./graph.ts";

/** How many steps are taken between two checks of the clock. */
const STEPS_A_LOOK = 256;

/**
 * Whether `node` is in a circle of objects whose foreground deletions wait for each other.
 *
 * Follows only what each node has waited for longest, so there is a single path from a node, however dense the graph
 * is. That way meets every circle that keeps anything waiting. A circle of waiting objects lasts forever only if,
 * for each of them, what it has waited for longest never goes; so these lead round in a circle too. The one that closed
 * it by beginning to wait, or by turning to its next blocker, was queued when it did, and finds itself on the way.
 *
 * Contract:
 * 1. Time is linear in the length of the way, with turns of the event loop in between; memory is constant.
 * 2. A circle that is found existed as a whole at one time, also where the graph changed during the search.
 */
export async function isInCircle(node: NodeView, budget: TurnBudget): Promise<boolean> {
  let mark = node; // Brent's algorithm: an earlier node, to detect a circle on the path that does not contain `node`
  let untilNextMark = 1;
  let sinceMark = 0;
  let steps = 1;
  let mayHaveChanged = false;
  for (let at = node.firstBlocker; at; at = at.firstBlocker, steps++) {
    if (at === node) return !mayHaveChanged || returnsWithin(node, steps);
    if (at === mark) return false;
    if (++sinceMark === untilNextMark) {
      mark = at;
      untilNextMark *= 2;
      sinceMark = 0;
    }
    if (steps % STEPS_A_LOOK !== 0 || !budget.spent) continue;
    mayHaveChanged = true;
    await budget.nextTurn();
  }
  return false;
}

function returnsWithin(node: NodeView, limit: number): boolean {
  let at = node.firstBlocker;
  for (let steps = 1; at && at !== node && steps < limit; steps++) at = at.firstBlocker;
  return at === node;
}
