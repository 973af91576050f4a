import { type Deployment, type DeploymentStatus, REVISION_ANNOTATION } from "../../api/mod.ts";
import { newCondition, setCondition, type Statement } from "./conditions.ts";

/**
 * One sync's own copy of a Deployment: changed in memory as the sync goes on, and written as a whole. The cached object
 * it began with is shared and stays as it is; what changes is replaced.
 */
export class Draft {
  #deployment: Deployment;

  constructor(cached: Deployment) {
    this.#deployment = cached;
  }

  get deployment(): Deployment {
    return this.#deployment;
  }

  set deployment(deployment: Deployment) {
    this.#deployment = deployment;
  }

  set status(status: DeploymentStatus) {
    this.#deployment = { ...this.#deployment, status };
  }

  set annotations(annotations: Record<string, string>) {
    const { metadata } = this.#deployment;
    this.#deployment = { ...this.#deployment, metadata: { ...metadata, annotations } };
  }

  /** Sets a condition as of `nowMs` by the wall clock. */
  state(statement: Statement, nowMs: number): void {
    const { status } = this.#deployment;
    this.status = { ...status, conditions: setCondition(status?.conditions, newCondition(statement, nowMs)) };
  }

  /** Sets the annotation with the revision; returns whether it was another one. */
  setRevision(revision: string): boolean {
    const annotations = this.#deployment.metadata?.annotations;
    if ((annotations?.[REVISION_ANNOTATION] ?? "") === revision) return false;
    this.annotations = { ...annotations, [REVISION_ANNOTATION]: revision };
    return true;
  }
}
