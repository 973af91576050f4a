import { defaultNetworkVolume, roundAmounts } from "../../../../rules/mod.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../../../../api/mod.ts";
import { nowText, type Traits } from "../../traits/mod.ts";
import { changedPaths, type FieldErrors, unchanged } from "../../validation/mod.ts";
import { nodeTermWarnings } from "../shared/mod.ts";
import { NO_SOURCES, validateVolumeSpec } from "./volume_spec.ts";

function validateSourceKept(spec: PersistentVolumeSpec, before: PersistentVolumeSpec, errors: FieldErrors): void {
  const [after, old] = [spec, before].map((each): PersistentVolumeSpec =>
    Object.fromEntries(Object.entries(each).filter(([name]) => !NO_SOURCES.has(name)))
  );
  // The secret for expansion may be added later.
  if (after.csi && old.csi && !old.csi.controllerExpandSecretRef) {
    const { controllerExpandSecretRef: _added, ...rest } = after.csi;
    after.csi = rest;
  }
  const changed = changedPaths(after, old, "spec").join(", ");
  if (!changed) return;
  errors.forbidden("spec.persistentvolumesource", `the source of a volume is immutable after creation: ${changed}`);
}

const RECYCLE = "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. " +
  "Instead, the recommended approach is to use dynamic provisioning.";

/** Upstream: `pkg/registry/core/persistentvolume`. */
export const persistentVolumes: Traits<PersistentVolume> = {
  answersDeleted: true,
  finalizers: ["kubernetes.io/pv-protection"],
  defaults({ spec = {}, status }) {
    if (status) status.phase ||= "Pending";
    spec.persistentVolumeReclaimPolicy ||= "Retain";
    spec.volumeMode ??= "Filesystem";
    if (spec.hostPath) spec.hostPath.type ??= "";
    roundAmounts(spec.capacity);
    defaultNetworkVolume(spec);
  },
  prepareCreate(volume, { state }) {
    volume.status = { phase: "Pending", lastPhaseTransitionTime: nowText(state) };
  },
  prepareStatus(volume, old, { state }) {
    const status = volume.status ??= {};
    const before = old.status?.lastPhaseTransitionTime;
    const isSame = status.phase === old.status?.phase;
    if (isSame) status.lastPhaseTransitionTime ??= before;
    else if (status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === before) {
      status.lastPhaseTransitionTime = nowText(state);
    }
  },
  validate: ({ spec = {} }, errors) => validateVolumeSpec(spec, "spec", errors),
  validateUpdate({ spec = {} }, old, errors) {
    validateVolumeSpec(spec, "spec", errors);
    const before = old.spec ?? {};
    validateSourceKept(spec, before, errors);
    unchanged(spec.volumeMode, before.volumeMode, "volumeMode", errors);
    if (before.nodeAffinity) unchanged(spec.nodeAffinity, before.nodeAffinity, "nodeAffinity", errors);
    if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
      errors.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
    }
  },
  warnings({ spec = {} }) {
    const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    return [
      ...spec.persistentVolumeReclaimPolicy === "Recycle" ? [RECYCLE] : [],
      ...terms.flatMap((term, i) => nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`)),
    ];
  },
};
