/** The steps of a write between decoding and storing. Upstream: `apiserver/pkg/registry/generic/registry/store.go`. */
export { changeThrough } from "./changes.ts";
export { checkNamespace, createNow, createObject } from "./create.ts";
export { checkPreconditions, deleteEach, deleteObject, type DeleteOptions } from "./delete.ts";
export { checkName, storageKey, updateObject } from "./update.ts";
