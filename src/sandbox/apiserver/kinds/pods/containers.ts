import type { Container, EphemeralContainer, PodSpec } from "../../../../api/mod.ts";
import { alsoEmpty, atMost, each, type FieldErrors, fields, oneOf, required, unique } from "../../validation/mod.ts";
import { type PodFacts, validateContainerCommon } from "./containers_common.ts";
import { validateLife } from "./probes.ts";

type RestartRule = NonNullable<Container["restartPolicyRules"]>[number];

const restartPolicies = oneOf<string>("Always", "Never", "OnFailure");

const restartRules = each(fields<RestartRule>({
  action: alsoEmpty(oneOf("Restart", "RestartAllContainers"), ""),
  exitCodes: required(fields<NonNullable<RestartRule["exitCodes"]>>({
    operator: alsoEmpty(oneOf("In", "NotIn"), ""),
    values: (values, at, errors) => void atMost(values, 255, at, errors),
  })),
}));

/** A container's own restart policy. Upstream: validateContainerRestartPolicy. */
function validateRestarts(
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  at: string,
  errors: FieldErrors,
): void {
  if (restartPolicy !== undefined) restartPolicies(restartPolicy, `${at}.restartPolicy`, errors);
  else if (rules.length === 0) return;
  else errors.required(`${at}.restartPolicy`, "must be set with restart rules");
  atMost(rules, 20, `${at}.restartPolicyRules`, errors);
  restartRules(rules, `${at}.restartPolicyRules`, errors);
}

function validateHostPorts(containers: readonly Container[], at: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { ports }] of containers.entries()) {
    for (const [j, { hostPort, hostIP = "", protocol = "" }] of (ports ?? []).entries()) {
      if (!hostPort) continue;
      const text = `${protocol}/${hostIP}/${hostPort}`;
      if (seen.has(text)) errors.duplicate(`${at}[${i}].ports[${j}].hostPort`, text);
      seen.add(text);
    }
  }
}

function validateRegular(spec: PodSpec, facts: PodFacts, at: string, errors: FieldErrors): void {
  const { containers } = spec;
  if (!containers?.length) return errors.required(at);
  unique(containers, at, errors, ({ name }) => name, ".name");
  for (let i = 0; i < containers.length; i++) {
    const path = `${at}[${i}]`;
    validateContainerCommon(containers[i], facts, path, errors);
    validateLife(containers[i], facts.graceSeconds, path, errors);
    validateRestarts(containers[i], path, errors);
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
    // Upstream checks one container at a time, so each has index 0.
    validateHostPorts([container], at, errors);
    if (container.restartPolicy === "Always") {
      validateLife(container, facts.graceSeconds, path, errors);
      continue;
    }
    for (const field of NOT_WHILE_INITIALISING) {
      if (container[field] !== undefined) errors.forbidden(`${path}.${field}`, "may only be set for sidecars");
    }
    for (const [j, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
      if (restartPolicy !== "RestartContainer") continue;
      errors.invalid(`${path}.resizePolicy[${j}].restartPolicy`, restartPolicy, "may only be set for sidecars");
    }
  }
}

const NOT_EPHEMERAL = [
  ..."ports resources resizePolicy restartPolicy restartPolicyRules".split(" "),
  ..."livenessProbe readinessProbe startupProbe lifecycle".split(" "),
] as (keyof EphemeralContainer)[];

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
    for (const field of NOT_EPHEMERAL) if (isSet(container[field])) errors.forbidden(`${path}.${field}`, why);
    for (const [j, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
      if (subPath) errors.forbidden(`${path}.volumeMounts[${j}].subPath`, why);
      if (subPathExpr) errors.forbidden(`${path}.volumeMounts[${j}].subPathExpr`, why);
    }
  }
}

/** An image's name must not have spaces around it; templates are exempt. */
export function validateImage({ image = "" }: Container | EphemeralContainer, at: string, errors: FieldErrors): void {
  if (image.trim() !== image) errors.invalid(`${at}.image`, image, "must not have leading or trailing whitespace");
}

export function validateContainers(spec: PodSpec, facts: PodFacts, at: string, errors: FieldErrors): void {
  validateRegular(spec, facts, `${at}.containers`, errors);
  if (spec.initContainers) validateInit(spec, facts, `${at}.initContainers`, errors);
  if (spec.ephemeralContainers) validateEphemeral(spec, facts, `${at}.ephemeralContainers`, errors);
}
