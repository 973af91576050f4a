/** Media types that requests accept and send. */
export const JSON_TYPE = "application/json";
export const ACCEPT_JSON = "application/json, */*";
export const ACCEPT_STREAM = "application/json";
export const ACCEPT_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
export const ACCEPT_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/** By {@link PatchOptions.type}. An apply patch may be JSON, since JSON is YAML. */
export const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
