import { type Node, NODES } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { serverSays, withTimeout } from "../running/mod.ts";
import type { LifecycleContext } from "./context.ts";
import { readyOf } from "./health.ts";

/** So long an answer is waited for. */
const ANSWER_MS = 5_000;

/**
 * Finds out whether the API server is away while nodes seem to fall silent: they can't be heard then, however well they are. Time in
 * which it was away counts for none of them. Nothing is asked while every node has been heard of within half of its grace.
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

  /** Asks of a node that is halfway to being late, if there is one. Never rejects. @returns Whether an outage has ended. */
  async check(nodes: readonly Node[], signal: AbortSignal): Promise<boolean> {
    const { healths, options, time } = this.#context;
    const nowMs = time.nowMs();
    const isFallingSilent = (node: Node) => {
      const health = healths.get(node.metadata?.name ?? "");
      if (!health || readyOf(node)?.status === "Unknown") return false;
      return nowMs - health.probedMs > options.nodeMonitorGracePeriodMs / 2;
    };
    const falling = nodes.find(isFallingSilent);
    const wasOn = this.isOn;
    if (!falling) this.#sinceMs = undefined;
    else if (await this.#answers(falling, signal)) this.#end();
    else this.#sinceMs ??= this.#lastHeardMs();
    return wasOn && !this.isOn;
  }

  #end(): void {
    const { healths, time } = this.#context;
    const nowMs = this.#answeredMs = time.nowMs();
    if (this.#sinceMs === undefined) return;
    for (const [name, health] of healths) {
      const lostMs = nowMs - Math.max(this.#sinceMs, health.probedMs);
      if (lostMs > 0) healths.set(name, { ...health, probedMs: health.probedMs + lostMs });
    }
    this.#sinceMs = undefined;
  }

  #lastHeardMs(): number {
    let lastMs = this.#answeredMs;
    for (const { probedMs } of this.#context.healths.values()) lastMs = Math.max(lastMs, probedMs);
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
