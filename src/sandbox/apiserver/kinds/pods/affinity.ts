import type {
  Affinity,
  LabelSelector,
  NodeAffinity,
  NodeSelector,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "../../../../api/mod.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type FieldErrors,
  labelValue,
  qualifiedName,
  validateLabelSelector,
  validateOperator,
} from "../../validation/mod.ts";

type Requirement = NonNullable<NodeSelectorTerm["matchExpressions"]>[number];

function validateExpression(
  { key = "", operator, values = [] }: Requirement,
  at: string,
  errors: FieldErrors,
  checksValues: boolean,
): void {
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) {
      errors.required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else validateOperator(operator, values, at, errors);
  errors.invalidFor(`${at}.key`, key, qualifiedName(key));
  if (!checksValues) return;
  for (const [i, value] of values.entries()) errors.invalidFor(`${at}.values[${i}]`, value, labelValue(value));
}

function validateField({ key = "", operator = "", values = [] }: Requirement, at: string, errors: FieldErrors): void {
  if (operator !== "In" && operator !== "NotIn") {
    errors.invalid(`${at}.operator`, operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.required(`${at}.values`, why);
  }
  if (key !== "metadata.name") return errors.invalid(`${at}.key`, key, "not a valid field selector key");
  for (const [i, value] of values.entries()) errors.invalidFor(`${at}.values[${i}]`, value, dnsSubdomain(value));
}

function validateTerm(term: NodeSelectorTerm, at: string, errors: FieldErrors, checksValues: boolean): void {
  for (const [i, one] of (term.matchExpressions ?? []).entries()) {
    validateExpression(one, `${at}.matchExpressions[${i}]`, errors, checksValues);
  }
  for (const [i, one] of (term.matchFields ?? []).entries()) validateField(one, `${at}.matchFields[${i}]`, errors);
}

/** Terms of which a node must fulfil one. Upstream: ValidateNodeSelector. */
export function validateNodeSelector({ nodeSelectorTerms }: NodeSelector, at: string, errors: FieldErrors): void {
  const path = `${at}.nodeSelectorTerms`;
  if (!nodeSelectorTerms?.length) return errors.required(path, "must have at least one node selector term");
  for (const [i, term] of nodeSelectorTerms.entries()) validateTerm(term, `${path}[${i}]`, errors, true);
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function validateWeight(weight: number | undefined, at: string, errors: FieldErrors): void {
  const value = weight ?? 0;
  if (value <= 0 || value > 100) errors.invalid(`${at}.weight`, value, "must be in the range 1-100");
}

function validateNodeAffinity(affinity: NodeAffinity, at: string, errors: FieldErrors): void {
  if (affinity[REQUIRED]) validateNodeSelector(affinity[REQUIRED], `${at}.${REQUIRED}`, errors);
  for (const [i, { weight, preference }] of (affinity[PREFERRED] ?? []).entries()) {
    const path = `${at}.${PREFERRED}[${i}]`;
    validateWeight(weight, path, errors);
    validateTerm(preference ?? {}, `${path}.preference`, errors, false);
  }
}

function validateLabelKeys(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  at: string,
  errors: FieldErrors,
): void {
  if (keys.length === 0) return;
  if (!selector) return errors.forbidden(at, "must not be specified when labelSelector is not set");
  for (const [i, key] of keys.entries()) errors.invalidFor(`${at}[${i}]`, key, qualifiedName(key));
}

/** Labels of the pod itself that a selector takes up. Upstream: ValidateMatchLabelKeysAndMismatchLabelKeys. */
export function validateMatchedKeys(
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: PodAffinityTerm | {
    matchLabelKeys?: string[];
    mismatchLabelKeys?: string[];
    labelSelector?: LabelSelector;
  },
  at: string,
  errors: FieldErrors,
): void {
  validateLabelKeys(matchLabelKeys, labelSelector, `${at}.matchLabelKeys`, errors);
  validateLabelKeys(mismatchLabelKeys, labelSelector, `${at}.mismatchLabelKeys`, errors);
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key = "" } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && selected.has(key)) {
      errors.invalid(`${at}[${index}]`, key, "exists in both matchLabelKeys and labelSelector");
    }
    selected.add(key);
  }
  for (const [i, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    errors.invalid(`${at}.matchLabelKeys[${i}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

function validatePodTerm(term: PodAffinityTerm, at: string, errors: FieldErrors): void {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = "" } = term;
  if (labelSelector) validateLabelSelector(labelSelector, `${at}.labelSelector`, errors);
  if (namespaceSelector) validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`, errors);
  for (const name of namespaces) errors.invalidFor(`${at}.namespace`, name, dnsLabel(name));
  validateMatchedKeys(term, at, errors);
  if (!topologyKey) errors.required(`${at}.topologyKey`, "can not be empty");
  errors.invalidFor(`${at}.topologyKey`, topologyKey, qualifiedName(topologyKey));
}

function validatePodAffinity(affinity: PodAffinity, at: string, errors: FieldErrors): void {
  for (const [i, term] of (affinity[REQUIRED] ?? []).entries()) {
    validatePodTerm(term, `${at}.${REQUIRED}[${i}]`, errors);
  }
  for (const [i, { weight, podAffinityTerm }] of (affinity[PREFERRED] ?? []).entries()) {
    const path = `${at}.${PREFERRED}[${i}]`;
    validateWeight(weight, path, errors);
    validatePodTerm(podAffinityTerm, `${path}.podAffinityTerm`, errors);
  }
}

/** Where a pod wants to be. Upstream: validateAffinity. */
export function validateAffinity(affinity: Affinity, at: string, errors: FieldErrors): void {
  if (affinity.nodeAffinity) validateNodeAffinity(affinity.nodeAffinity, `${at}.nodeAffinity`, errors);
  if (affinity.podAffinity) validatePodAffinity(affinity.podAffinity, `${at}.podAffinity`, errors);
  if (affinity.podAntiAffinity) validatePodAffinity(affinity.podAntiAffinity, `${at}.podAntiAffinity`, errors);
}
