import { type ImageVolumeSource, type ObjectMeta, Quantity, type Volume } from "../../../../api/mod.ts";
import {
  dnsSubdomain,
  each,
  type FieldErrors,
  fields,
  validateAnnotations,
  validateLabels,
} from "../../validation/mod.ts";
import {
  csiDriverName,
  fileMode,
  SOURCES,
  validateClaimSpec,
  validateSources,
  type VolumeSources,
} from "../shared/mod.ts";
import type { KnownVolumes } from "./containers_common.ts";
import { downwardFile } from "./env_sources.ts";
import { keyToPath, projected } from "./projected_volumes.ts";

/** Sources of a pod's volume, besides those that persistent volumes have as well. */
const sourcesOf = (isPod: boolean): VolumeSources<Volume> => ({
  emptyDir({ sizeLimit }, at, errors) {
    if (Quantity.parse(sizeLimit).sign < 0) errors.forbidden(`${at}.sizeLimit`, "must not be negative");
  },
  ...SOURCES,
  secret: fields<NonNullable<Volume["secret"]>>({ secretName: "!", defaultMode: fileMode, items: each(keyToPath) }),
  persistentVolumeClaim: fields<NonNullable<Volume["persistentVolumeClaim"]>>({ claimName: "!" }),
  downwardAPI({ defaultMode, items = [] }, at, errors) {
    if (defaultMode !== undefined) fileMode(defaultMode, `${at}.defaultMode`, errors);
    for (const item of items) downwardFile(item, at, errors);
  },
  configMap: fields<NonNullable<Volume["configMap"]>>({ name: "!", defaultMode: fileMode, items: each(keyToPath) }),
  projected,
  csi({ driver = "", nodePublishSecretRef }, at, errors) {
    csiDriverName(driver, `${at}.driver`, errors);
    if (!nodePublishSecretRef) return;
    const { name } = nodePublishSecretRef;
    if (!name) errors.required(`${at}.nodePublishSecretRef.name`);
    else errors.invalidFor(`${at}.name`, name, dnsSubdomain(name));
  },
  ephemeral({ volumeClaimTemplate }, at, errors) {
    if (!volumeClaimTemplate) return errors.required(`${at}.volumeClaimTemplate`);
    const { metadata, spec } = volumeClaimTemplate;
    validateAnnotations(metadata?.annotations, `${at}.volumeClaimTemplate.metadata.annotations`, errors);
    validateLabels(metadata?.labels, `${at}.volumeClaimTemplate.metadata.labels`, errors);
    validateClaimSpec(spec, `${at}.volumeClaimTemplate.spec`, errors);
  },
  image: fields<ImageVolumeSource>({ reference: isPod ? "!" : "", pullPolicy: "!one" }, "core.v1.ImageVolumeSource"),
});

const NO_SOURCES = new Set(["name"]);
const POD_SOURCES = sourcesOf(true);
const TEMPLATE_SOURCES = sourcesOf(false);
const name = fields<Volume>({ name: "!label" });

/** Validates volumes and returns the valid ones by name. `metadata` is the pod's; templates have none. */
export function validateVolumes(
  volumes: readonly Volume[],
  at: string,
  errors: FieldErrors,
  metadata?: ObjectMeta,
): KnownVolumes {
  const known = new Map<string, Volume>();
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i];
    const path = `${at}[${i}]`;
    const count = errors.count;
    validateSources(volume, metadata ? POD_SOURCES : TEMPLATE_SOURCES, path, errors, NO_SOURCES);
    if (volume.ephemeral && metadata?.name && volume.name) {
      errors.invalidFor(`${path}.name`, volume.name, dnsSubdomain(`${metadata.name}-${volume.name}`));
    }
    name(volume, path, errors);
    if (known.has(volume.name)) errors.duplicate(`${path}.name`, volume.name);
    if (errors.count === count) known.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim && metadata?.name && volumes.some((one) => one.ephemeral && claim === `${metadata.name}-${one.name}`)) {
      errors.invalid(`${path}.persistentVolumeClaim.claimName`, claim, "is the claim of an ephemeral volume");
    }
  }
  return known;
}
