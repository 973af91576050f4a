import { canonicalJson, deepCopy, isRawNumber, type Json, runAtOnce, type TurnBudget } from "../../base/mod.ts";
import { type ControllerRevision, type PodTemplateSpec, type RawExtension } from "../../api/mod.ts";
import { encodePodTemplate } from "../../rules/mod.ts";

/** How integers beyond 2^53 are kept: StatefulSets convert them to doubles, DaemonSets do not. */
export type NumberForm = "double" | "exact";

/** A pod template as a ControllerRevision stores it. */
export interface RevisionData {
  /** As it goes into `data` of the revision. */
  readonly value: RawExtension;
  /** Its bytes, by which revisions are compared and named. */
  readonly text: string;
}

/** Data by template and form. Cached objects never change. */
const made: Readonly<Record<NumberForm, WeakMap<PodTemplateSpec, RevisionData>>> = {
  double: new WeakMap(),
  exact: new WeakMap(),
};
const texts = new WeakMap<ControllerRevision, string>();

/**
 * The data that upstream v1.36 stores for this template: a patch that restores it. With a single byte of difference,
 * upstream's manager would see a new revision and restart pods. Upstream: getPatch of `pkg/controller/statefulset` and
 * `pkg/controller/daemon`.
 *
 * @param template From a cached object, or one that never changes.
 *
 * @example
 * ```ts
 * import { revisionDataOf } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const template = { metadata: { labels: { app: "x" } }, spec: { containers: [] } };
 * assertEquals(
 *   revisionDataOf(template, "double").text,
 *   '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"x"}},"spec":{"containers":[]}}}}',
 * );
 * ```
 */
export function revisionDataOf(template: PodTemplateSpec, numbers: NumberForm): RevisionData {
  return runAtOnce(revisionDataSteps(template, numbers));
}

/** As {@link revisionDataOf}, in steps: each of them takes up to 30 ms of a template of a megabyte. */
export function* revisionDataSteps(template: PodTemplateSpec, numbers: NumberForm): Generator<void, RevisionData> {
  const known = made[numbers].get(template);
  if (known) return known;
  const encoded = encodePodTemplate(template) as { [key: string]: Json };
  yield;
  const patch = { ...(numbers === "double" ? deepCopy(encoded, toDouble) : encoded), $patch: "replace" };
  yield;
  const value = { spec: { template: patch } };
  const data = { value, text: canonicalJson(value) };
  made[numbers].set(template, data);
  return data;
}

function toDouble(leaf: unknown): unknown {
  return isRawNumber(leaf) ? Number(leaf.rawJSON) : leaf;
}

/** The bytes of a stored revision's data. */
function revisionText(revision: ControllerRevision): string {
  let text = texts.get(revision);
  if (text === undefined) texts.set(revision, text = canonicalJson(revision.data ?? null));
  return text;
}

/**
 * Reads revisions for {@link holds}, with turns of the event loop in between: each may hold a megabyte, and tenants may
 * create any number.
 */
export async function readRevisions(revisions: readonly ControllerRevision[], budget: TurnBudget): Promise<void> {
  if (budget.spent) await budget.nextTurn();
  for (const revision of revisions) {
    revisionText(revision);
    if (budget.spent) await budget.nextTurn();
  }
}

/** Whether a stored revision holds exactly this data. */
export function holds(revision: ControllerRevision, data: RevisionData): boolean {
  return revisionText(revision) === data.text;
}

/** The template that a revision restores; `undefined` if it does not hold one. */
export function templateOfRevision({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { template } = (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } } | undefined)?.spec ??
    {};
  if (!template) return undefined;
  const { $patch: _patch, ...restored } = template;
  return restored;
}
