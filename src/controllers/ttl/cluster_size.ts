/**
 * The range of cluster sizes, in nodes, for a TTL; neighbouring ranges overlap, so that one node more or less does not
 * flip it back and forth.
 */
interface Step {
  readonly min: number;
  readonly max: number;
  readonly seconds: number;
}

const STEPS: readonly Step[] = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: 2 ** 31 - 1, seconds: 300 },
];

/**
 * How long kubelets may cache Secrets and ConfigMaps, by the number of nodes: the larger the cluster, the longer, to
 * limit the load on the API server.
 *
 * Contract:
 * 1. A node more than a step's most goes one step up, a node fewer than its least one step down.
 * 2. In between the time stays as it is.
 *
 * Upstream: `pkg/controller/ttl/ttl_controller.go` (addNode, deleteNode).
 *
 * @example
 * ```ts
 * import { ClusterSize } from "./cluster_size.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const size = new ClusterSize();
 * for (let i = 0; i < 101; i++) size.add();
 * assertEquals(size.ttlSeconds, 15);
 * ```
 */
export class ClusterSize {
  #nodes = 0;
  #step = 0;

  /** The TTL that every node should have now. */
  get ttlSeconds(): number {
    return STEPS[this.#step].seconds;
  }

  add(): void {
    if (++this.#nodes > STEPS[this.#step].max) this.#step++;
  }

  remove(): void {
    if (--this.#nodes < STEPS[this.#step].min) this.#step--;
  }
}
