import type { ObjectMeta, PodResourceClaim, PodSpec } from "../../../../api/mod.ts";
import { dnsLabel, dnsSubdomain, each, type FieldErrors, fields, notBetween, unique } from "../../validation/mod.ts";
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

/** What the spec belongs to: a pod with metadata, or a template. */
export interface PodSpecOptions {
  readonly isPod: boolean;
  readonly metadata?: ObjectMeta;
}

const NO_NAMES: ReadonlySet<string> = new Set();

const simple = fields<PodSpec>({
  terminationGracePeriodSeconds: "!",
  restartPolicy: "!one",
  dnsPolicy: "!one",
  nodeSelector: "labels",
  affinity: validateAffinity,
  topologySpreadConstraints: validateSpread,
  serviceAccountName: "subdomain",
  nodeName: "subdomain",
  activeDeadlineSeconds: (value, at, errors) => {
    if (value < 1 || value > 2147483647) errors.invalid(at, value, notBetween(1, 2147483647));
  },
  hostname: "label",
  subdomain: "label",
  tolerations: validateTolerations,
  hostAliases: validateHostAliases,
  priorityClassName: "subdomain",
  runtimeClassName: "subdomain",
  preemptionPolicy: "one",
}, "core.v1.PodSpec");

/** All rules for a pod's spec. Upstream: ValidatePodSpec. */
export function validatePodSpec(spec: PodSpec, at: string, errors: FieldErrors, options: PodSpecOptions): void {
  const { terminationGracePeriodSeconds, restartPolicy = "", securityContext } = spec;
  simple(spec, at, errors);
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
  if (securityContext) validatePodSecurityContext(securityContext, spec, `${at}.securityContext`, errors);
  if (spec.dnsConfig || spec.dnsPolicy === "None") validateDns(spec, `${at}.dnsConfig`, errors);
  validateGates(spec, at, errors);
  validateHostProcess(spec, at, errors);
  if (spec.hostUsers === false) validateUserNamespace(spec, at, errors);
  if (spec.hostnameOverride !== undefined) validateHostnameOverride(spec, at, errors);
  if (spec.overhead) {
    validateRequirements({ limits: spec.overhead }, NO_NAMES, { at: `${at}.overhead`, of: "container" }, errors);
  }
  validateOperatingSystem(spec, at, errors);
  validateFileKeyVolumes(spec, at, errors);
}

const claim = fields<PodResourceClaim>({
  name: "!",
  resourceClaimName: "subdomain",
  resourceClaimTemplateName: "subdomain",
}, "core.v1.PodResourceClaim");

function validateClaims(
  claims: readonly PodResourceClaim[],
  at: string,
  errors: FieldErrors,
  metadata: ObjectMeta | undefined,
): ReadonlySet<string> {
  if (metadata?.annotations && MIRROR in metadata.annotations) {
    errors.forbidden("", "static pods do not support resource claims");
    return NO_NAMES;
  }
  const names = new Set(claims.map(({ name }) => name).filter(Boolean));
  each(claim)(claims, at, errors);
  unique(claims, at, errors, ({ name }) => name, ".name");
  for (const [i, one] of claims.entries()) {
    const { name, resourceClaimName, resourceClaimTemplateName } = one;
    if (name) errors.invalidFor(`${at}[${i}].name`, name, dnsLabel(name));
    if ((resourceClaimName === undefined) !== (resourceClaimTemplateName === undefined)) continue;
    errors.invalid(`${at}[${i}]`, one, "must specify one of `resourceClaimName` and `resourceClaimTemplateName`");
  }
  return names;
}

/** With host networking, container ports must equal host ports. */
function validateHostPorts(spec: PodSpec, at: string, errors: FieldErrors, isPod: boolean): void {
  for (const [i, { ports = [] }] of (spec.containers ?? []).entries()) {
    for (const [j, { hostPort = 0, containerPort }] of ports.entries()) {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) continue;
      errors.invalid(`${at}.containers[${i}].ports[${j}].hostPort`, hostPort, "must match `containerPort`");
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

/** Variables that are read from a file need an emptyDir volume. */
function validateFileKeyVolumes(spec: PodSpec, at: string, errors: FieldErrors): void {
  visitContainers(spec, at, ({ env }, path) => {
    if (!env) return;
    for (let i = 0; i < env.length; i++) {
      const ref = env[i].valueFrom?.fileKeyRef;
      if (!ref) continue;
      const field = `${path}.env[${i}].valueFrom.fileKeyRef.volumeName`;
      const volume = spec.volumes?.find(({ name }) => name === ref.volumeName);
      if (!volume) errors.notFound(field, ref.volumeName ?? "");
      else if (!volume.emptyDir) errors.invalid(field, ref.volumeName, "must be a volume of type emptyDir");
    }
  });
}
