import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from "../../../../api/mod.ts";
import {
  dnsLabel,
  dnsSubdomain,
  each,
  type FieldErrors,
  fields,
  isDualStack,
  nonNegatives,
  qualifiedName,
  unchanged,
  unique,
  validateAddress,
} from "../../validation/mod.ts";
import { validateAnnotationUpdate } from "./update.ts";

const SYSTEM_CONDITIONS = ["PodScheduled", "Ready", "Initialized"];
const LISTS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;
const generation = nonNegatives<{ observedGeneration?: number }>("observedGeneration");

/** Validates a change of a pod's status. Upstream: ValidatePodStatusUpdate. */
export function validatePodStatus(pod: Pod, old: Pod, errors: FieldErrors): void {
  const [status, before] = [pod.status ?? {}, old.status ?? {}];
  validateAnnotationUpdate(pod, old, errors);
  generation(status, "status", errors);
  for (const [i, condition] of (status.conditions ?? []).entries()) {
    const { type = "" } = condition;
    const at = `status.conditions[${i}]`;
    generation(condition, at, errors);
    if (!SYSTEM_CONDITIONS.includes(type)) errors.invalidFor(`${at}.Type`, type, qualifiedName(type));
  }
  const { nominatedNodeName: nominated } = status;
  if (nominated && nominated !== before.nominatedNodeName) {
    const at = "status.nominatedNodeName";
    errors.invalidFor(at, nominated, dnsSubdomain(nominated));
    if (old.spec?.nodeName) errors.forbidden(at, "may not be set on pods that are already bound to a node");
  }
  unchanged(status.qosClass ?? "", before.qosClass ?? "", "status.qosClass", errors);
  validateTransitions(status, before, old.spec!, errors);
  validateClaims(status, pod.spec!, errors);
  validateExtendedClaim(status.extendedResourceClaimStatus, pod.spec!, errors);
  validateAddresses(status, before, errors);
  for (const list of LISTS) {
    for (const [i, { user }] of (status[list] ?? []).entries()) {
      const at = `status.${list}[${i}].user.linux`;
      if (!user?.linux) continue;
      if (pod.spec?.os?.name === "windows") errors.forbidden(at, "cannot be set for a windows pod");
      else linuxUser(user.linux, at, errors);
    }
  }
}

/** Whether a container is restarted after it exits with `exitCode`. */
function restarts({ restartPolicy, restartPolicyRules }: Container, spec: PodSpec, exitCode: number): boolean {
  for (const { action, exitCodes } of restartPolicyRules ?? []) {
    if (!exitCodes) continue;
    const isIn = (exitCodes.values ?? []).includes(exitCode);
    if (isIn === (exitCodes.operator === "In")) return action === "Restart" || action === "RestartAllContainers";
  }
  const policy = restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function restartsAll({ containers = [], initContainers = [] }: PodSpec): boolean {
  return [...containers, ...initContainers].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === "RestartAllContainers")
  );
}

/** A container that has ended for good cannot run again. */
function validateTransitions(status: PodStatus, before: PodStatus, spec: PodSpec, errors: FieldErrors): void {
  const restartable = { containerStatuses: spec.containers, initContainerStatuses: spec.initContainers };
  for (const list of LISTS) {
    const containers = list === "ephemeralContainerStatuses" ? undefined : restartable[list];
    if (containers && restartsAll(spec)) continue;
    for (const [i, { name, state }] of (before[list] ?? []).entries()) {
      if (!state?.terminated) continue;
      const now = status[list]?.find((one) => one.name === name);
      if (!now || now.state?.terminated) continue;
      const container = containers?.find((one) => one.name === name);
      if (container && restarts(container, spec, state.terminated.exitCode ?? 0)) continue;
      errors.forbidden(`status.${list}[${i}].state`, "may not be transitioned to non-terminated state");
    }
  }
}

const claimStatus = fields<{ resourceClaimName?: string }>(
  { resourceClaimName: "subdomain" },
  "core.v1.PodResourceClaimStatus",
);

function validateClaims({ resourceClaimStatuses = [] }: PodStatus, spec: PodSpec, errors: FieldErrors): void {
  const at = "status.resourceClaimStatuses";
  const asked = new Set(spec.resourceClaims?.map((claim) => claim.name));
  each(claimStatus)(resourceClaimStatuses, at, errors);
  unique(resourceClaimStatuses, at, errors, ({ name }) => name, ".name");
  for (const [i, { name = "" }] of resourceClaimStatuses.entries()) {
    if (!asked.has(name)) errors.invalid(`${at}[${i}].name`, name, "must be one of `spec.resourceClaims`");
  }
}

/** Upstream: validatePodExtendedResourceClaimStatus. */
function validateExtendedClaim(
  status: PodStatus["extendedResourceClaimStatus"],
  spec: PodSpec,
  errors: FieldErrors,
): void {
  if (!status) return;
  const at = "status.extendedResourceClaimStatus";
  const requestMappings = status.requestMappings ?? []; // an empty list is stored as null
  const containers = [...spec.initContainers ?? [], ...spec.containers ?? []];
  if (requestMappings.length === 0) errors.required(`${at}.requestMappings`);
  for (const [i, { containerName, resourceName, requestName }] of requestMappings.entries()) {
    const path = `${at}.requestMappings[${i}]`;
    const container = containers.findLast(({ name }) => name === containerName);
    if (!container) errors.invalid(`${path}.containerName`, containerName, "must be the name of a container");
    else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
      errors.invalid(`${path}.resourceName`, resourceName, "must be a resource that the container requests");
    }
    errors.invalidFor(`${at}.requestName`, requestName, dnsLabel(requestName));
  }
  for (const field of ["containerName", "resourceName", "requestName"] as const) {
    unique(
      requestMappings,
      `${at}.requestMappings`,
      errors,
      (one) => [one.containerName, one.resourceName, one.requestName].join("/"),
      `.${field}`,
    );
  }
  fields<typeof status>({ resourceClaimName: "!subdomain" })(status, at, errors);
}

function validateAddresses(status: PodStatus, before: PodStatus, errors: FieldErrors): void {
  const { hostIPs = [], hostIP = "" } = status;
  if (hostIPs.length > 0 && hostIPs[0].ip !== hostIP) {
    errors.invalid("status.hostIPs[0].ip", hostIPs[0].ip, "must be equal to `hostIP`");
  }
  for (const list of ["podIPs", "hostIPs"] as const) {
    const at = `status.${list}`;
    const [ips, known] = [status, before].map(({ [list]: all = [] }) => all.map(({ ip = "" }) => ip));
    for (const [i, ip] of ips.entries()) validateAddress(ip, `${at}[${i}]`, errors, known);
    if (ips.length < 2 || (ips.length === 2 && isDualStack(ips))) continue;
    errors.invalid(at, ips, "may specify no more than one IP for each IP family");
  }
}

const linuxUser = fields<NonNullable<NonNullable<ContainerStatus["user"]>["linux"]>>({
  uid: "account",
  gid: "account",
  supplementalGroups: "[]account",
});
