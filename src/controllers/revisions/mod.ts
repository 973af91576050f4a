/** ControllerRevisions: the template history of StatefulSets and DaemonSets, byte for byte as upstream stores it. */
export { newRevision, revisionHash, revisionName, type RevisionParts } from "./new_revision.ts";
export { adoptRevisions, deleteRevisions, indexRevisions, ownAndOrphanRevisions } from "./own_revisions.ts";
export {
  holds,
  type NumberForm,
  readRevisions,
  type RevisionData,
  revisionDataOf,
  revisionDataSteps,
  templateOfRevision,
} from "./revision_data.ts";
export { beyondLimit, byRevision, revisionNumber } from "./revision_order.ts";
export { TemplateEquivalence } from "./template_equivalence.ts";
