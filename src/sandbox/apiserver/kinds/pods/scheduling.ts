import type { HostAlias, PodDNSConfig, PodSpec, Toleration, TopologySpreadConstraint } from "../../../../api/mod.ts";
import {
  type Check,
  dnsSubdomainWithUnderscore,
  each,
  type FieldErrors,
  fields,
  labelValue,
  oneOf,
  qualifiedName,
  repetitions,
  unique,
  valuesOf,
} from "../../validation/mod.ts";
import { validateMatchedKeys } from "./affinity.ts";

const effects = valuesOf("core.v1.Taint", "effect");
const operators = oneOf<string>("", "Equal", "Exists");

/** A taint that a pod puts up with. Upstream: ValidateTolerations. */
const toleration: Check<Toleration> = ({ key, operator = "", value = "", effect, tolerationSeconds }, at, errors) => {
  if (key) errors.invalidFor(`${at}.key`, key, qualifiedName(key));
  else if (operator !== "Exists") errors.invalid(`${at}.operator`, operator, "must be Exists when `key` is empty");
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.invalid(`${at}.effect`, effect ?? "", "must be 'NoExecute' when `tolerationSeconds` is set");
  }
  operators(operator, `${at}.operator`, errors);
  if (operator === "Exists" && value) errors.invalid(`${at}.operator`, value, "must be empty with 'Exists'");
  if (operator === "" || operator === "Equal") errors.invalidFor(`${at}.operator`, value, labelValue(value));
  if (effect) effects(effect, `${at}.effect`, errors);
};

export const validateTolerations = each(toleration);

const spread = fields<TopologySpreadConstraint>({
  maxSkew: "*positive",
  topologyKey: "!",
  whenUnsatisfiable: "*one",
  minDomains: "positive",
  nodeAffinityPolicy: "one",
  nodeTaintsPolicy: "one",
  labelSelector: "selector",
}, "core.v1.TopologySpreadConstraint");

/** How evenly pods are spread. Upstream: validateTopologySpreadConstraints. */
export function validateSpread(list: readonly TopologySpreadConstraint[], at: string, errors: FieldErrors): void {
  const keyOf = (one: TopologySpreadConstraint) => JSON.stringify([one.topologyKey ?? "", one.whenUnsatisfiable ?? ""]);
  // All but the last of equal ones are reported.
  const repeated = repetitions(list.toReversed(), keyOf);
  for (const [i, constraint] of list.entries()) {
    const path = `${at}[${i}]`;
    const { topologyKey = "", whenUnsatisfiable = "", minDomains } = constraint;
    spread(constraint, path, errors);
    validateMatchedKeys(constraint, path, errors);
    if (minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule") {
      errors.invalid(`${path}.minDomains`, minDomains, "is for whenUnsatisfiable=DoNotSchedule only");
    }
    if (!repeated.has(list.length - 1 - i)) continue;
    errors.duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, topologyKey);
  }
}

/** The conditions that count for readiness. */
export const readinessGates = each(fields<{ conditionType: string }>({ conditionType: "*qualified" }));

/** The gates that hold scheduling back, by name. */
export const schedulingGates: Check<{ name: string }[]> = (gates, at, errors) => {
  for (const [i, { name = "" }] of gates.entries()) errors.invalidFor(`${at}[${i}]`, name, qualifiedName(name));
  unique(gates, at, errors, ({ name }) => name);
};

/** Entries for the pod's hosts file. */
export const validateHostAliases = each(fields<HostAlias>({ ip: "*address", hostnames: "[]subdomain" }));

const search: Check<string> = (text, at, errors) => {
  if (text === ".") return;
  const name = text.replace(/\.$/, "");
  errors.invalidFor(at, name, dnsSubdomainWithUnderscore(name));
};
const dns = fields<PodDNSConfig>({
  nameservers: "[]address",
  searches: each(search),
  options: each(({ name }, at, errors) => name || errors.required(at)),
});

/** What the pod's resolver is given. Upstream: validatePodDNSConfig. */
export function validateDns({ dnsPolicy, dnsConfig }: PodSpec, at: string, errors: FieldErrors): void {
  if (dnsPolicy === "None" && !dnsConfig) return errors.required(at, "with `dnsPolicy` None");
  const { nameservers = [], searches = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None" && nameservers.length === 0) return errors.required(`${at}.nameservers`);
  if (nameservers.length > 3) errors.invalid(`${at}.nameservers`, nameservers, "must not be more than 3");
  if (searches.length > 32 || searches.join(" ").length > 2048) {
    errors.invalid(`${at}.searches`, searches, "must not be more than 32, nor of more than 2048 characters");
  }
  if (dnsConfig) dns(dnsConfig, at, errors);
}
