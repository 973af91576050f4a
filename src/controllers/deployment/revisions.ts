import { type KubeObject, type ReplicaSet, REVISION_ANNOTATION } from "../../api/mod.ts";
import { byCreation } from "./replica_sets.ts";

/** The number in a text as Go's `strconv.ParseInt` reads it, `undefined` if there is none. */
export function parseRevision(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** The revision by the object's annotation: 0 without one, `undefined` if it is no number. */
export function revisionOf(object: KubeObject): number | undefined {
  const text = object.metadata?.annotations?.[REVISION_ANNOTATION];
  return text === undefined ? 0 : parseRevision(text);
}

/** The highest revision, at least 0; those that are no number are skipped. */
export function maxRevision(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((most, replicaSet) => Math.max(most, revisionOf(replicaSet) ?? 0), 0);
}

/** The revision before the highest: what a rollback without a number goes to; 0 if there is none. */
export function lastRevision(replicaSets: readonly ReplicaSet[]): number {
  const revisions = replicaSets.map((replicaSet) => revisionOf(replicaSet) ?? 0).sort((a, b) => b - a);
  return Math.max(0, revisions[1] ?? 0);
}

/** Lowest revision first; where that decides nothing, oldest first. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  return left === undefined || right === undefined || left === right ? byCreation(a, b) : left - right;
}
