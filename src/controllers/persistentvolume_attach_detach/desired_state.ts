import type { ObjectReference } from "../../api/mod.ts";
import type { VolumeSpec } from "../volumes/mod.ts";

/** A volume that pods want on a node. */
export interface DesiredVolume {
  readonly volume: string;
  readonly node: string;
  /** As the first of the pods described it. */
  readonly spec: VolumeSpec;
  /** By UID. */
  readonly pods: ReadonlyMap<string, ObjectReference>;
  /** Whether the pods were told that the volume is attached elsewhere. */
  isConflictReported: boolean;
}

type Entry = DesiredVolume & { readonly pods: Map<string, ObjectReference> };

/** Callbacks for changes. */
export interface DesiredStateOptions {
  /** A volume is wanted on a node, or is not any more. */
  onChange(volume: string, node: string): void;
  /** As `onChange`, with the description of the volume. */
  onCount(spec: VolumeSpec, by: 1 | -1): void;
}

/**
 * The wanted attachments of volumes. Upstream: `attachdetach/cache/desired_state_of_world.go`.
 *
 * Contract:
 * 1. A volume is wanted on a node as long as there is a pod that wants it there.
 * 2. Only nodes that were found to be managed have volumes; losing the annotation does not change that.
 * 3. A node that is gone is forgotten once nothing is wanted there.
 * 4. Lookups do not get slower as other volumes and nodes are added.
 */
export class DesiredState {
  readonly #onChange: DesiredStateOptions["onChange"];
  readonly #onCount: DesiredStateOptions["onCount"];
  /** By volume, then node. */
  readonly #volumes = new Map<string, Map<string, Entry>>();
  /** Managed nodes. */
  readonly #nodes = new Map<string, { volumes: number; isGone: boolean }>();
  readonly #byPod = new Map<string, Set<Entry>>();

  constructor({ onChange, onCount }: DesiredStateOptions) {
    this.#onChange = onChange;
    this.#onCount = onCount;
  }

  isManaged(node: string): boolean {
    return this.#nodes.has(node);
  }

  /** @returns Whether that is new. */
  manage(node: string): boolean {
    const known = this.#nodes.get(node);
    this.#nodes.set(node, { volumes: known?.volumes ?? 0, isGone: false });
    return known === undefined;
  }

  /** The node is gone. */
  forgetNode(node: string): void {
    const known = this.#nodes.get(node);
    if (known) known.isGone = true;
    if (known?.volumes === 0) this.#nodes.delete(node);
  }

  /** Does nothing for a node that is not managed, and for what is known already. */
  add({ volume, node, spec }: Pick<DesiredVolume, "volume" | "node" | "spec">, pod: ObjectReference): void {
    const there = this.#nodes.get(node);
    if (!there) return;
    const uid = pod.uid ?? "";
    const byNode = this.#volumes.get(volume) ?? new Map<string, Entry>();
    const known = byNode.get(node);
    if (known?.pods.has(uid)) return;
    const entry = known ?? { volume, node, spec, pods: new Map(), isConflictReported: false };
    entry.pods.set(uid, pod);
    this.#byPod.set(uid, (this.#byPod.get(uid) ?? new Set()).add(entry));
    if (known) return;
    this.#volumes.set(volume, byNode.set(node, entry));
    there.volumes++;
    this.#onCount(spec, 1);
    this.#onChange(volume, node);
  }

  /** Removes everything that the pod wants. */
  removePod(uid: string): void {
    const entries = this.#byPod.get(uid);
    this.#byPod.delete(uid);
    for (const entry of entries ?? []) {
      entry.pods.delete(uid);
      if (entry.pods.size === 0) this.#remove(entry);
    }
  }

  /** Removes a volume that no pod may get there. */
  removeVolume(volume: string, node: string): void {
    const entry = this.#volumes.get(volume)?.get(node);
    if (!entry) return;
    for (const uid of entry.pods.keys()) {
      const entries = this.#byPod.get(uid);
      entries?.delete(entry);
      if (entries?.size === 0) this.#byPod.delete(uid);
    }
    this.#remove(entry);
  }

  has(volume: string, node: string): boolean {
    return this.#volumes.get(volume)?.has(node) ?? false;
  }

  /** Where the volume is wanted, by node. */
  nodesOf(volume: string): ReadonlyMap<string, DesiredVolume> {
    return this.#volumes.get(volume) ?? NOWHERE;
  }

  /** The pods that want something, by UID. */
  *pods(): Iterable<ObjectReference> {
    for (const [uid, [{ pods }]] of this.#byPod) yield pods.get(uid)!;
  }

  *volumes(): Iterable<DesiredVolume> {
    for (const byNode of this.#volumes.values()) yield* byNode.values();
  }

  #remove({ volume, node, spec }: Entry): void {
    const byNode = this.#volumes.get(volume);
    byNode?.delete(node);
    if (byNode?.size === 0) this.#volumes.delete(volume);
    const there = this.#nodes.get(node)!;
    there.volumes--;
    if (there.isGone && there.volumes === 0) this.#nodes.delete(node);
    this.#onCount(spec, -1);
    this.#onChange(volume, node);
  }
}

const NOWHERE: ReadonlyMap<string, DesiredVolume> = new Map();
