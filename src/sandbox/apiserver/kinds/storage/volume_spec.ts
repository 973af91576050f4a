import type { PersistentVolumeSpec, SecretReference } from "../../../../api/mod.ts";
import * as sources from "../shared/mod.ts";
import {
  type Check,
  dnsLabel,
  dnsSubdomain,
  type FieldErrors,
  fields,
  formatted,
  oneOf,
  required,
  validateBasicAmount,
  validatePositiveAmount,
} from "../../validation/mod.ts";
import { validateNodeSelector } from "../pods/mod.ts";
import { noBacksteps, type SourceRow, validateAccessModes, validateSources, volumeMode } from "../shared/mod.ts";

const secretRef: Check<SecretReference> = fields<SecretReference>({
  name: required(formatted(dnsSubdomain)),
  namespace: required(formatted(dnsLabel)),
});

const csi = fields<NonNullable<PersistentVolumeSpec["csi"]>>({
  driver: required(sources.csiDriverName),
  volumeHandle: required(),
  controllerPublishSecretRef: secretRef,
  controllerExpandSecretRef: secretRef,
  nodePublishSecretRef: secretRef,
  nodeExpandSecretRef: secretRef,
});

const azureFile: Check<NonNullable<PersistentVolumeSpec["azureFile"]>> = (
  { secretName, shareName, secretNamespace },
  at,
  errors,
) => {
  if (!secretName) errors.required(`${at}.secretName`);
  if (!shareName) errors.required(`${at}.shareName`);
  if (secretNamespace === "") errors.required(`${at}.secretNamespace`);
};

const local =
  (spec: PersistentVolumeSpec, specAt: string): Check<NonNullable<PersistentVolumeSpec["local"]>> =>
  ({ path }, at, errors) => {
    if (!path) errors.required(`${at}.path`);
    else noBacksteps(path, `${at}.path`, errors);
    if (!spec.nodeAffinity) errors.required(`${specAt}.nodeAffinity`, "Local volume requires node affinity");
  };

/** Where a volume's data is, in the order of upstream's type. */
export const VOLUME_SOURCES = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "hostPath",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "flexVolume",
  "cinder",
  "cephfs",
  "fc",
  "flocker",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

const { source } = sources;

/** The table of sources; two of them are checked with what else is said of the volume. */
function rowsOf(spec: PersistentVolumeSpec, name: string, at: string): readonly SourceRow<PersistentVolumeSpec>[] {
  return [
    source("hostPath", sources.hostPath),
    source("gcePersistentDisk", sources.gcePersistentDisk, { at: "persistentDisk" }),
    source("awsElasticBlockStore", sources.awsElasticBlockStore),
    source("nfs", sources.nfs),
    source("iscsi", sources.iscsiOf(name)),
    source("cinder", sources.cinderOfCluster),
    source("fc", sources.fc),
    source("flexVolume", sources.flexVolume, { isNeverSecond: true }),
    source("azureFile", azureFile),
    source("vsphereVolume", sources.vsphereVolume),
    source("portworxVolume", sources.portworxVolume),
    source("azureDisk", sources.azureDisk),
    source("local", local(spec, at)),
    source("csi", csi),
    ...sources.REMOVED.map((field) => source<PersistentVolumeSpec, typeof field>(field, () => {})),
  ];
}

const INLINE = "may not be specified in the context of inline volumes";

/** What a volume is. `isInline` if it is described where it is attached. Upstream: ValidatePersistentVolumeSpec. */
export function validateVolumeSpec(
  spec: PersistentVolumeSpec,
  name: string,
  at: string,
  errors: FieldErrors,
  isInline = false,
): void {
  const { accessModes = [], nodeAffinity, persistentVolumeReclaimPolicy: policy = "" } = spec;
  if (isInline) {
    if (spec.claimRef) errors.forbidden(`${at}.claimRef`, INLINE);
    if (Object.keys(spec.capacity ?? {}).length > 0) errors.forbidden(`${at}.capacity`, INLINE);
    if (!spec.csi) errors.required(`${at}.csi`, "has to be specified in the context of inline volumes");
  }
  if (accessModes.length === 0) errors.required(`${at}.accessModes`);
  validateAccessModes(accessModes, `${at}.accessModes`, errors);
  if (!isInline) validateCapacity(spec, `${at}.capacity`, errors);
  if (policy && !isInline) oneOf("Delete", "Recycle", "Retain")(policy, `${at}.persistentVolumeReclaimPolicy`, errors);
  if (policy && isInline && policy !== "Retain") {
    const why = "may only be Retain in the context of inline volumes";
    errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, why);
  }
  if (nodeAffinity && isInline) errors.forbidden(`${at}.nodeAffinity`, INLINE);
  else if (nodeAffinity) {
    const path = `${at}.nodeAffinity.required`;
    if (nodeAffinity.required) validateNodeSelector(nodeAffinity.required, path, errors);
    else errors.required(path, "must specify required node constraints");
  }
  validateSources(spec, rowsOf(spec, name, at), at, errors);
  if (spec.hostPath && /^[./]*$/.test(spec.hostPath.path ?? "") && spec.hostPath.path && policy === "Recycle") {
    errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'");
  }
  validateClasses(spec, at, errors, isInline);
}

function validateCapacity({ capacity = {} }: PersistentVolumeSpec, at: string, errors: FieldErrors): void {
  const names = Object.keys(capacity);
  if (names.length === 0) errors.required(at);
  if (!("storage" in capacity) || names.length > 1) {
    errors.notSupported(at, names.length === 0 ? null : capacity, ["storage"]);
  }
  for (const name of names) {
    validateBasicAmount(capacity[name], `${at}[${name}]`, errors);
    validatePositiveAmount(capacity[name], `${at}[${name}]`, errors);
  }
}

function validateClasses(spec: PersistentVolumeSpec, at: string, errors: FieldErrors, isInline: boolean): void {
  const { storageClassName = "", volumeAttributesClassName } = spec;
  if (storageClassName && isInline) errors.forbidden(`${at}.storageClassName`, INLINE);
  else if (storageClassName) {
    errors.invalidFor(`${at}.storageClassName`, storageClassName, dnsSubdomain(storageClassName));
  }
  if (spec.volumeMode !== undefined && !isInline) volumeMode(spec.volumeMode, `${at}.volumeMode`, errors);
  else if (spec.volumeMode !== undefined && spec.volumeMode !== "Filesystem") {
    const why = "may not specify volumeMode other than Filesystem in the context of inline volumes";
    errors.forbidden(`${at}.volumeMode`, why);
  }
  if (volumeAttributesClassName === undefined) return;
  const field = `${at}.volumeAttributesClassName`;
  if (!volumeAttributesClassName) errors.required(field, "an empty string is disallowed");
  else errors.invalidFor(field, volumeAttributesClassName, dnsSubdomain(volumeAttributesClassName));
  if (!spec.csi) errors.required(`${at}.csi`, "has to be specified when using volumeAttributesClassName");
}
