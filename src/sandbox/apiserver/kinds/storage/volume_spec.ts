import type { PersistentVolumeSpec, SecretReference } from "../../../../api/mod.ts";
import {
  type FieldErrors,
  fields,
  required,
  validateBasicAmount,
  validatePositiveAmount,
  valuesOf,
} from "../../validation/mod.ts";
import { validateNodeSelector } from "../pods/mod.ts";
import {
  csiDriverName,
  noBacksteps,
  SOURCES,
  validateAccessModes,
  validateSources,
  type VolumeSources,
} from "../shared/mod.ts";

/** The fields of a volume that are not sources. */
export const NO_SOURCES: ReadonlySet<string> = new Set([
  ..."accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy".split(" "),
  ..."storageClassName volumeAttributesClassName volumeMode".split(" "),
]);

const secretRef = fields<SecretReference>({ name: "!subdomain", namespace: "!label" });

function sourcesOf(spec: PersistentVolumeSpec, specAt: string): VolumeSources<PersistentVolumeSpec> {
  return {
    ...SOURCES,
    local({ path }, at, errors) {
      if (!path) errors.required(`${at}.path`);
      else noBacksteps(path, `${at}.path`, errors);
      if (!spec.nodeAffinity) errors.required(`${specAt}.nodeAffinity`, "Local volume requires node affinity");
    },
    csi: fields<NonNullable<PersistentVolumeSpec["csi"]>>({
      driver: required(csiDriverName),
      volumeHandle: "!",
      controllerPublishSecretRef: secretRef,
      controllerExpandSecretRef: secretRef,
      nodePublishSecretRef: secretRef,
      nodeExpandSecretRef: secretRef,
    }),
  };
}

const INLINE = "may not be specified in the context of inline volumes";
const reclaimPolicy = valuesOf("core.v1.PersistentVolumeSpec", "persistentVolumeReclaimPolicy");
const simple = fields<PersistentVolumeSpec>(
  { storageClassName: "subdomain", volumeMode: "one" },
  "core.v1.PersistentVolumeSpec",
);

/** Upstream: ValidatePersistentVolumeSpec. */
export function validateVolumeSpec(spec: PersistentVolumeSpec, at: string, errors: FieldErrors): void {
  const { nodeAffinity, persistentVolumeReclaimPolicy: policy = "" } = spec;
  validateCapacity(spec, `${at}.capacity`, errors);
  if (policy) reclaimPolicy(policy, `${at}.persistentVolumeReclaimPolicy`, errors);
  const path = `${at}.nodeAffinity.required`;
  if (nodeAffinity?.required) validateNodeSelector(nodeAffinity.required, path, errors);
  else if (nodeAffinity) errors.required(path, "must specify required node constraints");
  if (spec.hostPath && /^[./]+$/.test(spec.hostPath.path ?? "") && policy === "Recycle") {
    errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'");
  }
  simple(spec, at, errors);
  validateAnyVolume(spec, at, errors);
}

/** A volume described in an attachment. Upstream: the same, with `inline`. */
export function validateInlineVolume(spec: PersistentVolumeSpec, at: string, errors: FieldErrors): void {
  for (const field of ["claimRef", "nodeAffinity", "storageClassName"] as const) {
    if (spec[field]) errors.forbidden(`${at}.${field}`, INLINE);
  }
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.forbidden(`${at}.capacity`, INLINE);
  if (!spec.csi) errors.required(`${at}.csi`, "has to be specified in the context of inline volumes");
  const { persistentVolumeReclaimPolicy: policy = "Retain", volumeMode: mode = "Filesystem" } = spec;
  if (policy && policy !== "Retain") errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, INLINE);
  if (mode !== "Filesystem") errors.forbidden(`${at}.volumeMode`, INLINE);
  validateAnyVolume(spec, at, errors);
}

/** Rules for volumes wherever they are described. */
function validateAnyVolume(spec: PersistentVolumeSpec, at: string, errors: FieldErrors): void {
  const { accessModes = [], volumeAttributesClassName: className } = spec;
  if (accessModes.length === 0) errors.required(`${at}.accessModes`);
  validateAccessModes(accessModes, `${at}.accessModes`, errors);
  validateSources(spec, sourcesOf(spec, at), at, errors, NO_SOURCES);
  if (className === undefined) return;
  fields<PersistentVolumeSpec>({ volumeAttributesClassName: "!subdomain" })(spec, at, errors);
  if (!spec.csi) errors.required(`${at}.csi`, "has to be specified when using volumeAttributesClassName");
}

function validateCapacity({ capacity = {} }: PersistentVolumeSpec, at: string, errors: FieldErrors): void {
  const names = Object.keys(capacity);
  if (names.length === 0) errors.required(at);
  if (!("storage" in capacity) || names.length > 1) errors.notSupported(at, names.join(), ["storage"]);
  for (const name of names) {
    validateBasicAmount(capacity[name], `${at}[${name}]`, errors);
    validatePositiveAmount(capacity[name], `${at}[${name}]`, errors);
  }
}
