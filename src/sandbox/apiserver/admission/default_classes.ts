import {
  type Ingress,
  type IngressClass,
  type KubeObject,
  type PersistentVolumeClaim,
  type StorageClass,
} from "../../../api/mod.ts";
import type { Admission } from "../operations/mod.ts";
import { smallList } from "./small_lists.ts";

const STORAGE_CLASSES = "storageclasses.storage.k8s.io";
const INGRESS_CLASSES = "ingressclasses.networking.k8s.io";

const DEFAULT_STORAGE = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const DEFAULT_INGRESS = ["ingressclass.kubernetes.io/is-default-class"];

/** A deprecated annotation that names a class; a claim that has it gets no default. */
const STORAGE_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const INGRESS_CLASS_ANNOTATION = "kubernetes.io/ingress.class";

/** Gives a claim without a class the default one. Upstream: `plugin/pkg/admission/storage/storageclass/setdefault`. */
export function addStorageClass({ object: { metadata, spec }, operation }: Admission<PersistentVolumeClaim>): void {
  if (!spec || spec.storageClassName !== undefined) return;
  if (metadata.annotations?.[STORAGE_CLASS_ANNOTATION] !== undefined) return;
  const name = defaultClass(smallList<StorageClass>(operation.state.store, STORAGE_CLASSES), DEFAULT_STORAGE);
  if (name) spec.storageClassName = name;
}

/** Gives an ingress without a class the default one. Upstream: `plugin/pkg/admission/network/defaultingressclass`. */
export function addIngressClass({ object, operation }: Admission<Ingress>): void {
  if (object.spec?.ingressClassName !== undefined) return;
  if (object.metadata.annotations?.[INGRESS_CLASS_ANNOTATION] !== undefined) return;
  const name = defaultClass(smallList<IngressClass>(operation.state.store, INGRESS_CLASSES), DEFAULT_INGRESS);
  if (name) object.spec = { ...object.spec, ingressClassName: name };
}

/**
 * The newest class with one of the annotations; of several equally old ones, the first by name, since they come sorted.
 */
function defaultClass(classes: readonly KubeObject[], annotations: readonly string[]): string | undefined {
  let newest: KubeObject | undefined;
  for (const each of classes) {
    if (!annotations.some((annotation) => each.metadata?.annotations?.[annotation] === "true")) continue;
    if (!newest || ageOf(each) > ageOf(newest)) newest = each;
  }
  return newest?.metadata?.name;
}

function ageOf({ metadata }: KubeObject): string {
  return metadata?.creationTimestamp ?? "";
}
