import type { ObjectMeta, PodResourceClaim, PodSpec } from "../../../../api/mod.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type FieldErrors,
  fields,
  formatted,
  notBetween,
  oneOf,
  required,
  validateLabels,
} from "../../validation/mod.ts";
import { validateAffinity } from "./affinity.ts";
import { MIRROR } from "./annotations.ts";
import { validateContainers } from "./containers.ts";
import { validatePodResources } from "./pod_resources.ts";
import { validateRequirements } from "./resources.ts";
import { validateDns, validateGates, validateHostAliases, validateSpread, validateTolerations } from "./scheduling.ts";
import { validatePodSecurityContext } from "./security.ts";
import { visitContainers } from "./visit.ts";
import { validateVolumes } from "./volumes.ts";
import { validateHostProcess, validateOperatingSystem } from "./windows.ts";

/** What a spec is part of: a pod, whose metadata matters, or a template. */
export interface PodSpecOptions {
  readonly isPod: boolean;
  readonly metadata?: ObjectMeta;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Every rule for a pod's spec, in upstream's order. Upstream: ValidatePodSpec. */
export function validatePodSpec(spec: PodSpec, at: string, errors: FieldErrors, options: PodSpecOptions): void {
  const { terminationGracePeriodSeconds, restartPolicy = "", securityContext, affinity } = spec;
  if (terminationGracePeriodSeconds === undefined) errors.required(`${at}.terminationGracePeriodSeconds`);
  const volumes = validateVolumes(spec.volumes ?? [], `${at}.volumes`, errors, options);
  const claimNames = spec.resourceClaims
    ? validateClaims(spec.resourceClaims, `${at}.resourceClaims`, errors, options.metadata)
    : NO_NAMES;
  const facts = {
    volumes,
    claimNames,
    restartPolicy,
    graceSeconds: terminationGracePeriodSeconds ?? Infinity,
    hostUsers: spec.hostUsers ?? true,
  };
  validateContainers(spec, facts, at, errors);
  if (spec.resources) validatePodResources(spec, claimNames, at, errors);
  if (spec.hostNetwork) validateHostPorts(spec, at, errors, options.isPod);
  policies(spec, at, errors);
  if (spec.nodeSelector) validateLabels(spec.nodeSelector, `${at}.nodeSelector`, errors);
  if (securityContext) validatePodSecurityContext(securityContext, spec, `${at}.securityContext`, errors);
  if (affinity) validateAffinity(affinity, `${at}.affinity`, errors);
  if (spec.dnsConfig || spec.dnsPolicy === "None") validateDns(spec, `${at}.dnsConfig`, errors);
  validateGates(spec, at, errors);
  if (spec.topologySpreadConstraints) {
    validateSpread(spec.topologySpreadConstraints, `${at}.topologySpreadConstraints`, errors);
  }
  validateHostProcess(spec, at, errors);
  if (spec.hostUsers === false) validateUserNamespace(spec, at, errors);
  if (spec.hostnameOverride !== undefined) validateHostnameOverride(spec, at, errors);
  names(spec, at, errors);
  if (spec.overhead) {
    validateRequirements({ limits: spec.overhead }, NO_NAMES, { at: `${at}.overhead`, of: "container" }, errors);
  }
  validateOperatingSystem(spec, at, errors);
  validateFileKeyVolumes(spec, at, errors);
}

const policies = fields<PodSpec>({
  restartPolicy: required(oneOf("Always", "OnFailure", "Never")),
  dnsPolicy: required(oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
});

const names = fields<PodSpec>({
  serviceAccountName: formatted(dnsSubdomain),
  nodeName: formatted(dnsSubdomain),
  activeDeadlineSeconds: (value, at, errors) => {
    if (value < 1 || value > 2147483647) errors.invalid(at, value, notBetween(1, 2147483647));
  },
  hostname: formatted(dnsLabel),
  subdomain: formatted(dnsLabel),
  tolerations: validateTolerations,
  hostAliases: validateHostAliases,
  priorityClassName: formatted(dnsSubdomain),
  runtimeClassName: formatted(dnsSubdomain),
  preemptionPolicy: oneOf("PreemptLowerPriority", "Never"),
});

function validateClaims(
  claims: readonly PodResourceClaim[],
  at: string,
  errors: FieldErrors,
  metadata: ObjectMeta | undefined,
): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    if (metadata?.annotations && MIRROR in metadata.annotations) {
      errors.forbidden("", "static pods do not support resource claims");
      continue;
    }
    const path = `${at}[${i}]`;
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (!name) errors.required(`${path}.name`);
    else if (seen.has(name)) errors.duplicate(`${path}.name`, name);
    else errors.invalidFor(`${path}.name`, name, dnsLabel(name));
    if (name) seen.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const why = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      errors.invalid(path, claim, why);
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.invalid(path, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    for (const field of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
      const value = claim[field];
      if (value !== undefined) errors.invalidFor(`${path}.${field}`, value, dnsSubdomain(value));
    }
  }
  return seen;
}

/** In the host's network, ports are the host's. */
function validateHostPorts(spec: PodSpec, at: string, errors: FieldErrors, isPod: boolean): void {
  for (const [i, { ports = [] }] of (spec.containers ?? []).entries()) {
    for (const [j, { hostPort = 0, containerPort }] of ports.entries()) {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) continue;
      const why = "must match `containerPort` when `hostNetwork` is true";
      errors.invalid(`${at}.containers[${i}].ports[${j}].hostPort`, hostPort, why);
    }
  }
}

function validateUserNamespace(spec: PodSpec, at: string, errors: FieldErrors): void {
  const why = "when `hostUsers` is false";
  if (spec.hostNetwork) errors.forbidden(`${at}.hostNetwork`, why);
  if (spec.hostPID) errors.forbidden(`${at}.HostPID`, why);
  if (spec.hostIPC) errors.forbidden(`${at}.HostIPC`, why);
  visitContainers(spec, at, ({ volumeDevices }, path) => {
    if (volumeDevices?.length) errors.forbidden(`${path}.volumeDevices`, why);
  });
}

function validateHostnameOverride(spec: PodSpec, at: string, errors: FieldErrors): void {
  const { hostnameOverride = "", setHostnameAsFQDN, hostNetwork } = spec;
  const field = `${at}.hostnameOverride`;
  if (setHostnameAsFQDN) errors.forbidden(field, "may not be specified when setHostnameAsFQDN is true");
  if (hostNetwork) errors.forbidden(field, "may not be specified when hostNetwork is true");
  if (hostnameOverride.length > 64) errors.tooLong(field, 64);
  errors.invalidFor(field, hostnameOverride, dnsSubdomain(hostnameOverride));
}

/** Variables that are read from a file need a volume that the pod itself fills. */
function validateFileKeyVolumes(spec: PodSpec, at: string, errors: FieldErrors): void {
  visitContainers(spec, at, ({ env }, path) => {
    if (!env) return;
    for (let i = 0; i < env.length; i++) {
      const ref = env[i].valueFrom?.fileKeyRef;
      if (!ref) continue;
      const field = `${path}.env[${i}].valueFrom.fileKeyRef.volumeName`;
      const volume = spec.volumes?.find(({ name }) => name === ref.volumeName);
      if (!volume) errors.notFound(field, ref.volumeName ?? "");
      else if (!volume.emptyDir) {
        errors.invalid(field, ref.volumeName, "referenced volume must be of type emptyDir");
      }
    }
  });
}
