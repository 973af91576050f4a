import { deepCopy, LruMap } from "../../base/mod.ts";
import { type ControllerRevision, type KubeObject } from "../../api/mod.ts";
import { defaultPodSpec, encodePodTemplate } from "../../rules/mod.ts";
import { type RevisionData, revisionDataOf, templateOfRevision } from "./revision_data.ts";

/** About a hundred bytes each. */
const REMEMBERED = 10_000;

/**
 * Finds out whether a stored revision means the same as new data although its bytes differ: it may have been written by
 * another version, which left out or put in what means nothing.
 *
 * Contract:
 * 1. A revision means the same if its template, with the API server's defaults of today, gives the data of today.
 * 2. A positive answer is remembered for this parent at its generation and this version of the revision.
 *
 * Upstream: `pkg/controller/statefulset/stateful_set_control.go` (setMatchesLatestExistingRevision).
 */
export class TemplateEquivalence {
  readonly #known = new LruMap<string, true>(REMEMBERED);

  isSame(parent: KubeObject, data: RevisionData, revision: ControllerRevision): boolean {
    const { uid, generation } = parent.metadata ?? {};
    const key = `${uid}/${generation}/${revision.metadata?.resourceVersion}`;
    if (this.#known.has(key)) return true;
    if (restoredText(revision) !== data.text) return false;
    this.#known.set(key, true);
    return true;
  }
}

/** The data for the parent after a rollback to the revision. */
function restoredText(revision: ControllerRevision): string | undefined {
  const stored = templateOfRevision(revision);
  if (!stored) return undefined;
  // First through today's types, which drop fields that no longer exist.
  const template = deepCopy(encodePodTemplate(stored)) as NonNullable<typeof stored>;
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
  return revisionDataOf(template, "double").text;
}
