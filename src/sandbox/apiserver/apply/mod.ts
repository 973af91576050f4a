/** Server-side apply and the ownership of fields. Upstream: `structured-merge-diff`. */
export { type Application, applyTo, storedOwners } from "./apply.ts";
export { compare } from "./compare.ts";
export { type FieldSet, hasPath, LEAF, withoutPath } from "./field_set.ts";
export { emptyObject, recordCreate, recordUpdate, setEntries, shapeOfServed, updatedOwners } from "./managed.ts";
export { differInTimesOnly, entriesOf, isSameOwner, type Owner, readOwners } from "./owners.ts";
export { heedDuplicates, readApplied } from "./read_applied.ts";
