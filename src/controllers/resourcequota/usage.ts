import { errorText, toError } from "../../base/mod.ts";
import { type Amounts, filterAmounts, type QuotaEvaluator, type QuotaScope } from "../../rules/mod.ts";
import { type KubeObject, Quantity, SelectorError } from "../../api/mod.ts";
import type { CountedKind } from "./evaluators.ts";

/** The scope of a usage calculation. */
export interface UsageQuery {
  readonly namespace: string;
  /** The names in the quota's `hard`. */
  readonly names: readonly string[];
  readonly scopes: readonly QuotaScope[];
  readonly nowMs: number;
}

/** The computed usage. */
export interface Usage {
  /** The usage of each measured name, without names that are not measured or that failed. */
  readonly used: Amounts;
  /** Why some could not be measured. */
  readonly errors: readonly Error[];
}

/**
 * Sums the usage of a namespace's objects by kind, one step per object.
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
      // Amounts that it added to names of other kinds are removed too.
      for (const [name, sum] of before) sums.set(name, sum);
      for (const name of names) failed.add(name);
      errors.push(toError(error));
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

/** An invalid scope ends it with the amounts so far, silently, as upstream. */
function* addUsages(
  sums: Map<string, Quantity>,
  { evaluator, objects, scopes, nowMs }: Summing,
): Generator<void, void> {
  try {
    for (const object of objects) {
      yield;
      // All are evaluated, so that an invalid one is found regardless of the others.
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
