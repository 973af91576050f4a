import { findCondition, formatTime, type Pod, PODS, referenceTo } from "../../api/mod.ts";
import { TurnBudget, type World } from "../../base/mod.ts";
import { InformerFactory, waitForCacheSync } from "../../cache/mod.ts";
import { type Client, isConflict, isNotFound } from "../../client/mod.ts";
import { type SeriesEvent, SeriesEvents } from "../common/mod.ts";
import { Binder, type Placement } from "./binder.ts";
import { type Choice, chooseNode } from "./choose_node.ts";
import { ClusterState } from "./cluster_state.ts";
import { ClusterWatch, SCHEDULER_NAME } from "./cluster_watch.ts";
import type { PodInfo } from "./pod_info.ts";
import { SchedulingQueue } from "./scheduling_queue.ts";
import { Slots } from "./slots.ts";

/** Options of {@link Scheduler}; only the world and the client are required. */
export interface SchedulerOptions {
  readonly world: World;
  readonly client: Client;
  /** Shared informers to use; by default it starts its own. */
  readonly informers?: InformerFactory;
  /** Whether to write Events about pods. Default false. */
  readonly events?: boolean;
  /** How many requests are in flight at the same time. Default 50. */
  readonly workers?: number;
}

/**
 * A small kube-scheduler: binds pods that wait for `default-scheduler` to nodes that will do, the least loaded first.
 *
 * Contract:
 * 1. A pod is bound only to a node that its selectors, affinities, tolerations, spread constraints, ports, claims and
 *    requests allow, counting pods on their way to nodes.
 * 2. Pods are tried in the order of their priority, then of their arrival; none is evicted for another.
 * 3. A pod that fits nowhere gets condition PodScheduled False, reason Unschedulable, with kube-scheduler's message,
 *    and is retried when something changes that may help it.
 * 4. Gated pods, pods being deleted and pods of other schedulers are left alone.
 * 5. The choice depends on the cluster alone: equal nodes are taken in the order of their names.
 * 6. When `run` resolves, no timer and no request of it is left.
 * 7. Others have their turn while a node is chosen, however many nodes, claims and volumes there are; a pod that is
 *    gone by then is given up.
 *
 * Not supported: preferred pod affinity and ScheduleAnyway constraints (pods of one controller are spread anyway),
 * volume limits, dynamic resource claims, pod groups. Upstream: `pkg/scheduler`.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #informers: InformerFactory;
  readonly #queue: SchedulingQueue;
  readonly #watch: ClusterWatch;
  readonly #state: ClusterState;
  readonly #binder: Binder;
  readonly #slots: Slots;
  readonly #budget: TurnBudget;
  /** Bindings that wait for volumes. */
  readonly #waiting = new Slots(Infinity);
  readonly #events: SeriesEvents | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { world, client, workers = 50 } = options;
    this.#informers = options.informers ?? new InformerFactory({ world, client, name: "scheduler" });
    this.#queue = new SchedulingQueue(world);
    this.#watch = new ClusterWatch({
      informers: this.#informers,
      queue: this.#queue,
      onClaims: () => this.#binder.claimsChanged(),
    });
    this.#state = new ClusterState(this.#watch);
    this.#budget = new TurnBudget(world.clock);
    this.#binder = new Binder({ world, client, volumes: this.#watch.volumes, budget: this.#budget });
    this.#slots = new Slots(workers);
    this.#events = options.events ? new SeriesEvents({ world, client, controller: SCHEDULER_NAME }) : undefined;
  }

  /** Schedules pods until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#watch.begin(this.#state);
    this.#informers.start(signal);
    const close = () => this.#queue.close();
    signal.addEventListener("abort", close, { once: true });
    if (await waitForCacheSync(signal, ...this.#watch.registrations)) await this.#schedule(signal);
    signal.removeEventListener("abort", close);
    close();
    await Promise.all([this.#slots.idle(), this.#waiting.idle()]);
    await this.#events?.close();
    await this.#watch.end();
    if (!this.#options.informers) await this.#informers.shutdown();
  }

  async #schedule(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pod = this.#queue.pop();
      if (!pod) {
        await this.#queue.whenReady();
        continue;
      }
      const choice = await this.#budget.run(this.#choose(pod));
      if (!choice) continue;
      // From now on the pod counts on its node, so that the next decision sees what is left.
      if (choice.kind === "node") this.#state.putPod(pod, choice.node);
      const isWanted = () => this.#state.placeOf(pod.uid) !== undefined;
      // A pod that waits for its volumes must not block others.
      const slots = choice.kind === "node" && choice.waiting.length > 0 ? this.#waiting : this.#slots;
      await slots.free();
      slots.run(() =>
        choice.kind === "node"
          ? this.#bind({ ...choice, pod, isWanted }, signal)
          : this.#fail(pod, choice.message, signal)
      );
    }
  }

  /**
   * @returns `undefined` if the pod does not wait for a node any more: it is gone, or somebody else has put it on one.
   */
  *#choose(pod: PodInfo): Generator<void, Choice | undefined> {
    const steps = chooseNode(pod, this.#state);
    for (let step = steps.next();; step = steps.next()) {
      if (!this.#queue.isInHand(pod.uid)) return undefined;
      if (step.done) return step.value;
      yield;
    }
  }

  async #bind(placement: Placement, signal: AbortSignal): Promise<void> {
    const { pod, node } = placement;
    const { namespace, name } = pod.pod.metadata ?? {};
    try {
      if (await this.#binder.bind(placement, signal)) {
        this.#queue.remove(pod.uid);
        const note = `Successfully assigned ${namespace}/${name} to ${node}`;
        return this.#tell(pod, { type: "Normal", reason: "Scheduled", action: "Binding", note });
      }
    } catch (err) {
      if (signal.aborted) return;
      // Somebody else bound it, or it is gone; the API server will report which.
      const isSettled = isNotFound(err) || isConflict(err);
      if (!isSettled) {
        this.#options.world.log.warn("Pod could not be bound; will try again", { pod: pod.uid, node, err });
      }
    }
    if (signal.aborted) return;
    this.#undo(pod);
    this.#queue.giveBack(pod.uid, { isUnschedulable: false });
  }

  /** Takes back a placement; somebody else may have bound the pod meanwhile. */
  #undo(pod: PodInfo): void {
    const seen = this.#seen(pod);
    if (!seen?.spec?.nodeName) this.#state.removePod(pod.uid);
  }

  /** The cached pod, if any. */
  #seen({ pod: { metadata } }: PodInfo): Pod | undefined {
    const seen = this.#informers.informer(PODS).lister.get(metadata?.namespace, metadata?.name ?? "");
    return seen?.metadata?.uid === metadata?.uid ? seen : undefined;
  }

  async #fail(pod: PodInfo, message: string, signal: AbortSignal): Promise<void> {
    this.#queue.giveBack(pod.uid, { isUnschedulable: true });
    this.#tell(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message });
    try {
      await this.#writeCondition(pod, message, signal);
    } catch (err) {
      if (signal.aborted || isNotFound(err) || isConflict(err)) return;
      this.#options.world.log.warn("Condition of an unschedulable pod was not written", { pod: pod.uid, err });
    }
  }

  async #writeCondition(pod: PodInfo, message: string, signal: AbortSignal): Promise<void> {
    const { client, world } = this.#options;
    const { namespace = "", name = "", uid, generation } = pod.pod.metadata ?? {};
    const seen = this.#seen(pod);
    const old = findCondition(seen?.status?.conditions, "PodScheduled");
    if (!seen || old?.reason === "Unschedulable" && old.message === message) return;
    const now = formatTime(world.clock.wallMs());
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: old?.status === "False" ? old.lastTransitionTime ?? now : now,
      ...generation ? { observedGeneration: generation } : {},
    };
    const body = { metadata: { uid }, status: { conditions: [condition] } };
    await client.patchMetadata(PODS, { namespace, name }, { type: "strategic", body, subresource: "status", signal });
  }

  #tell(info: PodInfo, event: Omit<SeriesEvent, "about">): void {
    this.#events?.tell({ ...event, about: referenceTo(this.#seen(info) ?? info.pod, PODS) });
  }
}
