import { type KubeObject, type Pod } from "../../api/mod.ts";
import type { Clock, TurnBudget } from "../../base/mod.ts";
import { isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { refOf, serverSays, startAll } from "../running/mod.ts";
import type { PodControl, PodCreation } from "./pod_control.ts";
import { slowStart, type SlowStartResult } from "./slow_start.ts";

/** How pods are created. */
export interface CreatePodsOptions {
  readonly podControl: PodControl;
  readonly clock: Clock;
  /** How to create the pod with this number, starting at 0. */
  creationOf(index: number): PodCreation;
  /** Called with the metadata of every pod that was created. */
  onCreated(pod: KubeObject): void;
}

/**
 * Creates pods by a {@link slowStart}. A pod refused because its namespace is being deleted counts as created: all
 * others would be refused too, and all that remains is to let the expectation expire.
 */
export function createAllPods(
  count: number,
  { podControl, clock, creationOf, onCreated }: CreatePodsOptions,
): Promise<SlowStartResult> {
  return slowStart(count, async (index) => {
    try {
      onCreated(await podControl.create(creationOf(index)));
    } catch (error) {
      if (!serverSays(error, isNamespaceTerminating)) throw error;
    }
  }, { clock });
}

/** How pods are deleted. */
export interface DeletePodsOptions {
  readonly podControl: PodControl;
  /** The object that gets the events. */
  readonly parent: KubeObject;
  readonly budget: TurnBudget;
  /** Called with every pod that this call did not delete: no event will come for it. */
  onFailed?(pod: Pod): void;
}

/**
 * Deletes pods. A pod that is already gone counts as deleted.
 *
 * @returns The failures, in the order of the pods; never rejects.
 */
export async function deleteAllPods(
  pods: readonly Pod[],
  { podControl, parent, budget, onFailed }: DeletePodsOptions,
): Promise<unknown[]> {
  const results = await startAll(pods.length, async (i) => {
    try {
      await podControl.delete(refOf(pods[i]), parent);
    } catch (error) {
      onFailed?.(pods[i]);
      if (!serverSays(error, isNotFound)) throw error;
    }
  }, budget);
  return results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
}
