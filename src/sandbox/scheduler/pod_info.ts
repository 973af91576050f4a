import {
  type Labels,
  NOTHING,
  type Pod,
  type PodAffinityTerm,
  type Selector,
  SelectorError,
  selectorFrom,
  selectorOf,
} from "../../api/mod.ts";
import { claimNamesOf } from "./claim_names.ts";
import { type Counts, type HostPort, hostPortsOf, requestsOf } from "../common/mod.ts";

/** A required term of pod affinity or anti-affinity, ready to be matched. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  /** Selects additional namespaces by label; `undefined` for none. */
  readonly namespaceSelector: Selector | undefined;
  /** Equal for equivalent terms. */
  readonly key: string;
}

/** A pod with derived data that a scheduler needs repeatedly. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: Counts;
  readonly ports: readonly HostPort[];
  /** The uid of its controller. */
  readonly controller: string | undefined;
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly priority: number;
  /** The names of its claims. */
  readonly claims: readonly string[];
}

/** The labels of namespaces, as far as known. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

const NO_TERMS: readonly AffinityTerm[] = [];

export function podInfo(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return {
    pod,
    uid: metadata?.uid ?? "",
    namespace: metadata?.namespace ?? "",
    labels: metadata?.labels ?? {},
    requests: requestsOf(pod),
    ports: hostPortsOf(pod),
    controller: metadata?.ownerReferences?.find(({ controller }) => controller)?.uid,
    affinity: termsOf(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: termsOf(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    priority: spec?.priority ?? 0,
    claims: claimNamesOf(pod),
  };
}

function termsOf(pod: Pod, terms: readonly PodAffinityTerm[] | undefined): readonly AffinityTerm[] {
  return terms?.length ? terms.map((term) => affinityTerm(pod, term)) : NO_TERMS;
}

function affinityTerm({ metadata }: Pod, term: PodAffinityTerm): AffinityTerm {
  const { topologyKey, labelSelector, namespaces = [], namespaceSelector, matchLabelKeys, mismatchLabelKeys } = term;
  const isOwn = namespaces.length === 0 && !namespaceSelector;
  const spaces = new Set(isOwn ? [metadata?.namespace ?? ""] : namespaces);
  const others = namespaceSelector && selectorOrNothing(() => selectorOf(namespaceSelector));
  const selector = withKeys(selectorOrNothing(() => selectorOf(labelSelector)), metadata?.labels, {
    matchLabelKeys,
    mismatchLabelKeys,
  });
  const key = JSON.stringify([topologyKey, textOf(selector), [...spaces].sort(), others && textOf(others)]);
  return { topologyKey, selector, namespaces: spaces, namespaceSelector: others, key };
}

/** An invalid selector, which an API server would have refused, selects nothing. */
export function selectorOrNothing(read: () => Selector): Selector {
  try {
    return read();
  } catch (error) {
    if (error instanceof SelectorError) return NOTHING;
    throw error;
  }
}

/** Identifies a selector; those for nothing and for everything have the same text. */
export function textOf(selector: Selector): string {
  return selector === NOTHING ? "nothing" : `of ${selector}`;
}

/** A selector that also requires the pod's own values of some labels, or excludes them. */
export function withKeys(
  selector: Selector,
  labels: Labels = {},
  { matchLabelKeys = [], mismatchLabelKeys = [] }: {
    readonly matchLabelKeys?: readonly string[];
    readonly mismatchLabelKeys?: readonly string[];
  },
): Selector {
  const own = (keys: readonly string[], operator: "in" | "notin") =>
    keys.filter((key) => labels[key] !== undefined).map((key) => ({ key, operator, values: [labels[key]] }));
  const more = [...own(matchLabelKeys, "in"), ...own(mismatchLabelKeys, "notin")];
  return more.length === 0 || selector === NOTHING ? selector : selectorFrom([...selector.requirements, ...more]);
}

/** Whether a term matches this pod. Upstream: `pkg/scheduler/framework` (AffinityTerm.Matches). */
export function termMatches(term: AffinityTerm, pod: PodInfo, labelsOf: NamespaceLabels): boolean {
  const isInside = term.namespaces.has(pod.namespace) ||
    (term.namespaceSelector?.matches(labelsOf(pod.namespace)) ?? false);
  return isInside && term.selector.matches(pod.labels);
}
