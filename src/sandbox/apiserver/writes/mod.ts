/** The steps of a write between decoding and storing. Upstream: `apiserver/pkg/registry/generic/registry/store.go`. */
export { changeThrough } from "./changes.ts";
export { checkNamespace, createNow, createObject } from "./create.ts";
export { checkDeletePreconditions, deleteEach, deleteObject, type DeleteOptions } from "./delete.ts";
export { checkPreconditions } from "./preconditions.ts";
export { checkName, updateObject } from "./update.ts";
