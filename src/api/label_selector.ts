import type { LabelSelector } from "./generated_types.ts";
import {
  type LabelRequirement,
  labelRequirement,
  type Labels,
  requirementMatches,
  requirementText,
  SelectorError,
  type SelectorOperator,
} from "./label_requirement.ts";
import { labelRequirementSteps, parseLabelRequirements } from "./label_selector_parser.ts";
import { compareUtf8, goQuote } from "../base/mod.ts";

/** A set of requirements on labels, all of which must hold. */
export interface Selector {
  /** Whether the labels (of an object that may have none) fulfil every requirement. */
  matches(labels: Labels | undefined): boolean;
  /** Whether there is no requirement, so that everything matches. */
  readonly isEmpty: boolean;
  readonly requirements: readonly LabelRequirement[];
  /** The canonical text, requirements sorted by key; as a `labelSelector` parameter carries it. */
  toString(): string;
}

const NO_LABELS: Labels = {};

class RequirementSelector implements Selector {
  readonly requirements: readonly LabelRequirement[];

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements.toSorted((a, b) => compareUtf8(a.key, b.key));
  }

  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels | undefined): boolean {
    return this.requirements.every((requirement) => requirementMatches(requirement, labels ?? NO_LABELS));
  }

  toString(): string {
    return this.requirements.map(requirementText).join(",");
  }
}

/** Matches every object. */
export const EVERYTHING: Selector = new RequirementSelector([]);

/** Matches no object. Its text is empty, as upstream's is, so never send it to a server. */
export const NOTHING: Selector = { matches: () => false, isEmpty: false, requirements: [], toString: () => "" };

/**
 * Parses the selector syntax of kubectl and of the `labelSelector` parameter: `a=b`, `a==b`, `a!=b`, `a in (b,c)`,
 * `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`, joined by commas. Upstream: `k8s.io/apimachinery/pkg/labels` (Parse).
 *
 * @throws {SelectorError} If the text is not a selector; the message is upstream's.
 *
 * @example
 * ```ts
 * import { parseLabelSelector } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * const selector = parseLabelSelector("tier notin (b, a), app=web");
 * assertEquals(selector.matches({ app: "web" }), true);
 * assertEquals(selector.toString(), "app=web,tier notin (a,b)");
 * ```
 */
export function parseLabelSelector(text: string): Selector {
  return selectorFrom(parseLabelRequirements(text));
}

/**
 * As {@link parseLabelSelector}, a step a requirement or value: texts of other controllers' objects may be a megabyte
 * long.
 */
export function* labelSelectorSteps(text: string): Generator<void, Selector> {
  return selectorFrom(yield* labelRequirementSteps(text));
}

/** A selector of requirements made with {@link labelRequirement}. */
export function selectorFrom(requirements: readonly LabelRequirement[]): Selector {
  return requirements.length === 0 ? EVERYTHING : new RequirementSelector(requirements);
}

/**
 * Selects the objects that carry all of these labels. The labels are not checked.
 * Upstream: `k8s.io/apimachinery/pkg/labels` (SelectorFromSet).
 */
export function selectorOfLabels(labels: Labels | undefined): Selector {
  return selectorFrom(Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: "=", values: [value] })));
}

const OPERATORS: Readonly<Record<string, SelectorOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/**
 * The selector that an object's `spec.selector` means: none matches nothing, an empty one matches everything.
 * Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go` (LabelSelectorAsSelector).
 *
 * @throws {SelectorError} If an operator, key or value is not allowed.
 */
export function selectorOf(selector: LabelSelector | null | undefined): Selector {
  if (selector === undefined || selector === null) return NOTHING;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(labelRequirement(key, "=", [value]));
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    if (!Object.hasOwn(OPERATORS, operator)) {
      throw new SelectorError(`${goQuote(operator)} is not a valid label selector operator`);
    }
    requirements.push(labelRequirement(key, OPERATORS[operator], values ?? []));
  }
  return selectorFrom(requirements);
}
