import type { Affinity, NodeSelector, NodeSelectorTerm, PodAffinity, PodAffinityTerm } from "../../../../api/mod.ts";
import {
  type Check,
  dnsLabel,
  dnsSubdomain,
  each,
  fields,
  labelValue,
  qualifiedName,
  validateOperator,
} from "../../validation/mod.ts";

type Requirement = NonNullable<NodeSelectorTerm["matchExpressions"]>[number];

const expression = (checksValues: boolean): Check<Requirement> => ({ key = "", operator, values = [] }, at, errors) => {
  if (operator !== "Gt" && operator !== "Lt") validateOperator(operator, values, at, errors);
  else if (values.length !== 1) errors.required(`${at}.values`, "must be one value for 'Lt' and 'Gt'");
  errors.invalidFor(`${at}.key`, key, qualifiedName(key));
  if (!checksValues) return;
  for (const [i, value] of values.entries()) errors.invalidFor(`${at}.values[${i}]`, value, labelValue(value));
};

const matchField: Check<Requirement> = ({ key = "", operator = "", values = [] }, at, errors) => {
  if (operator !== "In" && operator !== "NotIn") errors.invalid(`${at}.operator`, operator, "must be In or NotIn");
  else if (values.length !== 1) errors.required(`${at}.values`, "must be one value");
  if (key !== "metadata.name") return errors.invalid(`${at}.key`, key, "must be metadata.name");
  for (const [i, value] of values.entries()) errors.invalidFor(`${at}.values[${i}]`, value, dnsSubdomain(value));
};

const term = (checksValues: boolean) =>
  fields<NodeSelectorTerm>({ matchExpressions: each(expression(checksValues)), matchFields: each(matchField) });

const selectorTerms = each(term(true));

/** A node must match one of the terms. Upstream: ValidateNodeSelector. */
export const validateNodeSelector: Check<NodeSelector> = ({ nodeSelectorTerms = [] }, at, errors) => {
  const path = `${at}.nodeSelectorTerms`;
  if (!nodeSelectorTerms?.length) return errors.required(path, "must have at least one term");
  selectorTerms(nodeSelectorTerms, path, errors);
};

const weight: Check<number> = (value, at, errors) => {
  if (value <= 0 || value > 100) errors.invalid(at, value, "must be in the range 1-100");
};

function weighted<T extends { weight: number }>(field: keyof T & string, check: Check<never>): Check<readonly T[]> {
  return each((preferred, at, errors) => {
    weight(preferred.weight ?? 0, `${at}.weight`, errors);
    check((preferred[field] ?? {}) as never, `${at}.${field}`, errors);
  });
}

type Matching = Pick<PodAffinityTerm, "matchLabelKeys" | "mismatchLabelKeys" | "labelSelector">;

/**
 * Keys of the pod's own labels that are merged into a selector. Upstream: ValidateMatchLabelKeysAndMismatchLabelKeys.
 */
export const validateMatchedKeys: Check<Matching> = (term, at, errors) => {
  for (const field of ["matchLabelKeys", "mismatchLabelKeys"] as const) {
    const { [field]: keys = [], labelSelector } = term;
    if (keys.length > 0 && !labelSelector) errors.forbidden(`${at}.${field}`, "requires a labelSelector");
    else for (const [i, key] of keys.entries()) errors.invalidFor(`${at}.${field}[${i}]`, key, qualifiedName(key));
  }
};

const podTermFields = fields<PodAffinityTerm>({ labelSelector: "selector", namespaceSelector: "selector" });

const podTerm: Check<PodAffinityTerm> = (one, at, errors) => {
  podTermFields(one, at, errors);
  for (const name of one.namespaces ?? []) errors.invalidFor(`${at}.namespace`, name, dnsLabel(name));
  validateMatchedKeys(one, at, errors);
  const { topologyKey = "" } = one;
  if (!topologyKey) errors.required(`${at}.topologyKey`);
  errors.invalidFor(`${at}.topologyKey`, topologyKey, qualifiedName(topologyKey));
};

const podAffinity = fields<PodAffinity>({
  requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: weighted("podAffinityTerm", podTerm),
});

/** Upstream: validateAffinity. */
export const validateAffinity: Check<Affinity> = fields<Affinity>({
  nodeAffinity: fields<NonNullable<Affinity["nodeAffinity"]>>({
    requiredDuringSchedulingIgnoredDuringExecution: validateNodeSelector,
    preferredDuringSchedulingIgnoredDuringExecution: weighted("preference", term(false)),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});
