import {
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  Quantity,
  type StorageClass,
  type VolumeAttachment,
  type VolumeAttributesClass,
} from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  byteLength,
  type Check,
  dnsSubdomain,
  type FieldErrors,
  fields,
  nonNegative,
  oneOf,
  qualifiedName,
  required,
  unchanged,
  unique,
  validateLabelSelector,
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

function validateParameters(parameters: Record<string, string> = {}, errors: FieldErrors, mayBeEmpty: boolean): void {
  const at = "parameters";
  const entries = Object.entries(parameters);
  if (entries.length > 512) return errors.tooLong(at, 512);
  for (const [key] of entries) if (!key) errors.invalid(at, key, "field can not be empty.");
  if (sizeOf(parameters) > LARGEST_PARAMETERS_BYTES) errors.tooLong(at, LARGEST_PARAMETERS_BYTES);
  if (!mayBeEmpty && entries.length === 0) errors.required(at, "must contain at least one key/value pair");
}

type Topology = NonNullable<StorageClass["allowedTopologies"]>[number];

function validateTopologies(terms: readonly Topology[], errors: FieldErrors): void {
  for (const [i, { matchLabelExpressions = [] }] of terms.entries()) {
    const at = `allowedTopologies[${i}].matchLabelExpressions`;
    for (const [j, { key = "", values }] of matchLabelExpressions.entries()) {
      if (!values?.length) errors.required(`${at}[${j}].values`);
      unique(values ?? [], `${at}[${j}].values`, errors, (value) => value);
      errors.invalidFor(`${at}[${j}].key`, key, qualifiedName(key));
    }
    unique(matchLabelExpressions, at, errors, ({ key }) => key, ".key");
  }
}

const storageClassFields = fields<StorageClass>({
  provisioner: required(provisioner),
  reclaimPolicy: oneOf("Delete", "Retain"),
  volumeBindingMode: "!one",
}, "storage.v1.StorageClass");

export const storageClasses: Traits<StorageClass> = {
  answersDeleted: true,
  immutable: ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"],
  defaults(storageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate(storageClass, errors) {
    storageClassFields(storageClass, "", errors);
    validateParameters(storageClass.parameters, errors, true);
    validateTopologies(storageClass.allowedTopologies ?? [], errors);
  },
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
      matchLabelExpressions.flatMap(({ key = "" }, j) =>
        NODE_LABELS[key] ? [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${NODE_LABELS[key]}`] : []
      )
    ),
};

type AttachmentSpec = VolumeAttachment["spec"];

function validateSource(
  { inlineVolumeSpec, persistentVolumeName }: NonNullable<AttachmentSpec>["source"],
  errors: FieldErrors,
) {
  const at = "spec.source";
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!inlineVolumeSpec && persistentVolumeName === undefined) errors.required(at, one);
  else if (inlineVolumeSpec && persistentVolumeName !== undefined) errors.forbidden(at, one);
  else if (persistentVolumeName === "") errors.required(`${at}.persistentVolumeName`);
  else if (inlineVolumeSpec) validateInlineVolume(inlineVolumeSpec, `${at}.inlineVolumeSpec`, errors);
}

const attachmentFields = fields<AttachmentSpec>({ attacher: required(csiDriverName), nodeName: "*subdomain" });

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
    const { source = {} } = spec ?? {};
    attachmentFields(spec ?? {}, "spec", errors);
    validateSource(source, errors);
    if (status) attachmentStatus(status, "status", errors);
    const name = source.persistentVolumeName;
    if (name !== undefined) errors.invalidFor("spec.source.persistentVolumeName", name, dnsSubdomain(name));
  },
  // A write to /status keeps the spec.
  validateStatus: (attachment, _old, errors) => volumeAttachments.validate?.(attachment, errors),
};

export const volumeAttributesClasses: Traits<VolumeAttributesClass> = {
  answersDeleted: true,
  finalizers: ["kubernetes.io/vac-protection"],
  validate(object, errors) {
    fields<VolumeAttributesClass>({ driverName: required(provisioner) })(object, "", errors);
    validateParameters(object.parameters, errors, false);
  },
  validateUpdate(object, old, errors) {
    for (const field of ["driverName", "parameters"] as const) {
      if (!deepEqual(object[field], old[field])) errors.forbidden(field, `updates to ${field} are forbidden.`);
    }
  },
};

type Driver = NonNullable<CSINode["spec"]>["drivers"][number];

const driverFields = fields<Driver>({ name: required(csiDriverName), nodeID: "!" });

function validateDriver(driver: Driver, at: string, errors: FieldErrors): void {
  driverFields(driver, at, errors);
  const { nodeID = "", allocatable } = driver;
  if (byteLength(nodeID) > 256) errors.invalid(`${at}.nodeID`, nodeID, "must be 256 characters or less");
  nonNegative(allocatable?.count ?? 0, `${at}.allocatable.count`, errors);
  const keys = driver.topologyKeys ?? [];
  for (const [i, key] of keys.entries()) {
    if (!key) errors.required(`${at}.topologyKeys`);
    if (keys.indexOf(key) < i) errors.duplicate(`${at}.topologyKeys`, key);
    errors.invalidFor(`${at}.topologyKeys`, key, qualifiedName(key));
  }
}

export const csiNodes: Traits<CSINode> = {
  answersDeleted: true,
  needsResourceVersion: true,
  validate({ spec }, errors) {
    const drivers = spec?.drivers ?? [];
    for (const [i, driver] of drivers.entries()) validateDriver(driver, `spec.drivers[${i}]`, errors);
    unique(drivers, "spec.drivers", errors, ({ name }) => name, ".name");
  },
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

export const csiStorageCapacities: Traits<CSIStorageCapacity> = {
  immutable: ["nodeTopology", "storageClassName"],
  needsResourceVersion: true,
  validate({ nodeTopology, storageClassName = "", capacity }, errors) {
    if (nodeTopology) validateLabelSelector(nodeTopology, "nodeTopology", errors);
    errors.invalidFor("storageClassName", storageClassName, dnsSubdomain(storageClassName));
    if (capacity === undefined) return;
    const amount = Quantity.parse(capacity);
    if (amount.sign < 0) errors.invalid("capacity", amount.toString(), "must be greater than or equal to 0");
  },
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
    if (!spec) return;
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
