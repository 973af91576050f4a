import type { Container, Pod, PodSpec, ResourceRequirements } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { MIRROR, qosClassOf } from "../kinds/pods/mod.ts";
import { changedPaths, type FieldErrors } from "../validation/mod.ts";

export function takeEphemeralContainers({ spec }: Pod, sent: Pod): void {
  const wanted = sent.spec?.ephemeralContainers;
  if (!spec) return;
  if (wanted?.length) spec.ephemeralContainers = wanted;
  else delete spec.ephemeralContainers;
}

/** Ephemeral containers can be added but not changed. Upstream: ValidatePodEphemeralContainersUpdate. */
export function validateEphemeralContainers({ spec }: Pod, old: Pod, errors: FieldErrors): void {
  const at = "spec.ephemeralContainers";
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const now = spec?.ephemeralContainers?.find(({ name }) => name === before.name);
    const which = `existing ephemeral containers ${JSON.stringify(before.name)} may not be`;
    if (!now) errors.forbidden(at, `${which} removed`);
    else if (!deepEqual(now, before)) {
      errors.forbidden(at, `${which} changed: ${changedPaths(now, before, before.name).join(", ")}`);
    }
  }
}

const LISTS = ["containers", "initContainers"] as const;

/** Adopts the sent resources; if the containers differ, adopts all of them, which validation refuses. */
export function takeResources(pod: Pod, { spec: sent }: Pod): void {
  const { spec } = pod;
  if (!spec || !sent) return;
  if (LISTS.some((list) => (spec[list]?.length ?? 0) !== (sent[list]?.length ?? 0))) {
    pod.spec = sent;
    return;
  }
  spec.containers = withResources(spec.containers, sent.containers);
  if (spec.initContainers) spec.initContainers = withResources(spec.initContainers, sent.initContainers);
  if (sent.resources) spec.resources = sent.resources;
  else delete spec.resources;
}

function withResources(containers: Container[], sent: Container[] = []): Container[] {
  if (containers.some(({ name }, i) => name !== sent[i].name)) return sent;
  return containers.map(({ resizePolicy: _, ...container }, i) => {
    const { resources, resizePolicy } = sent[i];
    return { ...container, resources, ...resizePolicy ? { resizePolicy } : {} };
  });
}

/** Upstream: ValidatePodResize in `pkg/apis/core/validation/validation.go`. */
export function validateResize(pod: Pod, old: Pod, errors: FieldErrors): void {
  const [spec, before] = [pod.spec!, old.spec!];
  if (old.metadata?.annotations?.[MIRROR] !== undefined) return errors.forbidden("", "static pods cannot be resized");
  if ((old.status?.qosClass || qosClassOf(before)) !== qosClassOf(spec)) {
    errors.invalid("spec", pod.status?.qosClass ?? "", "Pod QOS Class may not change as a result of resizing");
  }
  const running = old.status?.containerStatuses?.find(({ state }) => state?.running);
  if (running && !running.resources) errors.forbidden("spec", "Pod running on node without support for resize");
  validatePodLevel(spec.resources, before.resources, errors);
  if (!areInOrder(spec, before, errors)) return;
  for (const list of LISTS.toReversed()) {
    for (const [i, { resources }] of (before[list] ?? []).entries()) {
      validateNothingRemoved(spec[list]![i].resources, resources, { at: `spec.${list}[${i}].resources`, errors });
    }
  }
  validateOnlyResources(spec, before, errors);
}

function validatePodLevel(
  resources: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
  errors: FieldErrors,
): void {
  const what = "pod-level resource";
  if (before && !resources) return errors.forbidden("spec.resources", `${what}s cannot be removed`);
  if (before) validateNothingRemoved(resources, before, { at: "spec.resources", what, errors });
  if (resources && !deepEqual(withoutComputing(resources), withoutComputing(before))) {
    errors.forbidden("spec", "only cpu and memory resources are mutable at pod-level");
  }
}

function areInOrder(spec: PodSpec, before: PodSpec, errors: FieldErrors): boolean {
  const found = errors.count;
  for (const list of LISTS) {
    const [now, then] = [spec[list] ?? [], before[list] ?? []];
    if (now.length !== then.length) errors.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`);
    else {
      for (const [i, { name }] of then.entries()) {
        if (now[i].name === name) continue;
        errors.forbidden(`spec.${list}[${i}].name`, `${list} may not be renamed or reordered on resize`);
      }
    }
  }
  return errors.count === found;
}

function validateNothingRemoved(
  resources: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
  { at, what = "resource", errors }: { readonly at: string; readonly what?: string; readonly errors: FieldErrors },
): void {
  for (const list of ["requests", "limits"] as const) {
    const isRemoved = Object.keys(before?.[list] ?? {}).some((name) => resources?.[list]?.[name] === undefined);
    if (isRemoved) errors.forbidden(`${at}.${list}`, `${what} ${list} cannot be removed`);
  }
}

function validateOnlyResources(spec: PodSpec, before: PodSpec, errors: FieldErrors): void {
  const why = "only cpu and memory resources";
  for (const [i, container] of spec.containers.entries()) {
    if (differInMore(container, before.containers[i])) errors.forbidden("spec", `${why} are mutable`);
  }
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const then = before.initContainers![i];
    const at = `spec.initContainers[${i}]`;
    if (differInMore(container, then)) errors.forbidden(at, `${why} for init or sidecar containers are mutable`);
    if (container.restartPolicy === "Always" || deepEqual(container, then)) continue;
    for (const { restartPolicy } of container.resizePolicy ?? []) {
      if (restartPolicy !== "RestartContainer") continue;
      errors.forbidden(at, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized");
    }
  }
}

/** Whether containers differ in more than their amounts of cpu and memory. */
function differInMore(container: Container, before: Container): boolean {
  return !deepEqual(
    { ...container, resources: withoutComputing(container.resources) },
    { ...before, resources: withoutComputing(before.resources) },
  );
}

/** All amounts except cpu and memory. */
function withoutComputing(resources: ResourceRequirements | undefined): ResourceRequirements {
  const rest = (amounts: ResourceRequirements["limits"]) => {
    const { cpu: _cpu, memory: _memory, ...others } = amounts ?? {};
    return others;
  };
  return { limits: rest(resources?.limits), requests: rest(resources?.requests) };
}
