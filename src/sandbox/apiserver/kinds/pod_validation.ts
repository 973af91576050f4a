import {
  type Container,
  dns1123LabelErrors,
  type LabelSelector,
  type Pod,
  type PodSpec,
  type PodTemplateSpec,
  Quantity,
  type Selector,
  SelectorError,
  selectorOf,
} from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import type { FieldErrors } from "../validation/field_errors.ts";
import { validateLabels } from "../validation/metadata.ts";

/** The part of pod validation that keeps controllers honest; not upstream's whole. */
export function validatePodSpec(spec: PodSpec | undefined, field: string, errors: FieldErrors): void {
  if (!spec?.containers?.length) errors.required(`${field}.containers`);
  const names = new Set<string>();
  validateContainers(spec?.containers ?? [], `${field}.containers`, names, errors);
  validateContainers(spec?.initContainers ?? [], `${field}.initContainers`, names, errors);
  const volumes = new Set<string>();
  for (const [i, { name }] of (spec?.volumes ?? []).entries()) {
    const at = `${field}.volumes[${i}].name`;
    if (!name) errors.required(at);
    else for (const problem of dns1123LabelErrors(name)) errors.invalid(at, name, problem);
    if (volumes.has(name)) errors.duplicate(at, name);
    volumes.add(name);
  }
  validateMounts(spec, field, volumes, errors);
  const policies = ["Always", "OnFailure", "Never"];
  const { restartPolicy = "", terminationGracePeriodSeconds = 0 } = spec ?? {};
  if (!policies.includes(restartPolicy)) errors.notSupported(`${field}.restartPolicy`, restartPolicy, policies);
  if (terminationGracePeriodSeconds < 0) {
    const at = `${field}.terminationGracePeriodSeconds`;
    errors.invalid(at, terminationGracePeriodSeconds, "must be greater than or equal to 0");
  }
}

function validateContainers(
  containers: readonly Container[],
  field: string,
  names: Set<string>,
  errors: FieldErrors,
): void {
  for (const [i, container] of containers.entries()) {
    const at = `${field}[${i}]`;
    const { name, image } = container;
    if (!name) errors.required(`${at}.name`);
    else for (const problem of dns1123LabelErrors(name)) errors.invalid(`${at}.name`, name, problem);
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
    if (!image) errors.required(`${at}.image`);
    else if (image.trim() !== image) {
      errors.invalid(`${at}.image`, image, "must not have leading or trailing whitespace");
    }
    validatePorts(container, at, errors);
    validateResources(container, at, errors);
  }
}

function validatePorts({ ports = [] }: Container, field: string, errors: FieldErrors): void {
  for (const [i, { containerPort, hostPort }] of ports.entries()) {
    const at = `${field}.ports[${i}]`;
    const inRange = (port: number) => port > 0 && port < 65536;
    const why = "must be between 1 and 65535, inclusive";
    if (!containerPort) errors.required(`${at}.containerPort`);
    else if (!inRange(containerPort)) errors.invalid(`${at}.containerPort`, containerPort, why);
    if (hostPort && !inRange(hostPort)) errors.invalid(`${at}.hostPort`, hostPort, why);
  }
}

function validateResources({ resources = {} }: Container, field: string, errors: FieldErrors): void {
  for (const [name, request] of Object.entries(resources.requests ?? {})) {
    const limit = resources.limits?.[name];
    if (limit === undefined || Quantity.parse(request).compare(Quantity.parse(limit)) <= 0) continue;
    errors.invalid(`${field}.resources.requests`, request, `must be less than or equal to ${name} limit of ${limit}`);
  }
}

function validateMounts(
  spec: PodSpec | undefined,
  field: string,
  volumes: ReadonlySet<string>,
  errors: FieldErrors,
): void {
  for (const [i, { volumeMounts = [] }] of (spec?.containers ?? []).entries()) {
    for (const [j, { name, mountPath }] of volumeMounts.entries()) {
      const at = `${field}.containers[${i}].volumeMounts[${j}]`;
      if (!name) errors.required(`${at}.name`);
      else if (!volumes.has(name)) errors.notFound(`${at}.name`, name);
      if (!mountPath) errors.required(`${at}.mountPath`);
    }
  }
}

/** What the kinds that make pods from a template share: a selector that is not empty and matches the template. */
export function validateSelectorAndTemplate(
  { selector, template, restartPolicies }: {
    readonly selector: LabelSelector | undefined;
    readonly template: PodTemplateSpec | undefined;
    readonly restartPolicies: readonly string[];
  },
  errors: FieldErrors,
): void {
  validateTemplate(template, "spec.template", restartPolicies, errors);
  const labels = template?.metadata?.labels;
  if (!selector) {
    errors.required("spec.selector");
    if (labels) errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
    return;
  }
  const parsed = parseSelector(selector, errors);
  if (!parsed) return;
  if (parsed.isEmpty) errors.invalid("spec.selector", selector, "empty selector is invalid for deployment");
  else if (!parsed.matches(labels)) {
    errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  }
}

function parseSelector(selector: LabelSelector, errors: FieldErrors): Selector | undefined {
  try {
    return selectorOf(selector);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    errors.invalid("spec.selector", selector, error.message);
    return undefined;
  }
}

/** A pod template's spec and labels. */
export function validateTemplate(
  template: PodTemplateSpec | undefined,
  field: string,
  restartPolicies: readonly string[],
  errors: FieldErrors,
): void {
  validateLabels(template?.metadata?.labels, `${field}.labels`, errors);
  validatePodSpec(template?.spec, `${field}.spec`, errors);
  const policy = template?.spec?.restartPolicy ?? "";
  if (restartPolicies.includes(policy)) return;
  const at = `${field}.spec.restartPolicy`;
  if (restartPolicies.length === 1) return errors.notSupported(at, policy, restartPolicies);
  errors.required(at, `valid values: ${restartPolicies.map((one) => JSON.stringify(one)).join(", ")}`);
}

/** Only few fields of a running pod may change. Upstream: ValidatePodUpdate in `pkg/apis/core/validation/validation.go`. */
export function validatePodUpdate(pod: Pod, old: Pod, errors: FieldErrors): void {
  const comparable = deepCopy(pod.spec!);
  const before = old.spec!;
  takeImages(comparable.containers, before.containers);
  takeImages(comparable.initContainers ?? [], before.initContainers ?? []);
  const deadline = comparable.activeDeadlineSeconds;
  if (deadline !== undefined && (before.activeDeadlineSeconds ?? Infinity) >= deadline) {
    comparable.activeDeadlineSeconds = before.activeDeadlineSeconds;
  }
  const { tolerations = [] } = comparable;
  if ((before.tolerations ?? []).every((one) => tolerations.some((other) => deepEqual(one, other)))) {
    comparable.tolerations = before.tolerations;
  }
  const { schedulingGates = [] } = comparable;
  if (schedulingGates.every(({ name }) => before.schedulingGates?.some((gate) => gate.name === name))) {
    comparable.schedulingGates = before.schedulingGates;
  }
  if (comparable.terminationGracePeriodSeconds === 1 && (before.terminationGracePeriodSeconds ?? 0) < 0) {
    comparable.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  if (deepEqual(comparable, before)) return;
  errors.forbidden(
    "spec",
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
      "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
  );
}

function takeImages(containers: Container[], before: readonly Container[]): void {
  for (const [i, container] of containers.entries()) if (before[i]) container.image = before[i].image;
}
