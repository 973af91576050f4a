import type { Attempt, Rule } from "../access/mod.ts";

const ALL = "*";

function holds(set: readonly string[] | undefined, element: string): boolean {
  return set !== undefined && (set.includes(ALL) || set.includes(element));
}

/** `/api/*` covers `/api/v1`. */
function pathCovers(rulePath: string, path: string): boolean {
  return rulePath === path || (rulePath.endsWith(ALL) && path.startsWith(rulePath.replace(/(?<!\*)\*+$/, "")));
}

function resourceMatches({ resources }: Rule, resource: string, subresource: string): boolean {
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return holds(resources, combined) || (subresource !== "" && resources?.includes(`*/${subresource}`) === true);
}

/** Whether a rule allows something. Upstream: `plugin/pkg/auth/authorizer/rbac` (RuleAllows). */
export function ruleAllows(rule: Rule, access: Attempt): boolean {
  if (!holds(rule.verbs, access.verb)) return false;
  if ("path" in access) return rule.nonResourceURLs?.some((path) => pathCovers(path, access.path)) === true;
  return holds(rule.apiGroups, access.group) &&
    resourceMatches(rule, access.resource, access.subresource ?? "") &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(access.name ?? ""));
}

/** Splits a rule into parts with one verb and one resource or path each, which are covered as a whole or not at all. */
function partsOf({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: Rule): Rule[] {
  const parts: Rule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) parts.push(part);
        for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] });
      }
    }
  }
  for (const path of nonResourceURLs) for (const verb of verbs) parts.push({ verbs: [verb], nonResourceURLs: [path] });
  return parts;
}

function partIsCovered(owner: Rule, part: Rule): boolean {
  const [verb] = part.verbs;
  if (part.nonResourceURLs) return ruleAllows(owner, { verb, path: part.nonResourceURLs[0] });
  const [resource, subresource] = part.resources![0].split(/\/(.*)/s);
  const [group, name] = [part.apiGroups![0], part.resourceNames?.[0]];
  return ruleAllows(owner, { verb, group, resource, subresource, name });
}

/** What of `wanted` is not in `owned`. Upstream: `component-helpers/auth/rbac/validation/policy_comparator.go`. */
export function uncoveredRules(owned: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return wanted.flatMap(partsOf).filter((part) => !owned.some((owner) => partIsCovered(owner, part)));
}

/** Joins parts that only differ in their verb. */
export function compactRules(parts: readonly Rule[]): Rule[] {
  const byResource = new Map<string, { readonly rule: Rule; readonly verbs: string[] }>();
  const paths: Rule[] = [];
  for (const rule of parts) {
    if (rule.nonResourceURLs) {
      paths.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = byResource.get(key);
    if (known) known.verbs.push(...rule.verbs);
    else byResource.set(key, { rule, verbs: [...rule.verbs] });
  }
  return [...paths, ...[...byResource.values()].map(({ rule, verbs }) => ({ ...rule, verbs }))];
}

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`, as Go prints it. */
export function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: Rule): string {
  const parts: ReadonlyArray<readonly [string, readonly string[] | undefined]> = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  const texts = parts.flatMap(([name, list]) => list?.length ? [`${name}:${quotedList(list)}`] : []);
  return `{${texts.join(", ")}}`;
}

/** `["a" "b"]`, as Go's `%q` prints a list. */
export function quotedList(list: readonly string[]): string {
  return `[${list.map((text) => JSON.stringify(text)).join(" ")}]`;
}
