import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EnvFromSource,
  EnvVar,
  Volume,
  VolumeDevice,
  VolumeMount,
} from "../../../../api/mod.ts";
import { type Check, each, type FieldErrors, fields, oneOf, portName, required, unique } from "../../validation/mod.ts";
import { validateValueFrom } from "./env_sources.ts";
import { descendingPath, noBacksteps } from "../shared/mod.ts";
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
  securityContext: validateSecurityContext,
}, "core.v1.Container");

/** The rules for containers of every type. Upstream: validateContainerCommon. */
export function validateContainerCommon(container: Container, facts: PodFacts, at: string, errors: FieldErrors): void {
  common(container, at, errors);
  if (container.volumeMounts) validateMounts(container, facts.volumes, `${at}.volumeMounts`, errors);
  if (container.volumeDevices) {
    validateDevices(container.volumeDevices, facts.volumes, `${at}.volumeDevices`, errors);
  }
  if (container.resources) {
    validateRequirements(container.resources, facts.claimNames, { at: `${at}.resources`, of: "container" }, errors);
  }
  if (container.resizePolicy) {
    validateResizePolicy(container.resizePolicy, facts.restartPolicy, `${at}.resizePolicy`, errors);
  }
}

function validateMounts(container: Container, volumes: KnownVolumes, at: string, errors: FieldErrors): void {
  const { volumeMounts = [] } = container;
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
    mountOptions(mount, at, errors);
    if (mount.subPath && mount.subPathExpr) {
      errors.invalid(`${path}.subPathExpr`, mount.subPathExpr, "must not be set together with subPath");
    }
    if (mount.mountPropagation === "Bidirectional" && !container.securityContext?.privileged) {
      errors.forbidden(`${at}.mountPropagation`, "Bidirectional requires a privileged container");
    }
    const isRecursive = mount.recursiveReadOnly && mount.recursiveReadOnly !== "Disabled";
    if (isRecursive && !mount.readOnly) errors.forbidden(`${at}.recursiveReadOnly`, "needs readOnly");
  }
}

/** Upstream reports most options of a mount at the list, without an index. */
const mountOptions = fields<VolumeMount>({
  subPath: descendingPath,
  subPathExpr: descendingPath,
  mountPropagation: "one",
  recursiveReadOnly: oneOf("Disabled", "Enabled", "IfPossible"),
}, "core.v1.VolumeMount");

const devices = each(fields<VolumeDevice>({ name: "!", devicePath: required(noBacksteps) }));

function validateDevices(list: VolumeDevice[], volumes: KnownVolumes, at: string, errors: FieldErrors): void {
  devices(list, at, errors);
  for (const [i, { name }] of list.entries()) {
    const volume = volumes.get(name);
    if (!volume) errors.notFound(`${at}[${i}].name`, name ?? "");
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      errors.invalid(`${at}[${i}].name`, name, "must be a volume of a claim, or ephemeral, for block mode");
    }
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
