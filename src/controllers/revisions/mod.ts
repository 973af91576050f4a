/** ControllerRevisions: what StatefulSets and DaemonSets remember of their templates, byte for byte as upstream does. */
export { adoptRevisions } from "./adopt_revisions.ts";
export { newRevision, type RevisionParts } from "./new_revision.ts";
export {
  holds,
  type NumberForm,
  readRevisions,
  type RevisionData,
  revisionDataOf,
  templateOfRevision,
} from "./revision_data.ts";
export { revisionHash, revisionName } from "./revision_names.ts";
export { beyondLimit, byRevision, revisionNumber } from "./revision_order.ts";
export { indexRevisions, ownAndOrphanRevisions } from "./revisions_of.ts";
export { TemplateEquivalence } from "./template_equivalence.ts";
