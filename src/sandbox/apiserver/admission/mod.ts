/** What is changed or refused on the way into the store. Upstream: `plugin/pkg/admission`. */
import type { Node, ObjectMeta, PersistentVolumeClaim, Pod } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { forbidden } from "../errors.ts";
import type { Operation } from "../operation.ts";
import { admitToNamespace } from "./namespaces.ts";
import { addPriority, addTolerations } from "./pods.ts";
import { addServiceAccount, awaitDefaultAccount } from "./service_account.ts";

export { admitDelete } from "./namespaces.ts";

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** What a kind's objects go through at creation, in upstream's order. */
const ON_CREATE: Readonly<Record<string, (operation: Operation, object: StoredObject) => void>> = {
  "pods": (operation, object) => {
    const pod = object as Pod;
    addServiceAccount(operation, pod);
    addPriority(operation, pod);
    addTolerations(pod);
  },
  "nodes": (_operation, object) => {
    const spec = (object as Node).spec ??= {};
    if (!spec.taints?.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) {
      spec.taints = [...spec.taints ?? [], { ...NOT_READY }];
    }
  },
  "persistentvolumeclaims": (operation, object) => {
    const spec = (object as PersistentVolumeClaim).spec;
    if (!spec || spec.storageClassName !== undefined) return;
    const name = defaultStorageClass(operation);
    if (name) spec.storageClassName = name;
  },
};

/** Waits for what a creation depends on and others are about to make. */
export async function prepareAdmission(operation: Operation, object: StoredObject): Promise<void> {
  if (operation.served.collection === "pods") await awaitDefaultAccount(operation, object as Pod);
}

/** @throws {ApiError} If the object may not be created. */
export function admitCreate(operation: Operation, object: StoredObject): void {
  const { served } = operation;
  if (served.custom?.isTerminating) {
    const why = "create not allowed while custom resource definition is terminating";
    throw forbidden(served, object.metadata.name ?? "", why);
  }
  admitToNamespace(operation, object.metadata.name ?? "");
  ON_CREATE[served.collection]?.(operation, object);
}

/** Updates keep what admission set at creation. */
export function admitUpdate({ served }: Operation, object: StoredObject, old: StoredObject): void {
  if (served.collection !== "pods") return;
  const { spec } = object as Pod;
  const before = (old as Pod).spec;
  if (!spec || !before) return;
  spec.priority ??= before.priority;
  spec.preemptionPolicy ??= before.preemptionPolicy;
}

/** The newest class annotated as the default; of several of the same age the first by name. */
function defaultStorageClass({ state: { store } }: Operation): string | undefined {
  const classes = [...store.list("storageclasses.storage.k8s.io") ?? []].map(({ object }) => object.metadata);
  const defaults = classes.filter(({ annotations }) => annotations?.[DEFAULT_CLASS] === "true");
  const age = ({ creationTimestamp = "" }: ObjectMeta) => creationTimestamp;
  return defaults.sort((a, b) => age(b) < age(a) ? -1 : age(b) > age(a) ? 1 : 0)[0]?.name;
}
