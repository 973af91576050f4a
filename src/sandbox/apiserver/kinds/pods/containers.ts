import type { Container, EphemeralContainer, PodSpec } from "../../../../api/mod.ts";
import { type FieldErrors, oneOf } from "../../validation/mod.ts";
import { type PodFacts, validateContainerCommon } from "./containers_common.ts";
import { validateLifecycle, validateProbes } from "./probes.ts";

const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const RULE_ACTIONS = ["Restart", "RestartAllContainers"];
const OPERATORS = ["In", "NotIn"];

/** When a container is restarted, where it is not as its pod says. Upstream: validateContainerRestartPolicy. */
function validateRestarts(
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  at: string,
  errors: FieldErrors,
): void {
  if (restartPolicy === undefined) {
    if (rules.length === 0) return;
    errors.required(`${at}.restartPolicy`, "must specify restartPolicy when restart rules are used");
  } else oneOf(...RESTART_POLICIES)(restartPolicy, `${at}.restartPolicy`, errors);
  if (rules.length > 20) errors.tooMany(`${at}.restartPolicyRules`, rules.length, 20);
  for (const [i, { action = "", exitCodes }] of rules.entries()) {
    const path = `${at}.restartPolicyRules[${i}]`;
    oneOf(...RULE_ACTIONS)(action, `${path}.action`, errors);
    if (!exitCodes) {
      errors.required(`${path}.exitCodes`, "must be specified");
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    oneOf(...OPERATORS)(operator, `${path}.exitCodes.operator`, errors);
    if (values.length > 255) errors.tooMany(`${path}.exitCodes.values`, values.length, 255);
  }
}

function validateHostPorts(containers: readonly Container[], at: string, errors: FieldErrors): void {
  let seen: Set<string> | undefined;
  for (let i = 0; i < containers.length; i++) {
    const { ports } = containers[i];
    if (!ports) continue;
    for (const [j, { hostPort, hostIP = "", protocol = "" }] of ports.entries()) {
      if (!hostPort) continue;
      const text = `${protocol}/${hostIP}/${hostPort}`;
      seen ??= new Set();
      if (seen.has(text)) errors.duplicate(`${at}[${i}].ports[${j}].hostPort`, text);
      seen.add(text);
    }
  }
}

function validateRegular(spec: PodSpec, facts: PodFacts, at: string, errors: FieldErrors): void {
  const { containers, os } = spec;
  if (!containers?.length) return errors.required(at);
  const names = new Set<string>();
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    const path = `${at}[${i}]`;
    validateContainerCommon(container, facts, path, errors);
    const name = container.name ?? "";
    if (names.has(name)) errors.duplicate(`${path}.name`, name);
    names.add(name);
    if (container.lifecycle) {
      validateLifecycle(container.lifecycle, { ...facts, os }, `${path}.lifecycle`, errors);
    }
    validateProbes(container, facts.graceSeconds, path, errors);
    validateRestarts(container, path, errors);
  }
  validateHostPorts(containers, at, errors);
}

const NOT_WHILE_INITIALISING = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

function validateInit(spec: PodSpec, facts: PodFacts, at: string, errors: FieldErrors): void {
  const names = new Set((spec.containers ?? []).map(({ name }) => name ?? ""));
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const path = `${at}[${i}]`;
    validateContainerCommon(container, facts, path, errors);
    validateRestarts(container, path, errors);
    const name = container.name ?? "";
    if (names.has(name)) errors.duplicate(`${path}.name`, name);
    else if (name) names.add(name);
    // Upstream looks at one container at a time, and calls each the first.
    validateHostPorts([container], at, errors);
    const isSidecar = container.restartPolicy === "Always";
    if (isSidecar) {
      if (container.lifecycle) {
        validateLifecycle(container.lifecycle, { ...facts, os: spec.os }, `${path}.lifecycle`, errors);
      }
      validateProbes(container, facts.graceSeconds, path, errors);
      continue;
    }
    for (const field of NOT_WHILE_INITIALISING) {
      if (container[field] === undefined) continue;
      errors.forbidden(`${path}.${field}`, "may not be set for init containers without restartPolicy=Always");
    }
    for (const [j, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
      if (restartPolicy !== "RestartContainer") continue;
      const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      errors.invalid(`${path}.resizePolicy[${j}].restartPolicy`, restartPolicy, why);
    }
  }
}

const NOT_EPHEMERAL = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

function isSet(value: unknown): boolean {
  return value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

function validateEphemeral(spec: PodSpec, facts: PodFacts, at: string, errors: FieldErrors): void {
  const others = new Set([...spec.containers ?? [], ...spec.initContainers ?? []].map(({ name }) => name ?? ""));
  const names = new Set(others);
  for (const [i, container] of (spec.ephemeralContainers ?? []).entries()) {
    const path = `${at}[${i}]`;
    validateContainerCommon(container, facts, path, errors);
    validateImage(container, path, errors);
    const { name = "", targetContainerName: target } = container;
    if (names.has(name)) errors.duplicate(`${path}.name`, name);
    names.add(name);
    if (target && !others.has(target)) errors.notFound(`${path}.targetContainerName`, target);
    const why = "cannot be set for an Ephemeral Container";
    for (const field of NOT_EPHEMERAL) {
      if (isSet(container[field])) errors.forbidden(`${path}.${field}`, why);
    }
    for (const [j, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
      if (subPath) errors.forbidden(`${path}.volumeMounts[${j}].subPath`, why);
      if (subPathExpr) errors.forbidden(`${path}.volumeMounts[${j}].subPathExpr`, why);
    }
  }
}

/** An image's name has no space around it; templates are not held to it. */
export function validateImage(
  { image = "" }: Container | EphemeralContainer,
  at: string,
  errors: FieldErrors,
): void {
  if (image.trim() !== image) {
    errors.invalid(`${at}.image`, image, "must not have leading or trailing whitespace");
  }
}

/** All containers of a pod. */
export function validateContainers(spec: PodSpec, facts: PodFacts, at: string, errors: FieldErrors): void {
  validateRegular(spec, facts, `${at}.containers`, errors);
  if (spec.initContainers) validateInit(spec, facts, `${at}.initContainers`, errors);
  if (spec.ephemeralContainers) validateEphemeral(spec, facts, `${at}.ephemeralContainers`, errors);
}
