import { errorText } from "../../base/mod.ts";
import { type Amounts, filterAmounts, type QuotaEvaluator, type QuotaScope } from "../../rules/mod.ts";
import { type KubeObject, Quantity, SelectorError } from "../../api/mod.ts";
import type { CountedKind } from "./evaluators.ts";

/** Whose usage is wanted. */
export interface UsageQuery {
  readonly namespace: string;
  /** The names in the quota's `hard`. */
  readonly names: readonly string[];
  readonly scopes: readonly QuotaScope[];
  readonly nowMs: number;
}

/** What is used. */
export interface Usage {
  /** Of each name that could be measured; those that nobody measures, and those that could not be, are missing. */
  readonly used: Amounts;
  /** Why some could not be measured. */
  readonly errors: readonly Error[];
}

/**
 * Adds up what the objects of a namespace count for, kind by kind; a step an object.
 *
 * Upstream: `apiserver/pkg/quota/v1/resources.go` (CalculateUsage), `generic/evaluator.go` (CalculateUsageStats).
 */
export function* calculateUsage(kinds: Iterable<CountedKind>, query: UsageQuery): Generator<void, Usage> {
  const measured = new Set<string>();
  const failed = new Set<string>();
  const errors: Error[] = [];
  const sums = new Map(query.names.map((name) => [name, Quantity.ZERO]));
  for (const { evaluator, list } of kinds) {
    yield;
    const names = query.names.filter((name) => evaluator.measures(name));
    if (names.length === 0) continue;
    for (const name of names) measured.add(name);
    const before = new Map(sums);
    try {
      yield* addUsages(sums, { evaluator, objects: listed(list, query.namespace), ...query });
    } catch (error) {
      // What it added to names of other kinds is taken back too.
      for (const [name, sum] of before) sums.set(name, sum);
      for (const name of names) failed.add(name);
      errors.push(error instanceof Error ? error : new Error(errorText(error)));
    }
  }
  return { used: filterAmounts(sums, (name) => measured.has(name) && !failed.has(name)), errors };
}

function listed(list: CountedKind["list"], namespace: string): readonly KubeObject[] {
  try {
    return list(namespace);
  } catch (error) {
    throw new Error(`failed to list content: ${errorText(error)}`, { cause: error });
  }
}

interface Summing extends Pick<UsageQuery, "scopes" | "nowMs"> {
  readonly evaluator: QuotaEvaluator;
  readonly objects: readonly KubeObject[];
}

/** A scope that cannot be understood ends it, with what was added so far: upstream says nothing of it either. */
function* addUsages(
  sums: Map<string, Quantity>,
  { evaluator, objects, scopes, nowMs }: Summing,
): Generator<void, void> {
  try {
    for (const object of objects) {
      yield;
      // All are asked, so that one that cannot be understood is found whatever the others say.
      const matching = scopes.filter((scope) => evaluator.matchesScope(object, scope));
      if (matching.length < scopes.length) continue;
      for (const [name, amount] of evaluator.usage(object, nowMs)) {
        const sum = sums.get(name);
        if (sum) sums.set(name, sum.add(amount));
      }
    }
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
  }
}
