/** Patches: JSON, merge, strategic merge. Upstream: `apiserver/pkg/endpoints/handlers/patch.go`. */
export { applyJsonPatch, type JsonPatchOperation, MOST_OPERATIONS } from "./json.ts";
export { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, patchedObject, STRATEGIC_MERGE_PATCH } from "./patcher.ts";
