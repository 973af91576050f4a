import { type Node, NODES } from "../../api/mod.ts";
import { removeTaints, swapTaints, type TaintWriter } from "../nodes/mod.ts";
import { NOT_READY_TAINT, type ReadyTaints, UNREACHABLE_TAINT } from "./ready_taints.ts";

/**
 * Taints nodes to evict their pods, and releases nodes from these taints.
 *
 * Contract:
 * 1. One node is tainted and released in the order of the calls, never at the same time.
 * 2. A node that was being tainted when it was to be released loses that taint too, though no cache shows it yet.
 * 3. Nothing is asked about a released node that has no such taint and was not tainted here since its last release.
 *
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (markNodeAsReachable), which leaves a taint
 * that is still on its way to the API server.
 */
export class NodeReleases {
  readonly #writer: TaintWriter;
  /** Operations in progress, by node name. */
  readonly #flying = new Map<string, Promise<void>>();
  /** Nodes tainted since they were last released: caches may not show it yet. */
  readonly #tainted = new Set<string>();

  constructor(writer: TaintWriter) {
    this.#writer = writer;
  }

  /** @throws {StatusError} If the taints could not be written. */
  async taint(node: Node, { wanted, opposite }: ReadyTaints): Promise<void> {
    this.#tainted.add(node.metadata?.name ?? "");
    await this.#inTurn(node, () => swapTaints(node, { added: [wanted], removed: [opposite] }, this.#writer));
  }

  /** @throws {StatusError} If a taint could not be removed. */
  async release(node: Node): Promise<void> {
    const name = node.metadata?.name ?? "";
    await this.#inTurn(node, async () => {
      const latest = this.#tainted.has(name) ? await this.#writer.client.get(NODES, { name }) : node;
      await removeTaints(latest, [UNREACHABLE_TAINT], this.#writer);
      await removeTaints(latest, [NOT_READY_TAINT], this.#writer);
      this.#tainted.delete(name);
    });
  }

  /** Forgets a node that is gone. */
  forget(name: string): void {
    this.#tainted.delete(name);
  }

  async #inTurn({ metadata }: Node, work: () => Promise<void>): Promise<void> {
    const name = metadata?.name ?? "";
    const before = this.#flying.get(name) ?? Promise.resolve();
    const own = before.catch(() => {}).then(work);
    this.#flying.set(name, own);
    try {
      await own;
    } finally {
      if (this.#flying.get(name) === own) this.#flying.delete(name);
    }
  }
}
