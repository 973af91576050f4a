import { type PersistentVolumeClaim, Quantity, type StorageClass } from "../../../api/mod.ts";
import { storageClassOf } from "../../../rules/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";

/** Only a bound claim can grow, if its class allows it. Upstream: `admission/storage/persistentvolume/resize`. */
export function allowGrowth(admission: Admission<PersistentVolumeClaim>): void {
  const { object, old } = admission;
  if (!old || sizeOf(object).compare(sizeOf(old)) <= 0) return;
  if (old.status?.phase !== "Bound") throw refusal(admission, "Only bound persistent volume claims can be expanded");
  if (isExpandable(admission, old)) return;
  const why =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  throw refusal(admission, why);
}

function sizeOf({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(spec?.resources?.requests?.storage);
}

function isExpandable({ object, operation }: Admission<PersistentVolumeClaim>, old: PersistentVolumeClaim): boolean {
  const name = storageClassOf(object);
  if (name === "" || name !== storageClassOf(old)) return false;
  const found = operation.state.store.get("storageclasses.storage.k8s.io", name) as StorageClass | undefined;
  return found?.allowVolumeExpansion === true;
}
