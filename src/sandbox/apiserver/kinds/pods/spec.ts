import type { ObjectMeta, PodResourceClaim, PodSpec } from "../../../../api/mod.ts";
import { type Check, each, type FieldErrors, fields, notBetween, oneOf, unique } from "../../validation/mod.ts";
import { validateAffinity } from "./affinity.ts";
import { MIRROR } from "./annotations.ts";
import { validateContainers } from "./containers.ts";
import { validatePodResources } from "./pod_resources.ts";
import { validateRequirements } from "./resources.ts";
import {
  readinessGates,
  schedulingGates,
  validateDns,
  validateHostAliases,
  validateSpread,
  validateTolerations,
} from "./scheduling.ts";
import { validatePodSecurityContext } from "./security.ts";
import { validateVolumes } from "./volumes.ts";

const NO_NAMES: ReadonlySet<string> = new Set();

const os: Check<NonNullable<PodSpec["os"]>> = ({ name }, at, errors) =>
  name ? oneOf("linux", "windows")(name, at, errors) : errors.required(`${at}.name`);

const simple = fields<PodSpec>({
  os,
  terminationGracePeriodSeconds: "!",
  restartPolicy: "!one",
  dnsPolicy: "!one",
  nodeSelector: "labels",
  securityContext: validatePodSecurityContext,
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
  readinessGates,
  schedulingGates,
}, "core.v1.PodSpec");

/** All rules for the spec of a template, or of the pod with `metadata`. Upstream: ValidatePodSpec. */
export function validatePodSpec(spec: PodSpec, at: string, errors: FieldErrors, metadata?: ObjectMeta): void {
  const { terminationGracePeriodSeconds: graceSeconds = Infinity, restartPolicy = "", securityContext } = spec;
  simple(spec, at, errors);
  const volumes = validateVolumes(spec.volumes ?? [], `${at}.volumes`, errors, metadata);
  const claimNames = spec.resourceClaims
    ? validateClaims(spec.resourceClaims, `${at}.resourceClaims`, errors, metadata)
    : NO_NAMES;
  const facts = { volumes, claimNames, restartPolicy, graceSeconds };
  validateContainers(spec, facts, at, errors);
  if (spec.resources) validatePodResources(spec, claimNames, at, errors);
  if (spec.hostNetwork) validateHostPorts(spec, at, errors, metadata !== undefined);
  if (securityContext && spec.shareProcessNamespace && spec.hostPID) {
    errors.invalid(`${at}.securityContext.shareProcessNamespace`, true, "must not be set together with hostPID");
  }
  if (spec.dnsConfig || spec.dnsPolicy === "None") validateDns(spec, `${at}.dnsConfig`, errors);
  if (spec.overhead) {
    validateRequirements({ limits: spec.overhead }, NO_NAMES, { at: `${at}.overhead`, of: "container" }, errors);
  }
}

const claim = fields<PodResourceClaim>({
  name: "!label",
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
    const { resourceClaimName, resourceClaimTemplateName } = one;
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
