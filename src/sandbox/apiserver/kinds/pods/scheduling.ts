import type {
  HostAlias,
  PodDNSConfig,
  PodReadinessGate,
  PodSchedulingGate,
  Toleration,
  TopologySpreadConstraint,
} from "../../../../api/mod.ts";
import {
  dnsSubdomain,
  dnsSubdomainWithUnderscore,
  type FieldErrors,
  labelValue,
  oneOf,
  positive,
  qualifiedName,
  validateAddress,
  validateLabelSelector,
} from "../../validation/mod.ts";
import { validateMatchedKeys } from "./affinity.ts";

const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** What a taint does; upstream lists the effects in this order. */
export const taintEffect = oneOf<string>(...TAINT_EFFECTS);

/** Taints that a pod puts up with. Upstream: ValidateTolerations. */
export function validateTolerations(tolerations: readonly Toleration[], at: string, errors: FieldErrors): void {
  for (let i = 0; i < tolerations.length; i++) {
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = tolerations[i];
    const path = `${at}[${i}]`;
    if (key) errors.invalidFor(`${path}.key`, key, qualifiedName(key));
    else if (operator !== "Exists") {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.invalid(`${path}.operator`, operator, why);
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      errors.invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    validateOperator({ operator, value }, path, errors);
    if (effect) taintEffect(effect, `${path}.effect`, errors);
  }
}

function validateOperator(
  { operator, value }: { readonly operator: string; readonly value: string },
  at: string,
  errors: FieldErrors,
): void {
  if (operator === "" || operator === "Equal") {
    const problems = labelValue(value);
    if (problems.length > 0) errors.invalid(`${at}.operator`, value, problems.join(";"));
  } else if (operator === "Exists") {
    if (value) errors.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
  } else {
    const isGated = operator === "Lt" || operator === "Gt";
    errors.notSupported(`${at}.operator`, operator, isGated ? ["Equal", "Exists", "Lt", "Gt"] : ["Equal", "Exists"]);
  }
}

const POLICIES = oneOf<string>("Honor", "Ignore");
const ACTIONS = ["DoNotSchedule", "ScheduleAnyway"];

/** How evenly pods are spread. Upstream: validateTopologySpreadConstraints. */
export function validateSpread(
  constraints: readonly TopologySpreadConstraint[],
  at: string,
  errors: FieldErrors,
): void {
  for (const [i, constraint] of constraints.entries()) {
    const path = `${at}[${i}]`;
    const { maxSkew, topologyKey = "", whenUnsatisfiable = "", minDomains } = constraint;
    positive(maxSkew ?? 0, `${path}.maxSkew`, errors);
    if (!topologyKey) errors.required(`${path}.topologyKey`, "can not be empty");
    oneOf(...ACTIONS)(whenUnsatisfiable, `${path}.whenUnsatisfiable`, errors);
    const isRepeated = constraints.slice(i + 1).some((one) =>
      (one.topologyKey ?? "") === topologyKey && (one.whenUnsatisfiable ?? "") === whenUnsatisfiable
    );
    if (isRepeated) {
      errors.duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    }
    if (minDomains !== undefined) {
      positive(minDomains, `${path}.minDomains`, errors);
      if (whenUnsatisfiable !== "DoNotSchedule") {
        const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
        errors.invalid(`${path}.minDomains`, minDomains, why);
      }
    }
    const { nodeAffinityPolicy, nodeTaintsPolicy, labelSelector } = constraint;
    if (nodeAffinityPolicy !== undefined) POLICIES(nodeAffinityPolicy, `${path}.nodeAffinityPolicy`, errors);
    if (nodeTaintsPolicy !== undefined) POLICIES(nodeTaintsPolicy, `${path}.nodeTaintsPolicy`, errors);
    validateMatchedKeys(constraint, path, errors);
    if (labelSelector) validateLabelSelector(labelSelector, `${path}.labelSelector`, errors);
  }
}

/** The conditions that count for readiness, and the gates that hold scheduling back. */
export function validateGates(
  { readinessGates, schedulingGates }: {
    readonly readinessGates?: readonly PodReadinessGate[];
    readonly schedulingGates?: readonly PodSchedulingGate[];
  },
  at: string,
  errors: FieldErrors,
): void {
  for (const [i, { conditionType = "" }] of (readinessGates ?? []).entries()) {
    errors.invalidFor(`${at}.readinessGates[${i}].conditionType`, conditionType, qualifiedName(conditionType));
  }
  const seen = new Set<string>();
  for (const [i, { name = "" }] of (schedulingGates ?? []).entries()) {
    const path = `${at}.schedulingGates[${i}]`;
    errors.invalidFor(path, name, qualifiedName(name));
    if (seen.has(name)) errors.duplicate(path, name);
    seen.add(name);
  }
}

/** Entries for the pod's hosts file. */
export function validateHostAliases(aliases: readonly HostAlias[], at: string, errors: FieldErrors): void {
  for (const [i, { ip = "", hostnames = [] }] of aliases.entries()) {
    validateAddress(ip, `${at}[${i}].ip`, errors);
    for (const [j, name] of hostnames.entries()) {
      errors.invalidFor(`${at}[${i}].hostnames[${j}]`, name, dnsSubdomain(name));
    }
  }
}

/** What the pod's resolver is given. Upstream: validatePodDNSConfig. */
export function validateDns(
  { dnsPolicy, dnsConfig }: { readonly dnsPolicy?: string; readonly dnsConfig?: PodDNSConfig },
  at: string,
  errors: FieldErrors,
): void {
  if (dnsPolicy === "None") {
    if (!dnsConfig) return errors.required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (!dnsConfig.nameservers?.length) {
      return errors.required(
        `${at}.nameservers`,
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      );
    }
  }
  if (!dnsConfig) return;
  const { nameservers = [], searches = [], options = [] } = dnsConfig;
  if (nameservers.length > 3) {
    errors.invalid(`${at}.nameservers`, nameservers, "must not have more than 3 nameservers");
  }
  for (const [i, address] of nameservers.entries()) validateAddress(address, `${at}.nameservers[${i}]`, errors);
  if (searches.length > 32) errors.invalid(`${at}.searches`, searches, "must not have more than 32 search paths");
  if (searches.join(" ").length > 2048) {
    const why = "must not have more than 2048 characters (including spaces) in the search list";
    errors.invalid(`${at}.searches`, searches, why);
  }
  for (const [i, search] of searches.entries()) {
    if (search === ".") continue;
    const name = search.replace(/\.$/, "");
    errors.invalidFor(`${at}.searches[${i}]`, name, dnsSubdomainWithUnderscore(name));
  }
  for (const [i, { name }] of options.entries()) if (!name) errors.required(`${at}.options[${i}]`, "must not be empty");
}
