import { compareResourceVersions, type Pod, type PodStatus } from "../../api/mod.ts";
import type { SimulatedNode } from "./fleet.ts";
import type { PodRuntime } from "./pod_runtime.ts";
import { patched } from "./status_patch.ts";

/** What the simulator knows about a pod on one of its nodes. */
export class PodRecord {
  readonly node: SimulatedNode;
  runtime: PodRuntime;
  /** Whether DELETE was sent; finalizers may keep the pod. */
  isRemoved = false;
  #written: { readonly status: PodStatus; readonly resourceVersion: string } | undefined;

  constructor(node: SimulatedNode, runtime: PodRuntime) {
    this.node = node;
    this.runtime = runtime;
  }

  /** The newest known status: the one in the cache, unless a newer one was written. */
  statusOf(pod: Pod): PodStatus {
    const seen = pod.status ?? {};
    if (!this.#written) return seen;
    const order = compareResourceVersions(pod.metadata?.resourceVersion ?? "", this.#written.resourceVersion);
    if (order !== undefined && order < 0) return this.#written.status;
    this.#written = undefined; // the cache has it now
    return seen;
  }

  /** Records that a status was written. */
  wrote(before: PodStatus, after: PodStatus, resourceVersion: string): void {
    this.#written = { status: patched(before, after), resourceVersion };
  }
}
