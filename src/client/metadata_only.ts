import type { KubeObject } from "../api/mod.ts";
import type { ObjectList, PartialObjectMetadata } from "./client_options.ts";

/**
 * Only the metadata of `object`. A server may answer a request for metadata with full objects.
 *
 * @throws {TypeError} If it is not an object: it has no uid, creationTimestamp, name or generateName.
 */
export function toMetadata(object: KubeObject): PartialObjectMetadata {
  const { metadata } = object;
  if (!metadata?.uid && !metadata?.creationTimestamp && !metadata?.name && !metadata?.generateName) {
    throw new TypeError(`Cannot take the metadata of ${object.kind ?? "an unknown kind"}: it is not an object`);
  }
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
}

/** Only the metadata of every item. */
export function toMetadataList(list: ObjectList<KubeObject>): ObjectList<PartialObjectMetadata> {
  return {
    apiVersion: "meta.k8s.io/v1",
    kind: "PartialObjectMetadataList",
    metadata: list.metadata,
    items: list.items.map(toMetadata),
  };
}
