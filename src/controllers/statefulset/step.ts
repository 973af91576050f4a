import type { Pod, StatefulSet, StatefulSetStatus } from "../../api/mod.ts";
import { slowStart } from "../pods/mod.ts";
import { templateOfRevision } from "../revisions/mod.ts";
import { aggregateErrors } from "../running/mod.ts";
import { StatefulPodControl } from "./actions.ts";
import type { StatefulSetContext } from "./context.ts";
import type { SetRevisions } from "./history.ts";
import { isOrdered } from "./ordinals.ts";
import {
  firstUnavailable,
  isUnavailable,
  maxUnavailableOf,
  planCondemned,
  planSlot,
  planUpdate,
  type View,
} from "./plan.ts";
import { type Placement, placePods, type Slot } from "./slots.ts";
import { countReplicas } from "./status.ts";

/** The most concurrent calls, for pods that need not wait for each other. */
const LARGEST_BATCH = 500;

/** What {@link takeStep} works on. */
export interface Observed {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly revisions: SetRevisions;
  /** The wall clock. */
  readonly nowMs: number;
}

/** The result: a status in any case. */
export interface Outcome {
  readonly status: StatefulSetStatus;
  /** What went wrong; `undefined` if nothing. */
  readonly error: unknown;
}

/**
 * Takes the pods and claims of a set one step closer to its spec.
 * Upstream: `pkg/controller/statefulset/stateful_set_control.go` (updateStatefulSet).
 *
 * @returns The status as observed before that step. Never rejects.
 */
export async function takeStep(
  { set, pods, revisions, nowMs }: Observed,
  context: StatefulSetContext,
): Promise<Outcome> {
  const { current, update, collisionCount } = revisions;
  const names = { current: current.metadata?.name ?? "", update: update.metadata?.name ?? "" };
  const view: View = {
    isOrdered: isOrdered(set),
    minReadySeconds: set.spec?.minReadySeconds ?? 0,
    nowMs,
  };
  const statusOf = (counted: readonly Pod[]): StatefulSetStatus => ({
    ...countReplicas(counted, { ...names, minReadySeconds: view.minReadySeconds, nowMs }),
    observedGeneration: set.metadata?.generation,
    currentRevision: names.current,
    updateRevision: names.update,
    collisionCount,
  });
  if (set.metadata?.deletionTimestamp) return { status: statusOf(pods), error: undefined };
  const template = set.spec?.template;
  const placement = placePods(set, pods, {
    current: { template: templateOfRevision(current) ?? template, revision: names.current },
    update: { template: templateOfRevision(update) ?? template, revision: names.update },
  });
  const { slots, condemned } = placement;
  const status = statusOf([...slots.flatMap(({ found }) => found ?? []), ...condemned]);
  try {
    const step = new Step(set, view, context);
    if (await step.settle(placement)) await step.update(slots, status);
    return { status, error: undefined };
  } catch (error) {
    return { status, error };
  }
}

/** One step with the pods of a set. */
class Step {
  readonly #set: StatefulSet;
  readonly #view: View;
  readonly #context: StatefulSetContext;
  readonly #control: StatefulPodControl;

  constructor(set: StatefulSet, view: View, context: StatefulSetContext) {
    this.#set = set;
    this.#view = view;
    this.#context = context;
    this.#control = new StatefulPodControl(context);
  }

  /**
   * Creates and repairs what is wanted, then deletes what is not.
   *
   * @returns Whether pods may be updated now: there was nothing to wait for.
   */
  async settle(placement: Placement): Promise<boolean> {
    const { slots, condemned } = placement;
    const first = firstUnavailable(placement, this.#view);
    return await this.#forAll(slots, (slot) => this.#settleSlot(slot)) &&
      await this.#forAll(condemned, (pod) => this.#settleClaims(pod)) &&
      await this.#forAll(condemned, (pod) => this.#condemn(pod, first));
  }

  /** Deletes pods that must be recreated, and subtracts them from the status. */
  async update(slots: readonly Slot[], status: StatefulSetStatus): Promise<void> {
    const set = this.#set;
    const { unavailable } = this.#context;
    const maxUnavailable = unavailable && maxUnavailableOf(set);
    if (set.spec?.updateStrategy?.type !== "OnDelete") {
      unavailable?.setNow(set, slots.filter(({ found }) => isUnavailable(found, this.#view)).length);
    }
    const revision = status.updateRevision ?? "";
    for (const { pod } of planUpdate(set, slots, { ...this.#view, revision, maxUnavailable })) {
      await this.#control.deletePod(set, pod.metadata!);
      // A pod of neither revision was never counted; the API server rejects negative counts.
      status.currentReplicas = Math.max(0, (status.currentReplicas ?? 0) - 1);
    }
  }

  /**
   * One after another until one says to stop, or all of them in growing batches, which cannot be stopped.
   *
   * @param act Resolves to whether to stop.
   * @returns Whether the end was reached.
   */
  async #forAll<T>(items: readonly T[], act: (item: T) => Promise<boolean>): Promise<boolean> {
    if (this.#view.isOrdered) {
      for (const item of items) if (await act(item)) return false;
      return true;
    }
    const { errors } = await slowStart(items.length, (i) => act(items[i]), {
      clock: this.#context.world.clock,
      largestBatch: LARGEST_BATCH,
    });
    const error = aggregateErrors(errors);
    if (error) throw error;
    return true;
  }

  async #settleSlot(slot: Slot): Promise<boolean> {
    const [set, control] = [this.#set, this.#control];
    const hasStaleClaim = () => control.hasStaleClaim(set, slot.pod);
    const { actions, stops } = planSlot(slot, { ...this.#view, hasStaleClaim });
    for (const action of actions) {
      switch (action) {
        case "create":
          await control.createPod(set, slot.pod);
          break;
        case "delete":
          await control.deletePod(set, slot.pod.metadata!);
          break;
        case "completeClaims":
          await control.createMissingClaims(set, slot.pod);
          break;
        case "repair":
          await control.repairPod(set, slot.pod);
      }
    }
    return stops;
  }

  async #settleClaims(pod: Pod): Promise<boolean> {
    if (!this.#control.claimsMatch(this.#set, pod)) await this.#control.applyRetention(this.#set, pod);
    return false;
  }

  async #condemn(pod: Pod, first: Pod | undefined): Promise<boolean> {
    const { isDeleted, stops } = planCondemned(pod, { ...this.#view, firstUnavailable: first });
    if (isDeleted) await this.#control.deletePod(this.#set, pod.metadata!);
    return stops;
  }
}
