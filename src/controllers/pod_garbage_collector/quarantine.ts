import type { MetricsRegistry, World } from "../../base/mod.ts";
import { NODES } from "../../api/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { DelayingQueue } from "../../workqueue/mod.ts";
import { serverSays } from "../running/mod.ts";

/** How long to wait for a node that the cache lacks before asking the API server. */
const QUARANTINE_MS = 40_000;

/** Options of {@link NodeQuarantine}. */
export interface NodeQuarantineOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly client: Pick<Client, "getMetadata">;
}

/**
 * Nodes that seem to be gone.
 *
 * Contract:
 * 1. A node is looked up when 40 s have passed since it was first missed, and at no other time.
 * 2. A node is gone only if the API server says that it does not exist; any other failure proves nothing.
 * 3. A node that turned up meanwhile, or about which nothing could be learned, starts over if it is missed again.
 *
 * Upstream: `pkg/controller/podgc/gc_controller.go` (discoverDeletedNodes).
 */
export class NodeQuarantine {
  readonly #options: NodeQuarantineOptions;
  readonly #queue: DelayingQueue;

  constructor(options: NodeQuarantineOptions) {
    const { world, metrics } = options;
    this.#options = options;
    this.#queue = new DelayingQueue({ world, metrics, name: "orphaned_pods_nodes" });
  }

  add(node: string): void {
    this.#queue.addAfter(node, QUARANTINE_MS);
  }

  /**
   * Checks the nodes whose quarantine is over.
   *
   * @param present Nodes that are there, by the cache.
   * @returns Names of those that are gone.
   */
  async release(present: ReadonlySet<string>): Promise<Set<string>> {
    const gone = new Set<string>();
    while (this.#queue.length > 0) {
      const item = await this.#queue.get();
      if (!item) break;
      if (!present.has(item.key) && await this.#isGone(item.key)) gone.add(item.key);
      this.#queue.done(item.key);
    }
    return gone;
  }

  shutDown(): void {
    this.#queue.shutDown();
  }

  async #isGone(name: string): Promise<boolean> {
    const { client, world: { log } } = this.#options;
    try {
      await client.getMetadata(NODES, { name });
      return false;
    } catch (error) {
      if (serverSays(error, isNotFound)) return true;
      log.error("Error while getting node", { err: error, node: name });
      return false;
    }
  }
}
