import type { Namespace, RuleWithOperations } from "../../../api/mod.ts";
import { notFound } from "../base/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import type { Attributes } from "../operations/mod.ts";
import type { Hook } from "./hooks.ts";

/** No webhook is called for these kinds, as nobody could repair a webhook that refuses everything. */
const EXEMPT_GROUP = "admissionregistration.k8s.io";
const EXEMPT_KIND = /^(Validating|Mutating)(WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)$/;

/** The namespace of a write; for a Namespace, itself. */
export function namespaceOf({ operation, name }: Attributes): string {
  return operation.served.collection === "namespaces" ? name : operation.namespace;
}

/** Whether no webhook is called for a kind. Upstream: `predicates/rules` (IsExemptAdmissionConfigurationResource). */
export function isExempt({ group, kind }: ServedResource): boolean {
  return group === EXEMPT_GROUP && EXEMPT_KIND.test(kind);
}

/**
 * The version of the resource in which a webhook sees the write; `undefined` if it is not called.
 * Upstream: `admission/plugin/webhook/generic/webhook.go` (ShouldCallHook); `matchConditions` are not evaluated.
 *
 * @throws {ApiError} If it cannot be decided whether to call it.
 */
export function matchedResource(hook: Hook, attributes: Attributes): ServedResource | undefined {
  const { operation: { served, state } } = attributes;
  const wanted = hook.rules.some((rule) => ruleMatches(rule, attributes, served))
    ? served
    : hook.matchesEquivalents
    ? equivalent(hook, attributes, state.resources.all())
    : undefined;
  if (!wanted || !objectMatches(hook, attributes)) return undefined;
  return namespaceMatches(hook, attributes) ? wanted : undefined;
}

/** Earlier rules take precedence. */
function equivalent(
  { rules }: Hook,
  attributes: Attributes,
  all: readonly ServedResource[],
): ServedResource | undefined {
  const { operation: { served }, subresource } = attributes;
  const others = all.filter((other) =>
    other !== served && other.collection === served.collection && (subresource === "" || other.served.has(subresource))
  );
  for (const rule of rules) {
    const found = others.find((other) => ruleMatches(rule, attributes, other));
    if (found) return found;
  }
  return undefined;
}

/** Upstream: `predicates/rules/rules.go` (Matcher). */
function ruleMatches(rule: RuleWithOperations, attributes: Attributes, resource: ServedResource): boolean {
  const { operations, apiGroups, apiVersions, resources = [], scope = "*" } = rule;
  const isCluster = resource.collection === "namespaces" || namespaceOf(attributes) === "";
  if (scope !== "*" && (scope === "Cluster") !== isCluster) return false;
  if (!includes(operations, attributes.verb) || !includes(apiGroups, resource.group)) return false;
  return includes(apiVersions, resource.version) && resources.some((each) => {
    const [plural, subresource = ""] = each.split(/\/(.*)/s);
    return (plural === "*" || plural === resource.plural) &&
      (subresource === "*" || subresource === attributes.subresource);
  });
}

function includes(items: readonly string[] = [], wanted: string): boolean {
  return items.includes("*") || items.includes(wanted);
}

/** Upstream: `predicates/object/matcher.go`. */
function objectMatches({ objectSelector }: Hook, { object, old }: Attributes): boolean {
  const selector = objectSelector();
  if (selector.isEmpty) return true;
  return [object, old].some((each) => each !== undefined && selector.matches(each.metadata?.labels));
}

/** Upstream: `predicates/namespace/matcher.go`. */
function namespaceMatches({ namespaceSelector }: Hook, attributes: Attributes): boolean {
  const { operation: { served, state }, object, subresource, verb } = attributes;
  const isNamespace = served.collection === "namespaces";
  const name = namespaceOf(attributes);
  if (name === "" && !isNamespace) return true;
  const selector = namespaceSelector();
  if (selector.isEmpty) return true;
  if (isNamespace && subresource === "" && verb !== "DELETE") return selector.matches(object?.metadata.labels);
  const namespace = state.store.get("namespaces", name) as Namespace | undefined;
  if (!namespace) throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, name);
  return selector.matches(namespace.metadata?.labels);
}
