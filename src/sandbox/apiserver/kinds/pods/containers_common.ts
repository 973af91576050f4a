import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EnvFromSource,
  EnvVar,
  VolumeMount,
} from "../../../../api/mod.ts";
import {
  dnsLabel,
  dnsSubdomain,
  environmentName,
  type FieldErrors,
  oneOf,
  portName,
  validPort,
} from "../../validation/mod.ts";
import { validateValueFrom } from "./env_sources.ts";
import { descendingPath } from "../shared/mod.ts";
import { validateRequirements } from "./resources.ts";
import { validateSecurityContext } from "./security.ts";
import type { KnownVolumes } from "./known_volumes.ts";
import { pullPolicy } from "./pull_policy.ts";

/** What validating a container needs to know of its pod. */
export interface PodFacts {
  readonly volumes: KnownVolumes;
  readonly claimNames: ReadonlySet<string>;
  readonly restartPolicy: string;
  readonly graceSeconds: number;
  readonly hostUsers: boolean;
}

export const PROTOCOLS = ["SCTP", "TCP", "UDP"];

/** The rules for every container of a pod, whatever it is for. Upstream: validateContainerCommon. */
export function validateContainerCommon(container: Container, facts: PodFacts, at: string, errors: FieldErrors): void {
  const { name, image, terminationMessagePolicy: policy, ports, env, envFrom } = container;
  if (!name) errors.required(`${at}.name`);
  else errors.invalidFor(`${at}.name`, name, dnsLabel(name));
  if (!image) errors.required(`${at}.image`);
  const policies = ["File", "FallbackToLogsOnError"];
  if (!policy) errors.required(`${at}.terminationMessagePolicy`);
  else if (!policies.includes(policy)) errors.notSupported(`${at}.terminationMessagePolicy`, policy, policies);
  if (ports) validatePorts(ports, `${at}.ports`, errors);
  if (env) validateEnv(env, `${at}.env`, errors);
  if (envFrom) validateEnvFrom(envFrom, `${at}.envFrom`, errors);
  if (container.volumeMounts) validateMounts(container, facts.volumes, `${at}.volumeMounts`, errors);
  if (container.volumeDevices) validateDevices(container, facts.volumes, `${at}.volumeDevices`, errors);
  pullPolicy(container.imagePullPolicy, `${at}.imagePullPolicy`, errors);
  if (container.resources) {
    validateRequirements(container.resources, facts.claimNames, { at: `${at}.resources`, of: "container" }, errors);
  }
  if (container.resizePolicy) {
    validateResizePolicy(container.resizePolicy, facts.restartPolicy, `${at}.resizePolicy`, errors);
  }
  if (container.securityContext) {
    validateSecurityContext(container.securityContext, facts.hostUsers, `${at}.securityContext`, errors);
  }
}

function validatePorts(ports: readonly ContainerPort[], at: string, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, { name, containerPort, hostPort, protocol }] of ports.entries()) {
    const path = `${at}[${i}]`;
    if (name) {
      const problems = portName(name);
      errors.invalidFor(`${path}.name`, name, problems);
      if (problems.length === 0 && names.has(name)) errors.duplicate(`${path}.name`, name);
      names.add(name);
    }
    if (!containerPort) errors.required(`${path}.containerPort`);
    else validPort(containerPort, `${path}.containerPort`, errors);
    if (hostPort) validPort(hostPort, `${path}.hostPort`, errors);
    if (!protocol) errors.required(`${path}.protocol`);
    else oneOf(...PROTOCOLS)(protocol, `${path}.protocol`, errors);
  }
}

function validateEnv(env: readonly EnvVar[], at: string, errors: FieldErrors): void {
  for (let i = 0; i < env.length; i++) {
    const { name, value = "", valueFrom } = env[i];
    if (!name) errors.required(`${at}[${i}].name`);
    else errors.invalidFor(`${at}[${i}].name`, name, environmentName(name));
    if (valueFrom) validateValueFrom(valueFrom, value, `${at}[${i}].valueFrom`, errors);
  }
}

function validateEnvFrom(sources: readonly EnvFromSource[], at: string, errors: FieldErrors): void {
  for (const [i, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const path = `${at}[${i}]`;
    if (prefix) errors.invalidFor(`${path}.prefix`, prefix, environmentName(prefix));
    for (const [field, ref] of [["configMapRef", configMapRef], ["secretRef", secretRef]] as const) {
      if (!ref) continue;
      if (!ref.name) errors.required(`${path}.${field}.name`);
      else errors.invalidFor(`${path}.${field}.name`, ref.name, dnsSubdomain(ref.name));
    }
    if (!configMapRef && !secretRef) errors.invalid(at, "", "must specify one of: `configMapRef` or `secretRef`");
    else if (configMapRef && secretRef) {
      errors.invalid(at, "", "may not have more than one field specified at a time");
    }
  }
}

function validateMounts(container: Container, volumes: KnownVolumes, at: string, errors: FieldErrors): void {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const paths = new Set<string>();
  for (let i = 0; i < volumeMounts.length; i++) {
    const mount = volumeMounts[i];
    const path = `${at}[${i}]`;
    const { name = "", mountPath = "" } = mount;
    if (!name) errors.required(`${path}.name`);
    if (!volumes.has(name)) errors.notFound(`${path}.name`, name);
    if (!mountPath) errors.required(`${path}.mountPath`);
    if (paths.has(mountPath)) errors.invalid(`${path}.mountPath`, mountPath, "must be unique");
    paths.add(mountPath);
    if (volumeDevices.some((device) => device.name === name)) {
      errors.invalid(`${path}.name`, name, "must not already exist in volumeDevices");
    }
    if (volumeDevices.some(({ devicePath }) => devicePath === mountPath)) {
      errors.invalid(`${path}.mountPath`, mountPath, "must not already exist as a path in volumeDevices");
    }
    validateMountOptions(mount, container, { list: at, item: path }, errors);
  }
}

const PROPAGATIONS = ["Bidirectional", "HostToContainer", "None"];

/** Upstream reports most of a mount's options at the list, without the index. */
function validateMountOptions(
  { subPath, subPathExpr, mountPropagation, recursiveReadOnly, readOnly }: VolumeMount,
  { securityContext }: Container,
  { list, item }: { readonly list: string; readonly item: string },
  errors: FieldErrors,
): void {
  if (subPath) descendingPath(subPath, `${list}.subPath`, errors);
  if (subPathExpr) {
    if (subPath) {
      errors.invalid(`${item}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive");
    }
    descendingPath(subPathExpr, `${list}.subPathExpr`, errors);
  }
  if (mountPropagation !== undefined) {
    oneOf(...PROPAGATIONS)(mountPropagation, `${list}.mountPropagation`, errors);
    if (mountPropagation === "Bidirectional" && !securityContext?.privileged) {
      const why = "Bidirectional mount propagation is available only to privileged containers";
      errors.forbidden(`${list}.mountPropagation`, why);
    }
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return;
  const field = `${list}.recursiveReadOnly`;
  if (recursiveReadOnly !== "Enabled" && recursiveReadOnly !== "IfPossible") {
    return errors.notSupported(field, recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"]);
  }
  if (!readOnly) errors.forbidden(field, "may only be specified when readOnly is true");
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    errors.forbidden(field, "may only be specified when mountPropagation is None or not specified");
  }
}

function validateDevices(
  { volumeMounts = [], volumeDevices = [] }: Container,
  volumes: KnownVolumes,
  at: string,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, { name = "", devicePath = "" }] of volumeDevices.entries()) {
    const path = `${at}[${i}]`;
    const volume = volumes.get(name);
    if (!name) errors.required(`${path}.name`);
    if (names.has(name)) errors.invalid(`${path}.name`, name, "must be unique");
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      errors.invalid(`${path}.name`, name, why);
    }
    if (!volume) errors.notFound(`${path}.name`, name);
    if (!devicePath) errors.required(`${path}.devicePath`);
    if (paths.has(devicePath)) errors.invalid(`${path}.devicePath`, devicePath, "must be unique");
    if (devicePath.split("/").includes("..")) {
      errors.invalid(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (volumeMounts.some((mount) => mount.name === name)) {
      errors.invalid(`${path}.name`, name, "must not already exist in volumeMounts");
    }
    if (volumeMounts.some(({ mountPath }) => mountPath === devicePath)) {
      errors.invalid(`${path}.devicePath`, devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name) names.add(name);
  }
}

const RESIZABLE = ["cpu", "memory"];
const RESIZE_POLICIES = ["NotRequired", "RestartContainer"];

function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string,
  at: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [i, { resourceName = "", restartPolicy = "" }] of policies.entries()) {
    if (seen.has(resourceName)) errors.duplicate(`${at}[${i}]`, resourceName);
    seen.add(resourceName);
    if (!resourceName) errors.required(at);
    else if (!RESIZABLE.includes(resourceName)) errors.notSupported(at, resourceName, RESIZABLE);
    if (!restartPolicy) errors.required(at);
    else if (!RESIZE_POLICIES.includes(restartPolicy)) errors.notSupported(at, restartPolicy, RESIZE_POLICIES);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      errors.invalid(at, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}
