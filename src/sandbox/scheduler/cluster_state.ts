import {
  joinKey,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from "../../api/mod.ts";
import { NodeInfo } from "./node_info.ts";
import type { AffinityTerm, NamespaceLabels, PodInfo } from "./pod_info.ts";
import { change, Tallies, type Tally, type TallyQuery } from "./tallies.ts";

/** Looks up volumes. */
export interface VolumeView {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** The volumes of a class that any claim may take. */
  freeVolumes(storageClass: string): readonly PersistentVolume[];
  /** The volumes that refer to a claim. */
  volumesNaming(namespace: string, claim: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
}

/** The state from which a node is chosen. */
export interface Snapshot {
  /** All nodes, sorted by name. */
  readonly nodes: readonly NodeInfo[];
  readonly volumes: VolumeView;
  readonly labelsOf: NamespaceLabels;
  node(name: string): NodeInfo | undefined;
  tally(query: TallyQuery): Tally;
  /** The required anti-affinity terms of existing pods, and the nodes of the pods with each term. */
  antiAffinity(): Iterable<{ readonly term: AffinityTerm; readonly nodes: Tally }>;
  /** The number of pods of a controller on each node. */
  spreadOf(controller: string): Tally;
  /** Whether a placed pod uses a claim. */
  isClaimUsed(namespace: string, name: string): boolean;
}

const NO_TALLY: Tally = new Map();
const NO_VOLUMES: VolumeView = {
  claim: () => undefined,
  volume: () => undefined,
  freeVolumes: () => [],
  volumesNaming: () => [],
  storageClass: () => undefined,
};

export interface ClusterStateOptions {
  readonly volumes?: VolumeView;
  readonly labelsOf?: NamespaceLabels;
}

/**
 * Nodes and their pods as the scheduler sees them: what the API server reported, plus its own decisions that the server
 * has not reported yet.
 *
 * Contract:
 * 1. A pod counts on one node: the one it was put on last.
 * 2. Every total is updated by the change of one pod or node; none is counted again.
 * 3. A pod on an unknown node counts from when the node is known.
 *
 * Upstream: `pkg/scheduler/backend/cache`.
 */
export class ClusterState implements Snapshot {
  readonly volumes: VolumeView;
  readonly labelsOf: NamespaceLabels;
  readonly #byName = new Map<string, NodeInfo>();
  /** The node of each pod that counts, by the pod's uid. */
  readonly #places = new Map<string, { readonly node: NodeInfo; readonly pod: PodInfo }>();
  readonly #tallies = new Tallies(() => this.#allPods());
  readonly #terms = new Map<string, { readonly term: AffinityTerm; readonly nodes: Map<string, number> }>();
  readonly #controllers = new Map<string, Map<string, number>>();
  /** The number of pods that use a claim, by its key. */
  readonly #claims = new Map<string, number>();
  #ordered: readonly NodeInfo[] | undefined;

  constructor({ volumes = NO_VOLUMES, labelsOf = () => undefined }: ClusterStateOptions = {}) {
    this.volumes = volumes;
    this.labelsOf = labelsOf;
  }

  get nodes(): readonly NodeInfo[] {
    this.#ordered ??= [...this.#byName.values()].filter(({ node }) => node)
      .sort((a, b) => a.name < b.name ? -1 : 1);
    return this.#ordered;
  }

  node(name: string): NodeInfo | undefined {
    return this.#byName.get(name);
  }

  tally(query: TallyQuery): Tally {
    return this.#tallies.of(query);
  }

  antiAffinity(): Iterable<{ readonly term: AffinityTerm; readonly nodes: Tally }> {
    return this.#terms.values();
  }

  spreadOf(controller: string): Tally {
    return this.#controllers.get(controller) ?? NO_TALLY;
  }

  isClaimUsed(namespace: string, name: string): boolean {
    return this.#claims.has(joinKey(namespace, name));
  }

  putNode(node: Node): void {
    const info = this.#info(node.metadata?.name ?? "");
    if (!info.node) this.#ordered = undefined;
    info.see(node);
  }

  removeNode(name: string): void {
    const info = this.#byName.get(name);
    if (!info) return;
    this.#ordered = undefined;
    info.see(undefined);
    if (info.isEmpty) this.#byName.delete(name);
  }

  /** Records that a pod is or will be on a node. */
  putPod(pod: PodInfo, nodeName: string): void {
    this.removePod(pod.uid);
    const node = this.#info(nodeName);
    node.put(pod);
    this.#places.set(pod.uid, { node, pod });
    this.#count(pod, nodeName, 1);
  }

  removePod(uid: string): void {
    const place = this.#places.get(uid);
    if (!place) return;
    this.#places.delete(uid);
    place.node.take(uid);
    this.#count(place.pod, place.node.name, -1);
    if (place.node.isEmpty && !place.node.node) this.#byName.delete(place.node.name);
  }

  /** The node that a pod is or will be on. */
  placeOf(uid: string): string | undefined {
    return this.#places.get(uid)?.node.name;
  }

  /** Forgets counts that depend on the labels of namespaces. */
  namespacesChanged(): void {
    this.#tallies.clear();
  }

  #count(pod: PodInfo, node: string, by: 1 | -1): void {
    this.#tallies.change(node, pod, by);
    for (const term of pod.antiAffinity) {
      let entry = this.#terms.get(term.key);
      if (!entry) this.#terms.set(term.key, entry = { term, nodes: new Map() });
      change(entry.nodes, node, by);
      if (entry.nodes.size === 0) this.#terms.delete(term.key);
    }
    for (const name of pod.claims) change(this.#claims, joinKey(pod.namespace, name), by);
    if (!pod.controller) return;
    let counts = this.#controllers.get(pod.controller);
    if (!counts) this.#controllers.set(pod.controller, counts = new Map());
    change(counts, node, by);
    if (counts.size === 0) this.#controllers.delete(pod.controller);
  }

  #info(name: string): NodeInfo {
    let info = this.#byName.get(name);
    if (!info) this.#byName.set(name, info = new NodeInfo(name));
    return info;
  }

  *#allPods(): Iterable<readonly [node: string, pod: PodInfo]> {
    for (const { node, pod } of this.#places.values()) yield [node.name, pod];
  }
}
