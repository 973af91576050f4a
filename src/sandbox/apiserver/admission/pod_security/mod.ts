/** The pod security standards. Upstream: `k8s.io/pod-security-admission`. */
import { controllerOf, type KubeObject, type Namespace, type Pod, type PodSpec } from "../../../../api/mod.ts";
import { compareUtf8 } from "../../../../base/mod.ts";
import { invalid } from "../../base/mod.ts";
import { type Admission, refusal, type ServerState } from "../../operations/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import { FieldErrors } from "../../validation/mod.ts";
import type { PodLike } from "./check.ts";
import { detailText, reasonText, violations } from "./evaluate.ts";
import { isStricter, levelText, type LevelVersion, type Policy, policyOf } from "./policy.ts";

/** How many pods are checked when a namespace becomes stricter. */
const MOST_PODS = 3000;

/** Kinds with a pod template, and where it is. */
interface Templated extends KubeObject {
  readonly template?: PodLike;
  readonly spec?: {
    readonly template?: PodLike;
    readonly jobTemplate?: { readonly spec?: { readonly template?: PodLike } };
  };
}

/** Refuses pods that exceed the level their namespace enforces. */
export function keepPodSecure(admission: Admission<Pod>): void {
  const policy = namespacePolicy(admission);
  const { spec, metadata } = admission.object;
  if (!spec || !policy || (admission.old && hasSameImages(spec, admission.old.spec))) return;
  const found = violations({ metadata, spec }, policy.enforce);
  if (found.length > 0) {
    throw refusal(admission, `violates PodSecurity ${JSON.stringify(levelText(policy.enforce))}: ${detailText(found)}`);
  }
  warn(admission, { metadata, spec }, policy);
}

/** Warns about templates whose pods would exceed the level; the pods themselves are refused later. */
export function warnOfTemplate(admission: Admission<Templated>): void {
  const policy = namespacePolicy(admission);
  const { template, spec } = admission.object;
  const pod = template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
  if (policy && pod?.spec) warn(admission, pod, policy);
}

/** Validates a namespace's labels; if they become stricter, warns about existing pods that exceed the new level. */
export function checkSecurityLabels({ object, old, operation }: Admission<Namespace>): void {
  const { metadata } = object;
  const [errors, oldErrors] = [new FieldErrors(), new FieldErrors()];
  const { enforce } = policyOf(metadata.labels, errors);
  const before = policyOf(old?.metadata.labels, oldErrors).enforce;
  if (errors.causes.length > 0 && (!old || JSON.stringify(errors.causes) !== JSON.stringify(oldErrors.causes))) {
    throw invalid(operation.served, metadata.name ?? "", errors.causes);
  }
  if (!old || levelText(enforce) === levelText(before) || enforce.level === "privileged") return;
  if (enforce.version === before.version && !isStricter(enforce.level, before.level)) return;
  for (const text of presentViolations(operation.state, metadata.name!, enforce)) operation.warnings.add(text);
}

function namespacePolicy({ operation: { state, namespace } }: Admission): Policy | undefined {
  const labels = state.store.get("namespaces", namespace)?.metadata.labels;
  const policy = labels && policyOf(labels);
  return policy && (policy.enforce.level !== "privileged" || policy.warn.level !== "privileged") ? policy : undefined;
}

function warn({ operation }: Admission, pod: PodLike, policy: Policy): void {
  const found = violations(pod, policy.warn);
  if (found.length === 0) return;
  operation.warnings.add(`would violate PodSecurity ${JSON.stringify(levelText(policy.warn))}: ${detailText(found)}`);
}

/** Whether an update leaves images and containers alone: the only changes to a pod that can matter here. */
function hasSameImages(spec: PodSpec, old: PodSpec | undefined): boolean {
  const images = ({ containers = [], initContainers = [], ephemeralContainers = [] }: PodSpec) =>
    JSON.stringify([containers, initContainers, ephemeralContainers].map((list) => list.map(({ image }) => image)));
  return old !== undefined && images(spec) === images(old);
}

function presentViolations({ store }: ServerState, namespace: string, enforce: LevelVersion): string[] {
  const pods = [...store.list("pods", { prefix: `${namespace}/` }) ?? []].map(({ object }) => object as Stored<Pod>);
  const chosen = onePerControllerFirst(pods);
  const byReason = new Map<string, string[]>();
  for (const { metadata, spec } of chosen.slice(0, MOST_PODS)) {
    const reason = spec ? reasonText(violations({ metadata, spec }, enforce)) : "";
    if (reason !== "") byReason.set(reason, [...byReason.get(reason) ?? [], metadata.name!]);
  }
  const texts: string[] = [];
  if (chosen.length > MOST_PODS) {
    texts.push(
      `new PodSecurity enforce level only checked against the first ${MOST_PODS} of ${chosen.length} existing pods`,
    );
  }
  if (byReason.size > 0) {
    const level = JSON.stringify(levelText(enforce));
    texts.push(
      `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${level}`,
    );
  }
  const lines = [...byReason].map(([reason, names]) => `${first(names)}: ${reason}`);
  return [...texts, ...lines.sort(compareUtf8)];
}

function first(names: string[]): string {
  const [name] = names.sort(compareUtf8);
  if (names.length === 1) return name;
  return `${name} (and ${names.length - 1} other ${names.length === 2 ? "pod" : "pods"})`;
}

/** Pods of one controller are alike, so the first pod of each controller comes before all others. */
function onePerControllerFirst(pods: readonly Stored<Pod>[]): Stored<Pod>[] {
  const groups = Map.groupBy(pods, (pod) => controllerOf(pod)?.uid ?? pod);
  const firsts = new Set([...groups.values()].map(([pod]) => pod));
  return [...firsts, ...pods.filter((pod) => !firsts.has(pod))];
}
