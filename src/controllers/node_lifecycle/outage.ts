import { type Node, NODES } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { serverSays, withTimeout } from "../running/mod.ts";
import type { LifecycleContext } from "./context.ts";
import { readyOf } from "./health.ts";

/** As long as a kubelet waits for an answer. */
const ANSWER_MS = 10_000;

/**
 * Finds out whether the API server is away while nodes seem to fall silent: they can't be heard then, however well they
 * are. Time in which it was away counts for none of them. Nothing is asked while any node was heard from within half
 * the grace.
 */
export class Outage {
  readonly #context: Pick<LifecycleContext, "world" | "client" | "time" | "healths" | "options">;
  /** When the server last answered, or a node was last heard of; in waking time, and absent unless it is away. */
  #sinceMs: number | undefined;
  #answeredMs = -Infinity;

  constructor(context: Pick<LifecycleContext, "world" | "client" | "time" | "healths" | "options">) {
    this.#context = context;
  }

  /** Whether the server was away when it was last asked. */
  get isOn(): boolean {
    return this.#sinceMs !== undefined;
  }

  /**
   * Asks of a node that is halfway to being late, if there is one. Never rejects. @returns Whether an outage has ended.
   */
  async check(nodes: readonly Node[], signal: AbortSignal): Promise<boolean> {
    const { healths, options, time } = this.#context;
    const nowMs = time.nowMs();
    const halfMs = options.nodeMonitorGracePeriodMs / 2;
    const heardMs = this.#lastHeardMs(nowMs);
    const isFallingSilent = (node: Node) => {
      const health = healths.get(node.metadata?.name ?? "");
      if (!health || readyOf(node)?.status === "Unknown") return false;
      return nowMs - health.probedMs > halfMs;
    };
    // A server that reports some nodes is reachable.
    const falling = nowMs - heardMs > halfMs ? nodes.find(isFallingSilent) : undefined;
    const wasOn = this.isOn;
    if (falling && !await this.#answers(falling, signal)) this.#sinceMs ??= Math.max(this.#answeredMs, heardMs);
    else {
      if (falling) this.#answeredMs = time.nowMs();
      this.#end();
    }
    return wasOn && !this.isOn;
  }

  #end(): void {
    const { healths, time } = this.#context;
    if (this.#sinceMs === undefined) return;
    const nowMs = time.nowMs();
    for (const [name, health] of healths) {
      const lostMs = nowMs - Math.max(this.#sinceMs, health.probedMs);
      if (lostMs > 0) healths.set(name, { ...health, probedMs: health.probedMs + lostMs });
    }
    this.#sinceMs = undefined;
  }

  /** When a node was last heard of. A grace that was lent lies in the future and does not count. */
  #lastHeardMs(nowMs: number): number {
    let lastMs = -Infinity;
    for (const { probedMs } of this.#context.healths.values()) {
      if (probedMs <= nowMs) lastMs = Math.max(lastMs, probedMs);
    }
    return lastMs;
  }

  async #answers({ metadata }: Node, signal: AbortSignal): Promise<boolean> {
    const { client, world: { clock } } = this.#context;
    const ref = { name: metadata?.name ?? "" };
    try {
      await withTimeout(
        { clock, signal, timeoutMs: ANSWER_MS },
        (limit) => client.get(NODES, ref, { signal: limit }), // not from the server's cache: nodes have to write, too
      );
      return true;
    } catch (error) {
      return serverSays(error, isNotFound);
    }
  }
}
