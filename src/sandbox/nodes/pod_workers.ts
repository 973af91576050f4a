import { type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS, type Pod, PODS, referenceTo } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { type Client, isConflict, isInvalid, isNotFound } from "../../client/mod.ts";
import { DelayedActions, type PlainEvents, requestsOf } from "../common/mod.ts";
import { adoptRuntime } from "./adopt.ts";
import { advance } from "./advance.ts";
import type { PodNews } from "./container_step.ts";
import { FileSystems } from "./file_systems.ts";
import type { Fleet, SimulatedNode } from "./fleet.ts";
import { PodPlan, type PodTimes } from "./plan.ts";
import { dependsOnSources, PodSources } from "./pod_sources.ts";
import { rejectionOf } from "./pod_admission.ts";
import { PodRecord } from "./pod_record.ts";
import { podStatus } from "./pod_status.ts";
import { statusPatch } from "./status_patch.ts";
import { claimNames, type PodVolumes } from "./volumes.ts";

export interface PodWorkersOptions {
  readonly world: World;
  /** Used for nodes without a client of their own. */
  readonly client: Client;
  readonly fleet: Fleet;
  readonly pods: Lister<Pod>;
  readonly volumes: PodVolumes;
  readonly times: PodTimes;
  readonly workers: number;
  /** Whether pods wait for their volumes to be attached. */
  readonly attaches: boolean;
  /** No events are written if absent. */
  readonly events?: PlainEvents;
  /** Called when the volumes in use on a node change. */
  onVolumes(node: SimulatedNode): void;
}

/**
 * Plays the kubelet for each pod on the simulated nodes: looks at a pod when it changes or something is due, moves its
 * containers forward, and writes the result.
 *
 * Contract:
 * 1. A pod is processed once at a time; no more than `workers` requests are in flight.
 * 2. A status is written only if it differs from the newest one known; conditions of others are never touched.
 * 3. A pod that was replaced by another with its name is dropped without harm to the other.
 * 4. A pod being deleted is removed when its containers have stopped and that was written: by one DELETE, with no grace
 *    period and its uid as a precondition.
 * 5. A node reports the volumes of a pod before it mounts them, and until the pod has ended.
 * 6. Nothing is done for the pods of a node that is not up.
 *
 * Upstream: `pkg/kubelet/pod_workers.go`, `pkg/kubelet/status/status_manager.go`.
 */
export class PodWorkers {
  readonly #options: PodWorkersOptions;
  readonly #actions: DelayedActions;
  readonly #records = new Map<string, PodRecord>();
  readonly #stop = new AbortController();
  readonly #sources: PodSources;
  readonly #fileSystems: FileSystems;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    const { world, client, workers } = options;
    this.#sources = new PodSources(client);
    this.#fileSystems = new FileSystems(world);
    this.#actions = new DelayedActions({ world, workers, run: (key) => this.#work(key) });
  }

  /** Schedules a look at a pod. */
  see(pod: Pod): void {
    if (!this.#options.fleet.get(pod.spec?.nodeName)?.isUp) return;
    this.#actions.schedule(keyOf(pod), 0);
  }

  forget(pod: Pod): void {
    const { uid = "" } = pod.metadata ?? {};
    this.#actions.cancel(keyOf(pod));
    const record = this.#records.get(uid);
    if (!record) return;
    this.#records.delete(uid);
    this.#leave(record, uid);
    record.node.awaiting.delete(keyOf(pod));
    record.node.giveBackAddresses(uid);
  }

  /** Looks at all pods of a node whose kubelet was started again. */
  resume(name: string): void {
    for (const pod of this.#options.pods.list()) if (pod.spec?.nodeName === name) this.see(pod);
  }

  /** Looks at the pods that use a claim. */
  claimChanged(namespace: string | undefined, name: string | undefined): void {
    for (const pod of this.#options.pods.list({ namespace })) {
      if (pod.spec?.volumes?.length && claimNames(pod).includes(name ?? "")) this.see(pod);
    }
  }

  claimGone(claim: PersistentVolumeClaim): void {
    this.#fileSystems.forget(claim);
  }

  /** Looks at the pods of a node that wait for volumes to be attached. */
  attachmentsChanged(name: string): void {
    for (const key of this.#options.fleet.get(name)?.awaiting ?? []) this.#actions.schedule(key, 0);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#actions.close();
  }

  async #work(key: string): Promise<void> {
    const [namespace, name, uid] = key.split("/");
    const pod = this.#options.pods.get(namespace, name);
    const node = this.#options.fleet.get(pod?.spec?.nodeName);
    if (!pod || pod.metadata?.uid !== uid || !node?.isUp) return;
    const known = this.#records.get(uid);
    // Another node with the same name may have replaced the one that the pod was seen on.
    const record = known?.node === node ? known : this.#adopt(pod, uid, node);
    if (record.isRemoved) return;
    try {
      await this.#go(pod, record);
    } catch (error) {
      // The pod is gone or was replaced; its events will follow.
      if (isNotFound(error) || isConflict(error)) return;
      if (!isInvalid(error)) throw error;
      this.#options.world.log.warn("Status of a pod was refused", { pod: `${namespace}/${name}`, err: error });
    }
  }

  #adopt(pod: Pod, uid: string, node: SimulatedNode): PodRecord {
    const { world } = this.#options;
    const record = new PodRecord(node, adoptRuntime(pod, world.clock.wallMs()));
    this.#records.set(uid, record);
    const addresses = pod.status?.podIPs?.map(({ ip }) => ip) ?? [];
    if (addresses.length > 0 && !pod.spec?.hostNetwork) node.keepAddresses(uid, addresses);
    for (const message of new PodPlan(pod, this.#options.times).problems) {
      world.log.warn("Annotation of a pod is ignored", {
        pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`,
        message,
      });
      this.#tell(pod, record, [{ type: "Warning", reason: "InvalidAnnotation", message }]);
    }
    if (record.runtime.hasEnded) return record;
    const rejection = pod.status?.startTime || pod.metadata?.deletionTimestamp ? undefined : rejectionOf(pod, node);
    if (!rejection) {
      node.room.put(uid, requestsOf(pod));
      return record;
    }
    this.#tell(pod, record, [{ type: "Warning", ...rejection }]);
    const message = `Pod was rejected: ${rejection.message}`;
    record.runtime = { ...record.runtime, hasEnded: true, failure: { reason: rejection.reason, message } };
    return record;
  }

  async #go(pod: Pod, record: PodRecord): Promise<void> {
    const { world, volumes, times, attaches } = this.#options;
    const { uid = "" } = pod.metadata ?? {};
    const plan = new PodPlan(pod, times);
    const seenMs = world.clock.wallMs();
    const isDue = record.runtime.startMs + plan.startAfterMs <= seenMs;
    const sources = isDue && dependsOnSources(pod, record.runtime, seenMs)
      ? await this.#sources.problemsOf(pod, record.runtime, this.#stop.signal)
      : undefined;
    if (this.#records.get(uid) !== record) return; // it was removed meanwhile, and its resources were released
    const nowMs = sources ? world.clock.wallMs() : seenMs;
    const earlierFailures = this.#earlierFailures(pod, plan);
    const unboundClaims = volumes.unbound(pod);
    const unattached = attaches ? volumes.unattached(pod, record.node.object) : [];
    const { runtime, news, nextMs } = advance(
      { pod, plan, unboundClaims, unattached, earlierFailures, sources },
      record.runtime,
      nowMs,
    );
    record.runtime = runtime;
    if (runtime.hasEnded || runtime.attachingSinceMs === undefined) record.node.awaiting.delete(keyOf(pod));
    else record.node.awaiting.add(keyOf(pod));
    if (nextMs !== undefined) this.#actions.schedule(keyOf(pod), nextMs - nowMs);
    this.#tell(pod, record, news);
    if (runtime.hasEnded) this.#leave(record, uid);
    else this.#occupy(pod, record);
    // While containers are being stopped, nothing is reported until all have stopped.
    if (runtime.stopping && !runtime.hasEnded) return;
    const before = record.statusOf(pod);
    const after = podStatus({
      step: { pod, plan, nowMs, earlierFailures },
      runtime,
      hostIPs: [record.node.shape.address],
      podIPs: this.#addressesOf(pod, record),
      before,
    });
    await this.#write(pod, record, before, after);
    if (runtime.hasEnded && pod.metadata?.deletionTimestamp) await this.#remove(pod, record);
    else if (!runtime.hasEnded && runtime.sandboxMs !== undefined) await this.#growFileSystems(pod, record);
  }

  async #growFileSystems(pod: Pod, record: PodRecord): Promise<void> {
    const { events, volumes } = this.#options;
    const client = this.#clientOf(record);
    const { name: host } = record.node;
    for (const claimed of volumes.claimed(pod)) {
      const { growth, againMs } = await this.#fileSystems.grow(claimed, {
        client,
        node: host,
        signal: this.#stop.signal,
      });
      if (againMs !== undefined) this.#actions.schedule(keyOf(pod), againMs);
      if (!growth) continue;
      const { claim, ...event } = growth;
      for (const about of [referenceTo(pod, PODS), referenceTo(claim, PERSISTENTVOLUMECLAIMS)]) {
        events?.tell({ about, ...event, host });
      }
    }
  }

  /** Reserves the pod's resources on its node; they may have changed since the last time. */
  #occupy(pod: Pod, { node, runtime }: PodRecord): void {
    const { uid = "" } = pod.metadata ?? {};
    node.room.put(uid, requestsOf(pod));
    const usesVolumes = runtime.sandboxMs !== undefined || runtime.attachingSinceMs !== undefined;
    if (!usesVolumes || node.volumes.has(uid) || claimNames(pod).length === 0) return;
    node.volumes.set(uid, this.#options.volumes.inUse(pod));
    this.#options.onVolumes(node);
  }

  /** Releases the pod's resources on its node. */
  #leave({ node }: PodRecord, uid: string): void {
    node.room.take(uid);
    if (node.volumes.delete(uid)) this.#options.onVolumes(node);
  }

  #addressesOf(pod: Pod, { node, runtime }: PodRecord): readonly string[] {
    if (pod.spec?.hostNetwork) return [node.shape.address];
    return runtime.sandboxMs === undefined ? [] : node.takeAddresses(pod.metadata?.uid ?? "");
  }

  /** Counted only if it matters, since that takes a look at all pods of the namespace. */
  #earlierFailures(pod: Pod, plan: PodPlan): number {
    const { metadata, spec } = pod;
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (spec?.restartPolicy !== "Never" || !owner || !plan.countsRuns) return 0;
    const indexOf = ({ metadata }: Pod) => metadata?.annotations?.["batch.kubernetes.io/job-completion-index"];
    const created = metadata?.creationTimestamp ?? "";
    return this.#options.pods.list({ namespace: metadata?.namespace }).filter((other) =>
      other.status?.phase === "Failed" && other.metadata?.uid !== metadata?.uid && indexOf(other) === indexOf(pod) &&
      (other.metadata?.creationTimestamp ?? "") <= created &&
      other.metadata?.ownerReferences?.some(({ controller, uid }) => controller && uid === owner)
    ).length;
  }

  #clientOf({ node }: PodRecord): Client {
    return node.client ?? this.#options.client;
  }

  async #write(
    pod: Pod,
    record: PodRecord,
    before: Pod["status"] & object,
    after: Pod["status"] & object,
  ): Promise<void> {
    const { namespace, name = "", uid } = pod.metadata ?? {};
    const body = statusPatch(uid, before, after);
    if (!body) return;
    const { metadata } = await this.#clientOf(record).patchMetadata(PODS, { namespace, name }, {
      type: "strategic",
      body,
      subresource: "status",
      signal: this.#stop.signal,
    });
    record.wrote(before, after, metadata?.resourceVersion ?? "");
  }

  async #remove(pod: Pod, record: PodRecord): Promise<void> {
    const { namespace, name = "", uid } = pod.metadata ?? {};
    await this.#clientOf(record).delete(PODS, { namespace, name }, {
      gracePeriodSeconds: 0,
      preconditions: { uid },
      signal: this.#stop.signal,
    });
    record.isRemoved = true;
  }

  #tell(pod: Pod, { node }: PodRecord, news: readonly PodNews[]): void {
    const { events } = this.#options;
    if (!events) return;
    const about = referenceTo(pod, PODS);
    for (const { type, reason, message, which } of news) {
      const list = which &&
        {
          main: "containers",
          init: "initContainers",
          sidecar: "initContainers",
          ephemeral: "ephemeralContainers",
        }[which.role];
      const fieldPath = which && `spec.${list}{${which.container.name}}`;
      events.tell({ about: fieldPath ? { ...about, fieldPath } : about, type, reason, message, host: node.name });
    }
  }
}

function keyOf({ metadata }: Pod): string {
  return `${metadata?.namespace}/${metadata?.name}/${metadata?.uid}`;
}
