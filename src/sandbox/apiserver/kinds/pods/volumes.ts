import type { EphemeralVolumeSource, ImageVolumeSource, ObjectMeta, Volume } from "../../../../api/mod.ts";
import { Quantity } from "../../../../api/mod.ts";
import * as sources from "../shared/mod.ts";
import {
  type Check,
  dnsLabel,
  dnsSubdomain,
  each,
  type FieldErrors,
  fields,
  required,
  validateAnnotations,
  validateLabels,
} from "../../validation/mod.ts";
import { descendingPath, fileMode, type SourceRow, validateClaimSpec, validateSources } from "../shared/mod.ts";
import { pullPolicy } from "./pull_policy.ts";
import { keyToPath } from "./key_to_path.ts";
import type { KnownVolumes } from "./known_volumes.ts";
import { downwardFile } from "./env_sources.ts";
import { projected } from "./projected_volumes.ts";

const emptyDir: Check<NonNullable<Volume["emptyDir"]>> = ({ sizeLimit }, at, errors) => {
  if (sizeLimit === undefined || Quantity.parse(sizeLimit).sign >= 0) return;
  errors.forbidden(`${at}.sizeLimit`, "SizeLimit field must be a valid resource quantity");
};

const csi: Check<NonNullable<Volume["csi"]>> = ({ driver, nodePublishSecretRef }, at, errors) => {
  if (!driver) errors.required(`${at}.driver`);
  else sources.csiDriverName(driver, `${at}.driver`, errors);
  if (!nodePublishSecretRef) return;
  const { name } = nodePublishSecretRef;
  if (!name) errors.required(`${at}.nodePublishSecretRef.name`);
  else errors.invalidFor(`${at}.name`, name, dnsSubdomain(name));
};

const gitRepo: Check<NonNullable<Volume["gitRepo"]>> = ({ repository, directory = "" }, at, errors) => {
  if (!repository) errors.required(`${at}.repository`);
  descendingPath(directory, `${at}.directory`, errors);
};

/** Only labels and annotations may be said of an object that is made from a template. */
function validateTemplateMetadata(metadata: ObjectMeta | undefined, at: string, errors: FieldErrors): void {
  if (!metadata) return;
  validateAnnotations(metadata.annotations, `${at}.annotations`, errors);
  validateLabels(metadata.labels, `${at}.labels`, errors);
  for (const field of Object.keys(metadata)) {
    const isSaid = field !== "annotations" && field !== "labels" && metadata[field as keyof ObjectMeta] !== undefined;
    if (isSaid) errors.forbidden(`${at}.${field === "uid" ? "uID" : field}`, "cannot be set");
  }
}

const ephemeral: Check<EphemeralVolumeSource> = ({ volumeClaimTemplate }, at, errors) => {
  if (!volumeClaimTemplate) return errors.required(`${at}.volumeClaimTemplate`);
  validateTemplateMetadata(volumeClaimTemplate.metadata, `${at}.volumeClaimTemplate.metadata`, errors);
  validateClaimSpec(volumeClaimTemplate.spec, `${at}.volumeClaimTemplate.spec`, errors);
};

const image = (isPod: boolean): Check<ImageVolumeSource> => ({ reference, pullPolicy: policy }, at, errors) => {
  if (isPod && !reference) errors.required(`${at}.reference`);
  pullPolicy(policy, `${at}.pullPolicy`, errors);
};

/** Everything a volume can be, in the order in which it is looked at. */
const rowsOf = (isPod: boolean): readonly SourceRow<Volume>[] => [
  sources.source("emptyDir", emptyDir),
  sources.source("hostPath", sources.hostPath),
  sources.source("gitRepo", gitRepo),
  sources.source("gcePersistentDisk", sources.gcePersistentDisk, { at: "persistentDisk" }),
  sources.source("awsElasticBlockStore", sources.awsElasticBlockStore),
  sources.source(
    "secret",
    fields<NonNullable<Volume["secret"]>>({ secretName: required(), defaultMode: fileMode, items: each(keyToPath) }),
  ),
  sources.source("nfs", sources.nfs),
  sources.source("iscsi", sources.iscsi),
  sources.source("persistentVolumeClaim", fields<{ claimName?: string }>({ claimName: required() })),
  sources.source("cinder", sources.cinder),
  sources.source(
    "downwardAPI",
    ({ defaultMode, items = [] }, at, errors) => {
      if (defaultMode !== undefined) fileMode(defaultMode, `${at}.defaultMode`, errors);
      for (const item of items) downwardFile(item, at, errors);
    },
    { second: "downwarAPI" },
  ),
  sources.source("fc", sources.fc),
  sources.source("flexVolume", sources.flexVolume),
  sources.source(
    "configMap",
    fields<NonNullable<Volume["configMap"]>>({ name: required(), defaultMode: fileMode, items: each(keyToPath) }),
  ),
  sources.source(
    "azureFile",
    fields<{ secretName?: string; shareName?: string }>({
      secretName: required(),
      shareName: required(),
    }),
  ),
  sources.source("vsphereVolume", sources.vsphereVolume),
  sources.source("portworxVolume", sources.portworxVolume),
  sources.source("azureDisk", sources.azureDisk),
  sources.source("projected", projected),
  sources.source("csi", csi),
  sources.source("ephemeral", ephemeral),
  sources.source("image", image(isPod)),
  ...sources.REMOVED.map((field) => sources.source<Volume, typeof field>(field, () => {})),
];

const POD_ROWS = rowsOf(true);
const TEMPLATE_ROWS = rowsOf(false);

/** Validates volumes and returns those that are right, by name. `metadata` is that of the pod, which templates do not have. */
export function validateVolumes(
  volumes: readonly Volume[],
  at: string,
  errors: FieldErrors,
  { metadata, isPod }: { readonly metadata?: ObjectMeta; readonly isPod: boolean },
): KnownVolumes {
  const known = new Map<string, Volume>();
  const rows = isPod ? POD_ROWS : TEMPLATE_ROWS;
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i];
    const path = `${at}[${i}]`;
    const count = errors.count;
    validateSources(volume, rows, path, errors);
    validateNames(volume, path, errors, metadata?.name);
    const { name = "" } = volume;
    if (!name) errors.required(`${path}.name`);
    else errors.invalidFor(`${path}.name`, name, dnsLabel(name));
    if (known.has(name)) errors.duplicate(`${path}.name`, name);
    if (errors.count === count) known.set(name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim && metadata?.name && volumes.some((one) => one.ephemeral && claim === `${metadata.name}-${one.name}`)) {
      const why = "must not reference a PVC that gets created for an ephemeral volume";
      errors.invalid(`${path}.persistentVolumeClaim.claimName`, claim, why);
    }
  }
  return known;
}

/** Names that are made from the volume's. */
function validateNames(volume: Volume, at: string, errors: FieldErrors, podName = ""): void {
  const { name = "", iscsi, ephemeral: claim } = volume;
  if (iscsi && sources.isIscsiNameTooLong(name, iscsi)) errors.invalid(`${at}.name`, name, sources.ISCSI_TOO_LONG);
  if (!claim || !podName || !name) return;
  const claimName = `${podName}-${name}`;
  for (const problem of dnsSubdomain(claimName)) {
    errors.invalid(`${at}.name`, name, `PVC name "${claimName}": ${problem}`);
  }
}
