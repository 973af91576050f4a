import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import { nowText } from "../environment.ts";
import type { Traits } from "../traits.ts";

export const persistentVolumes: Traits<PersistentVolume> = {
  answersDeleted: true,
  finalizers: ["kubernetes.io/pv-protection"],
  defaults({ spec }) {
    if (!spec) return;
    spec.persistentVolumeReclaimPolicy ||= "Retain";
    spec.volumeMode ??= "Filesystem";
  },
  prepareCreate(volume, { state }) {
    volume.status = { phase: "Pending", lastPhaseTransitionTime: nowText(state) };
  },
  prepareStatus(volume, old, { state }) {
    if (!volume.status || volume.status.phase === old.status?.phase) return;
    volume.status.lastPhaseTransitionTime = nowText(state);
  },
};

/** `dataSource` and `dataSourceRef` say the same thing; whichever is given fills the other. */
function mirrorDataSource(spec: PersistentVolumeClaimSpec): void {
  if (spec.dataSource && !spec.dataSourceRef) {
    const { apiGroup, kind, name } = spec.dataSource;
    spec.dataSourceRef = apiGroup === undefined ? { kind, name } : { apiGroup, kind, name };
  } else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { apiGroup, kind, name } = spec.dataSourceRef;
    spec.dataSource = apiGroup === undefined ? { kind, name } : { apiGroup, kind, name };
  }
}

export const persistentVolumeClaims: Traits<PersistentVolumeClaim> = {
  answersDeleted: true,
  finalizers: ["kubernetes.io/pvc-protection"],
  defaults({ spec }) {
    if (!spec) return;
    spec.volumeMode ??= "Filesystem";
    mirrorDataSource(spec);
  },
  prepareCreate(claim) {
    claim.status = { phase: "Pending" };
  },
  validate({ spec }, errors) {
    if (!spec?.accessModes?.length) errors.required("spec.accessModes", "at least 1 access mode is required");
    if (spec?.resources?.requests?.storage === undefined) errors.required("spec.resources[storage]");
  },
  validateUpdate({ spec }, old, errors) {
    const comparable = deepCopy(spec ?? {});
    const before = old.spec ?? {};
    if (!before.volumeName) comparable.volumeName = before.volumeName;
    comparable.volumeAttributesClassName = before.volumeAttributesClassName;
    if (old.status?.phase === "Bound") comparable.resources = before.resources;
    if (deepEqual(comparable, before)) return;
    errors.forbidden(
      "spec",
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
    );
  },
};

export const storageClasses: Traits<StorageClass> = {
  answersDeleted: true,
  defaults(storageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validateUpdate(storageClass, old, errors) {
    for (const field of ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"] as const) {
      if (!deepEqual(storageClass[field], old[field])) errors.forbidden(field, `updates to ${field} are forbidden.`);
    }
  },
};

export const volumeAttachments: Traits<VolumeAttachment> = {
  answersDeleted: true,
  needsResourceVersion: true,
  validateUpdate({ spec }, old, errors) {
    if (!deepEqual(spec, old.spec)) errors.invalid("spec", spec, "field is immutable");
  },
};

export const volumeAttributesClasses: Traits<VolumeAttributesClass> = {
  answersDeleted: true,
  finalizers: ["kubernetes.io/vac-protection"],
};

export const csiNodes: Traits<CSINode> = { answersDeleted: true, needsResourceVersion: true };
export const csiStorageCapacities: Traits<CSIStorageCapacity> = { answersDeleted: true, needsResourceVersion: true };

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
  },
};
