import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EnvFromSource,
  EnvVar,
  Volume,
  VolumeMount,
} from "../../../../api/mod.ts";
import { type Check, each, type FieldErrors, fields, oneOf, portName, unique, valuesOf } from "../../validation/mod.ts";
import { validateValueFrom } from "./env_sources.ts";
import { descendingPath } from "../shared/mod.ts";
import { validateRequirements } from "./resources.ts";
import { validateSecurityContext } from "./security.ts";

/** The valid volumes, which mounts can refer to. */
export type KnownVolumes = ReadonlyMap<string, Volume>;

/** What validating a container needs to know about its pod. */
export interface PodFacts {
  readonly volumes: KnownVolumes;
  readonly claimNames: ReadonlySet<string>;
  readonly restartPolicy: string;
  readonly graceSeconds: number;
  readonly hostUsers: boolean;
}

const port = fields<ContainerPort>(
  { name: "portName", containerPort: "!port", hostPort: "port", protocol: "!one" },
  "core.v1.ContainerPort",
);

const ports: Check<ContainerPort[]> = (list, at, errors) => {
  each(port)(list, at, errors);
  unique(list, at, errors, ({ name }) => name && portName(name).length === 0 ? name : undefined, ".name");
};

const envVar = fields<EnvVar>({ name: "!envName" });

const env: Check<EnvVar[]> = each<EnvVar>((one, at, errors) => {
  envVar(one, at, errors);
  if (one.valueFrom) validateValueFrom(one.valueFrom, one.value ?? "", `${at}.valueFrom`, errors);
});

const named = fields<{ name?: string }>({ name: "!subdomain" });
const envFromFields = fields<EnvFromSource>({ prefix: "envName", configMapRef: named, secretRef: named });

const envFrom: Check<EnvFromSource[]> = (list, at, errors) => {
  each(envFromFields)(list, at, errors);
  for (const { configMapRef, secretRef } of list) {
    if (!configMapRef === !secretRef) errors.invalid(at, "", "must specify one of `configMapRef` and `secretRef`");
  }
};

const common = fields<Container>({
  name: "!label",
  image: "!",
  terminationMessagePolicy: "!one",
  ports,
  env,
  envFrom,
  imagePullPolicy: "!one",
}, "core.v1.Container");

/** The rules for containers of every type. Upstream: validateContainerCommon. */
export function validateContainerCommon(container: Container, facts: PodFacts, at: string, errors: FieldErrors): void {
  common(container, at, errors);
  if (container.volumeMounts) validateMounts(container, facts.volumes, `${at}.volumeMounts`, errors);
  if (container.volumeDevices) validateDevices(container, facts.volumes, `${at}.volumeDevices`, errors);
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
    for (const device of volumeDevices) {
      if (device.name === name) errors.invalid(`${path}.name`, name, "must not be in volumeDevices");
      if (device.devicePath === mountPath) {
        errors.invalid(`${path}.mountPath`, mountPath, "must not be in volumeDevices");
      }
    }
    validateMountOptions(mount, container, { list: at, item: path }, errors);
  }
}

const propagation = valuesOf("core.v1.VolumeMount", "mountPropagation");
const readOnlyModes = oneOf<string>("Disabled", "Enabled", "IfPossible");

/** Upstream reports most options of a mount at the list, without an index. */
function validateMountOptions(
  { subPath, subPathExpr, mountPropagation = "None", recursiveReadOnly = "Disabled", readOnly }: VolumeMount,
  { securityContext }: Container,
  { list, item }: { readonly list: string; readonly item: string },
  errors: FieldErrors,
): void {
  if (subPath) descendingPath(subPath, `${list}.subPath`, errors);
  if (subPathExpr) {
    if (subPath) errors.invalid(`${item}.subPathExpr`, subPathExpr, "must not be set together with subPath");
    descendingPath(subPathExpr, `${list}.subPathExpr`, errors);
  }
  propagation(mountPropagation, `${list}.mountPropagation`, errors);
  if (mountPropagation === "Bidirectional" && !securityContext?.privileged) {
    errors.forbidden(`${list}.mountPropagation`, "Bidirectional requires a privileged container");
  }
  const field = `${list}.recursiveReadOnly`;
  readOnlyModes(recursiveReadOnly, field, errors);
  if (recursiveReadOnly !== "Enabled" && recursiveReadOnly !== "IfPossible") return;
  if (!readOnly) errors.forbidden(field, "may only be specified when readOnly is true");
  if (mountPropagation !== "None") errors.forbidden(field, "needs the mountPropagation None");
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
    const [nameAt, pathAt] = [`${at}[${i}].name`, `${at}[${i}].devicePath`];
    const volume = volumes.get(name);
    if (!name) errors.required(nameAt);
    if (names.has(name)) errors.invalid(nameAt, name, "must be unique");
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      errors.invalid(nameAt, name, "must be a volume of a claim, or ephemeral, for block mode");
    }
    if (!volume) errors.notFound(nameAt, name);
    if (!devicePath) errors.required(pathAt);
    if (paths.has(devicePath)) errors.invalid(pathAt, devicePath, "must be unique");
    if (devicePath.split("/").includes("..")) errors.invalid(pathAt, devicePath, "must not contain '..'");
    else paths.add(devicePath);
    for (const mount of volumeMounts) {
      if (mount.name === name) errors.invalid(nameAt, name, "must not be in volumeMounts");
      if (mount.mountPath === devicePath) errors.invalid(pathAt, devicePath, "must not be in volumeMounts");
    }
    if (name) names.add(name);
  }
}

const resizable = oneOf<string>("cpu", "memory");
const resizePolicies = oneOf<string>("NotRequired", "RestartContainer");

function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string,
  at: string,
  errors: FieldErrors,
): void {
  unique(policies, at, errors, ({ resourceName }) => resourceName);
  for (const { resourceName = "", restartPolicy = "" } of policies) {
    if (!resourceName) errors.required(at);
    else resizable(resourceName, at, errors);
    if (!restartPolicy) errors.required(at);
    else resizePolicies(restartPolicy, at, errors);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      errors.invalid(at, restartPolicy, "must be 'NotRequired' when the pod's `restartPolicy` is 'Never'");
    }
  }
}
