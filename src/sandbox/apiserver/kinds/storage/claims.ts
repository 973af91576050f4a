import { type PersistentVolumeClaim, type PersistentVolumeClaimSpec, Quantity } from "../../../../api/mod.ts";
import { roundAmounts } from "../../../../rules/mod.ts";
import { deepCopy, deepEqual } from "../../../../base/mod.ts";
import type { Stored, Traits } from "../../traits/mod.ts";
import { changedPaths, type FieldErrors, unchanged, validateBasicAmount } from "../../validation/mod.ts";
import { claimWarnings, validateClaimSpec } from "../shared/mod.ts";

type Claim = Stored<PersistentVolumeClaim>;

const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";

/** `dataSource` and `dataSourceRef` are equivalent; each is set from the other. */
function mirrorDataSource(spec: PersistentVolumeClaimSpec): void {
  const copy = ({ apiGroup, kind, name }: NonNullable<PersistentVolumeClaimSpec["dataSource"]>) =>
    apiGroup === undefined ? { kind, name } : { apiGroup, kind, name };
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = copy(spec.dataSource);
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    spec.dataSource = copy(spec.dataSourceRef);
  }
}

/** Drops unsupported sources, as long as the newer field does not refer to them. */
function prepareDataSource(spec: PersistentVolumeClaimSpec, old?: PersistentVolumeClaimSpec): void {
  // The feature for this is off by default in v1.36.
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
  const { dataSource } = spec;
  if (dataSource && !spec.dataSourceRef && !old?.dataSource && !old?.dataSourceRef) {
    const { apiGroup = "", kind } = dataSource;
    const isKnown = (kind === "PersistentVolumeClaim" && apiGroup === "") ||
      (kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io");
    if (!isKnown) delete spec.dataSource;
  }
  mirrorDataSource(spec);
}

/** The new spec with the old values of fields that may change. */
function comparable(claim: Claim, old: Claim) {
  const after = deepCopy(claim.spec ?? {});
  const before = deepCopy(old.spec ?? {});
  if (!before.volumeName) before.volumeName = after.volumeName;
  if (before.storageClassName === undefined) delete after.storageClassName;
  if (claim.status?.phase === "Bound") {
    const storage = before.resources?.requests?.storage;
    if (after.resources?.requests && storage !== undefined) after.resources.requests.storage = storage;
    after.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  return { after, before };
}

/** Upstream: ValidatePersistentVolumeClaimUpdate. */
function validateUpdate(claim: Claim, old: Claim, errors: FieldErrors): void {
  const [newClass, oldClass] = [claim, old].map(({ metadata }) => metadata.annotations?.[OLD_CLASS]);
  unchanged(newClass, oldClass, `metadata.annotations.${OLD_CLASS}`, errors);
  const { after, before } = comparable(claim, old);
  if (!deepEqual(after, before)) {
    const why =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    errors.forbidden("spec", `${why}, not ${changedPaths(after, before, "spec").join(", ")}`);
  }
  validateSize(claim, old, errors);
  unchanged(claim.spec?.volumeMode, old.spec?.volumeMode, "volumeMode", errors);
  const className = claim.spec?.volumeAttributesClassName;
  if (className === old.spec?.volumeAttributesClassName) return;
  if (old.status?.currentVolumeAttributesClassName === undefined || className) return;
  const what = className === undefined ? "nil" : "empty string";
  errors.forbidden("spec.volumeAttributesClassName", `may not become ${what}`);
}

/** A size can only shrink to one that was not provisioned yet. */
function validateSize(claim: Claim, old: Claim, errors: FieldErrors): void {
  const size = Quantity.parse(claim.spec?.resources?.requests?.storage);
  const before = Quantity.parse(old.spec?.resources?.requests?.storage);
  const provided = Quantity.parse(old.status?.capacity?.storage);
  if (size.compare(before) >= 0 || size.compare(provided) > 0) return;
  errors.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
}

/** Upstream: `pkg/registry/core/persistentvolumeclaim`. */
export const persistentVolumeClaims: Traits<PersistentVolumeClaim> = {
  answersDeleted: true,
  finalizers: ["kubernetes.io/pvc-protection"],
  defaults({ spec = {}, status }) {
    if (status) status.phase ||= "Pending";
    spec.volumeMode ??= "Filesystem";
    roundAmounts(spec.resources?.requests);
    roundAmounts(spec.resources?.limits);
  },
  prepareCreate(claim) {
    claim.status = { phase: "Pending" };
    if (claim.spec) prepareDataSource(claim.spec);
  },
  prepareUpdate({ spec }, old) {
    if (spec) prepareDataSource(spec, old.spec);
  },
  validate({ spec = {} }, errors, old) {
    const toleratesDataSourceGroup = old?.spec?.dataSource?.apiGroup !== undefined ||
      old?.spec?.dataSourceRef?.apiGroup !== undefined;
    validateClaimSpec(spec, "spec", errors, { toleratesDataSourceGroup });
  },
  validateUpdate,
  validateStatus({ spec, status }, _old, errors) {
    if (!spec?.accessModes?.length) errors.required("Spec.accessModes");
    for (const [name, amount] of Object.entries(status?.capacity ?? {})) {
      validateBasicAmount(amount, `status.capacity[${name}]`, errors);
    }
  },
  warnings({ metadata, spec = {} }) {
    const isOld = OLD_CLASS in (metadata.annotations ?? {});
    const why = 'deprecated since v1.8; use "storageClassName" attribute instead';
    return [...isOld ? [`metadata.annotations[${OLD_CLASS}]: ${why}`] : [], ...claimWarnings(spec, "spec")];
  },
};
