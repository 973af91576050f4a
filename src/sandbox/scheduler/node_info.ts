import type { Node } from "../../api/mod.ts";
import { allocatableOf, type HostPort, NodeRoom, portsConflict } from "../common/mod.ts";
import type { PodInfo } from "./pod_info.ts";

const ZONE = "topology.kubernetes.io/zone";

/** A node with the totals of its present and expected pods. Upstream: `pkg/scheduler/framework` (NodeInfo). */
export class NodeInfo {
  readonly name: string;
  /** Absent while pods name a node that is not known yet. */
  node: Node | undefined;
  readonly room: NodeRoom = new NodeRoom();
  readonly #pods = new Map<string, PodInfo>();
  readonly #withPorts = new Map<string, PodInfo>();

  constructor(name: string) {
    this.name = name;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.node?.metadata?.labels ?? {};
  }

  get zone(): string {
    return this.labels[ZONE] ?? "";
  }

  get isEmpty(): boolean {
    return this.#pods.size === 0;
  }

  see(node: Node | undefined): void {
    this.node = node;
    if (node) this.room.allocatable = allocatableOf(node);
  }

  put(pod: PodInfo): void {
    this.#pods.set(pod.uid, pod);
    this.room.put(pod.uid, pod.requests);
    if (pod.ports.length > 0) this.#withPorts.set(pod.uid, pod);
  }

  take(uid: string): void {
    this.#pods.delete(uid);
    this.room.take(uid);
    this.#withPorts.delete(uid);
  }

  hasFree(ports: readonly HostPort[]): boolean {
    if (ports.length === 0) return true;
    for (const pod of this.#withPorts.values()) {
      if (pod.ports.some((taken) => ports.some((wanted) => portsConflict(taken, wanted)))) return false;
    }
    return true;
  }
}
