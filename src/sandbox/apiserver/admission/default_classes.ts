import type { Ingress, PersistentVolumeClaim } from "../../../api/mod.ts";
import { compareUtf8 } from "../../../base/mod.ts";
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
export function addStorageClass(admission: Admission<PersistentVolumeClaim>): void {
  const { metadata, spec } = admission.object;
  if (!spec || spec.storageClassName !== undefined) return;
  if (metadata.annotations?.[STORAGE_CLASS_ANNOTATION] !== undefined) return;
  const name = defaultClass(admission, STORAGE_CLASSES, DEFAULT_STORAGE);
  if (name) spec.storageClassName = name;
}

/** Gives an ingress without a class the default one. Upstream: `plugin/pkg/admission/network/defaultingressclass`. */
export function addIngressClass(admission: Admission<Ingress>): void {
  const { object } = admission;
  if (object.spec?.ingressClassName !== undefined) return;
  if (object.metadata.annotations?.[INGRESS_CLASS_ANNOTATION] !== undefined) return;
  const name = defaultClass(admission, INGRESS_CLASSES, DEFAULT_INGRESS);
  if (name) object.spec = { ...object.spec, ingressClassName: name };
}

/**
 * The newest class with one of the annotations; of several equally old ones, the first by name, since they come sorted.
 */
function defaultClass(
  { operation: { state } }: Admission,
  collection: string,
  annotations: readonly string[],
): string | undefined {
  const classes = smallList(state.store, collection).map(({ metadata }) => metadata);
  const defaults = classes.filter((each) => annotations.some((name) => each.annotations?.[name] === "true"));
  return defaults.sort((a, b) => compareUtf8(b.creationTimestamp ?? "", a.creationTimestamp ?? ""))[0]?.name;
}
