import {
  type Deployment,
  DEPRECATED_ROLLBACK_TO_ANNOTATION,
  DESIRED_REPLICAS_ANNOTATION,
  LAST_APPLIED_ANNOTATION,
  MAX_REPLICAS_ANNOTATION,
  type ReplicaSet,
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
} from "../../api/mod.ts";
import { parseInt64 } from "../../base/mod.ts";
import { desiredReplicas, maxReplicas } from "./bounds.ts";

type Annotations = Readonly<Record<string, string>>;

/** Longest text in the annotation with earlier revisions, in characters. */
const HISTORY_LIMIT = 2000;

/** Annotations that are not copied between a Deployment and its ReplicaSets. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  LAST_APPLIED_ANNOTATION,
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  DESIRED_REPLICAS_ANNOTATION,
  MAX_REPLICAS_ANNOTATION,
  DEPRECATED_ROLLBACK_TO_ANNOTATION,
]);

/** The annotations of a ReplicaSet after the Deployment's were applied, and whether they are worth a write. */
export interface AnnotationUpdate {
  readonly annotations: Annotations;
  readonly isChanged: boolean;
}

/**
 * The current ReplicaSet's annotations: the Deployment's, and a revision that never decreases. A ReplicaSet that
 * becomes current again keeps its earlier revisions.
 * Upstream: `pkg/controller/deployment/util` (SetNewReplicaSetAnnotations).
 *
 * @param existing The annotations it has.
 * @param newRevision One more than the highest revision of the old ReplicaSets.
 */
export function currentAnnotations(
  deployment: Deployment,
  existing: Annotations | undefined,
  newRevision: bigint,
): AnnotationUpdate {
  const changes = new Map(
    Object.entries(deployment.metadata?.annotations ?? {}).filter(([key, value]) =>
      existing?.[key] !== value && !NOT_COPIED.has(key)
    ),
  );
  const oldText = existing?.[REVISION_ANNOTATION];
  const oldRevision = oldText ? parseInt64(oldText) : 0n;
  // A malformed revision: the copied annotations alone do not cause a write either.
  if (oldRevision === undefined) return { annotations: changed(existing, changes), isChanged: false };
  if (oldRevision < newRevision) {
    changes.set(REVISION_ANNOTATION, String(newRevision));
    const history = oldText === undefined ? undefined : appendHistory(existing?.[REVISION_HISTORY_ANNOTATION], oldText);
    if (history !== undefined) changes.set(REVISION_HISTORY_ANNOTATION, history);
  }
  return { annotations: changed(existing, changes), isChanged: changes.size > 0 };
}

/** With nothing to change, no copy is made: there may be ten thousand. */
function changed(existing: Annotations | undefined, changes: ReadonlyMap<string, string>): Annotations {
  if (existing && changes.size === 0) return existing;
  const annotations: Record<string, string> = { ...existing };
  for (const [key, value] of changes) annotations[key] = value;
  return annotations;
}

/** The annotations for noticing and distributing a later change of the Deployment's size. */
export function replicasAnnotations(deployment: Deployment): Annotations {
  return {
    [DESIRED_REPLICAS_ANNOTATION]: String(desiredReplicas(deployment)),
    [MAX_REPLICAS_ANNOTATION]: String(maxReplicas(deployment)),
  };
}

/** Whether the ReplicaSet's annotations differ from {@link replicasAnnotations}. */
export function replicasAnnotationsNeedUpdate(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  const existing = replicaSet.metadata?.annotations;
  return Object.entries(replicasAnnotations(deployment)).some(([key, value]) => existing?.[key] !== value);
}

/** The Deployment's size when the ReplicaSet was last scaled, if annotated. */
export function desiredReplicasOf(replicaSet: ReplicaSet): number | undefined {
  return parseCount(replicaSet.metadata?.annotations?.[DESIRED_REPLICAS_ANNOTATION]);
}

/** The Deployment's pod limit when the ReplicaSet was last scaled, if annotated. */
export function maxReplicasOf(replicaSet: ReplicaSet): number | undefined {
  return parseCount(replicaSet.metadata?.annotations?.[MAX_REPLICAS_ANNOTATION]);
}

/** The Deployment's annotations after a rollback: its own, and those copied from the ReplicaSet. */
export function annotationsOfRollback(deployment: Deployment, replicaSet: ReplicaSet): Record<string, string> {
  const own = Object.entries(deployment.metadata?.annotations ?? {}).filter(([key]) => NOT_COPIED.has(key));
  return { ...Object.fromEntries(own), ...copiedFrom(replicaSet.metadata?.annotations) };
}

function copiedFrom(annotations: Annotations | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key)));
}

/** The oldest entries make room for the new one; `undefined` if even that does not help. */
function appendHistory(history: string | undefined, revision: string): string | undefined {
  if (!history || history.startsWith(",")) return revision;
  const entries = history.split(",");
  let length = history.length + revision.length + 1;
  let dropped = 0;
  for (; length > HISTORY_LIMIT && dropped < entries.length; dropped++) length -= entries[dropped].length + 1;
  return length > HISTORY_LIMIT ? undefined : [...entries.slice(dropped), revision].join(",");
}

function parseCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const count = Number(text);
  return count < 2 ** 31 ? count : undefined;
}
