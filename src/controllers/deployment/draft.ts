import { type Deployment, type DeploymentStatus, REVISION_ANNOTATION } from "../../api/mod.ts";
import { newCondition, setCondition, type Statement } from "./conditions.ts";

/**
 * A sync's own copy of a Deployment, which the sync changes in memory and writes as a whole. The cached object is
 * shared and not modified; changed parts are replaced.
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

  /** Sets the revision annotation; returns whether it changed. */
  setRevision(revision: string): boolean {
    const annotations = this.#deployment.metadata?.annotations;
    if ((annotations?.[REVISION_ANNOTATION] ?? "") === revision) return false;
    this.annotations = { ...annotations, [REVISION_ANNOTATION]: revision };
    return true;
  }
}
