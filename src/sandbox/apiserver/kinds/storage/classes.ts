import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  all,
  byteLength,
  type Check,
  dnsSubdomain,
  each,
  fields,
  nonNegative,
  oneOf,
  qualifiedName,
  repetitions,
  required,
  unchanged,
  unique,
  uniqueBy,
  validateAmount,
} from "../../validation/mod.ts";
import { csiDriverName, NODE_LABELS } from "../shared/mod.ts";
import { validateInlineVolume } from "./volume_spec.ts";

const LARGEST_PARAMETERS_BYTES = 256 * 1024;

const provisioner: Check<string> = (name, at, errors) => {
  const lower = name.toLowerCase();
  errors.invalidFor(at, lower, qualifiedName(lower));
};

function sizeOf(texts: Record<string, string>): number {
  return Object.entries(texts).flat().reduce((sum, text) => sum + byteLength(text), 0);
}

const parameters: Check<Record<string, string>> = (texts, at, errors) => {
  const keys = Object.keys(texts);
  if (keys.length > 512) return errors.tooLong(at, 512);
  if (keys.includes("")) errors.invalid(at, "", "field can not be empty.");
  if (sizeOf(texts) > LARGEST_PARAMETERS_BYTES) errors.tooLong(at, LARGEST_PARAMETERS_BYTES);
};

type Topology = NonNullable<StorageClass["allowedTopologies"]>[number];

const expression = fields<NonNullable<Topology["matchLabelExpressions"]>[number]>({
  values: required(uniqueBy((value) => value)),
  key: "*qualified",
});

const topology = fields<Topology>({ matchLabelExpressions: all(each(expression), uniqueBy(({ key }) => key, ".key")) });

const storageClassFields = fields<StorageClass>({
  provisioner: required(provisioner),
  reclaimPolicy: oneOf("Delete", "Retain"),
  volumeBindingMode: "!one",
  parameters,
  allowedTopologies: each(topology),
}, "storage.v1.StorageClass");

export const storageClasses: Traits<StorageClass> = {
  answersDeleted: true,
  immutable: ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"],
  defaults(storageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate: (object, errors) => storageClassFields(object, "", errors),
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
      matchLabelExpressions.flatMap(({ key = "" }, j) =>
        NODE_LABELS[key] ? [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${NODE_LABELS[key]}`] : []
      )
    ),
};

type AttachmentSpec = VolumeAttachment["spec"];

const source: Check<AttachmentSpec["source"]> = ({ inlineVolumeSpec, persistentVolumeName }, at, errors) => {
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!inlineVolumeSpec && persistentVolumeName === undefined) errors.required(at, one);
  else if (inlineVolumeSpec && persistentVolumeName !== undefined) errors.forbidden(at, one);
  else if (persistentVolumeName === "") errors.required(`${at}.persistentVolumeName`);
  else if (inlineVolumeSpec) validateInlineVolume(inlineVolumeSpec, `${at}.inlineVolumeSpec`, errors);
};

const attachmentFields = fields<AttachmentSpec>({ attacher: required(csiDriverName), nodeName: "*subdomain", source });

type VolumeError = NonNullable<NonNullable<VolumeAttachment["status"]>["attachError"]>;

const volumeError: Check<VolumeError> = ({ message = "", errorCode = 0 }, at, errors) => {
  if (byteLength(message) > 1024) errors.tooLong(`${at}.message`, 1024);
  nonNegative(errorCode, `${at}.errorCode`, errors);
};

const attachmentStatus = fields<NonNullable<VolumeAttachment["status"]>>({
  attachmentMetadata: (metadata, at, errors) => {
    if (sizeOf(metadata) > LARGEST_PARAMETERS_BYTES) errors.tooLong(at, LARGEST_PARAMETERS_BYTES);
  },
  attachError: volumeError,
  detachError: volumeError,
});

export const volumeAttachments: Traits<VolumeAttachment> = {
  answersDeleted: true,
  needsResourceVersion: true,
  keepsMetadataOnStatus: true,
  immutable: ["spec"],
  validate({ spec, status }, errors) {
    attachmentFields(spec, "spec", errors);
    if (status) attachmentStatus(status, "status", errors);
    const name = spec.source.persistentVolumeName;
    if (name !== undefined) errors.invalidFor("spec.source.persistentVolumeName", name, dnsSubdomain(name));
  },
  // A write to /status keeps the spec.
  validateStatus: (attachment, _old, errors) => volumeAttachments.validate?.(attachment, errors),
};

const attributesClassFields = fields<VolumeAttributesClass>({
  driverName: required(provisioner),
  parameters: required(parameters, "must contain at least one key/value pair"),
});

export const volumeAttributesClasses: Traits<VolumeAttributesClass> = {
  answersDeleted: true,
  finalizers: ["kubernetes.io/vac-protection"],
  validate: (object, errors) => attributesClassFields(object, "", errors),
  validateUpdate(object, old, errors) {
    for (const field of ["driverName", "parameters"] as const) {
      if (!deepEqual(object[field], old[field])) errors.forbidden(field, `updates to ${field} are forbidden.`);
    }
  },
};

type Driver = CSINode["spec"]["drivers"][number];

const driver = fields<Driver>({
  name: required(csiDriverName),
  nodeID: required((id, at, errors) => {
    if (byteLength(id) > 256) errors.invalid(at, id, "must be 256 characters or less");
  }),
  allocatable: fields<NonNullable<Driver["allocatable"]>>({ count: nonNegative }),
  topologyKeys: (keys, at, errors) => {
    const repeated = repetitions(keys);
    for (const [i, key] of keys.entries()) {
      if (!key) errors.required(at);
      if (repeated.has(i)) errors.duplicate(at, key);
      errors.invalidFor(at, key, qualifiedName(key));
    }
  },
});

const driversFields = fields<CSINode["spec"]>({ drivers: all(each(driver), uniqueBy(({ name }) => name, ".name")) });

export const csiNodes: Traits<CSINode> = {
  answersDeleted: true,
  needsResourceVersion: true,
  validate: ({ spec }, errors) => driversFields(spec, "spec", errors),
  validateUpdate({ spec }, old, errors) {
    for (const before of old.spec?.drivers ?? []) {
      for (const driver of spec?.drivers ?? []) {
        if (driver.name !== before.name) continue;
        const [after, kept] = [driver, before].map(({ allocatable: _changes, ...rest }) => rest);
        unchanged(after, kept, "spec.drivers", errors);
      }
    }
  },
};

const capacityFields = fields<CSIStorageCapacity>({
  nodeTopology: "selector",
  storageClassName: "*subdomain",
  capacity: (amount, at, errors) => validateAmount("storage", amount, at, errors),
});

export const csiStorageCapacities: Traits<CSIStorageCapacity> = {
  immutable: ["nodeTopology", "storageClassName"],
  needsResourceVersion: true,
  validate: (object, errors) => capacityFields(object, "", errors),
};

type TokenRequests = NonNullable<CSIDriver["spec"]["tokenRequests"]>;

const tokenRequests: Check<TokenRequests> = (requests, at, errors) => {
  unique(requests, at, errors, ({ audience }) => `:${audience}`, ".audience");
  for (const [i, { expirationSeconds = 600 }] of requests.entries()) {
    if (expirationSeconds >= 600 && expirationSeconds <= 2 ** 32) continue;
    errors.invalid(`${at}[${i}].expirationSeconds`, expirationSeconds, "must be between 10 minutes and 2^32 seconds");
  }
};

const LIFECYCLE_MODES = ["Persistent", "Ephemeral"];
const validateDriverSpec = fields<CSIDriver["spec"]>({
  fsGroupPolicy: oneOf("File", "None", "ReadWriteOnceWithFSType"),
  tokenRequests,
  volumeLifecycleModes: (modes, at, errors) => {
    for (const mode of modes) if (!LIFECYCLE_MODES.includes(mode)) errors.notSupported(at, mode, LIFECYCLE_MODES);
  },
  nodeAllocatableUpdatePeriodSeconds: (seconds, at, errors) => {
    if (seconds < 10) errors.invalid(at, seconds, "must be greater than or equal to 10 seconds");
  },
});

export const csiDrivers: Traits<CSIDriver> = {
  answersDeleted: true,
  needsResourceVersion: true,
  defaults({ spec }) {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
    // The feature for this is off by default in v1.36.
    delete spec.preventPodSchedulingIfMissing;
  },
  prepareUpdate(driver, old) {
    if (!deepEqual(driver.spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate({ spec }, errors) {
    validateDriverSpec(spec, "spec", errors);
    if (spec.serviceAccountTokenInSecrets === undefined || spec.tokenRequests?.length) return;
    errors.invalid("spec.serviceAccountTokenInSecrets", spec.serviceAccountTokenInSecrets, "needs tokenRequests");
  },
  validateUpdate({ spec }, old, errors) {
    unchanged(spec.attachRequired, old.spec.attachRequired, "spec.attachedRequired", errors);
    unchanged(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, "spec.volumeLifecycleModes", errors);
  },
};
