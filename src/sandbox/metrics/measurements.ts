import { isConditionTrue, type Node, type Pod, type Quantity } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { usageOfContainers } from "../nodes/mod.ts";
import type { UsageSettings } from "./usage_settings.ts";

/** The usage of a pod or node, and when it was measured. */
export interface UsageMeasurement {
  readonly usage: ReadonlyMap<string, Quantity>;
  /** In milliseconds since 1970. */
  readonly atMs: number;
  readonly windowMs: number;
}

/** The usage of a pod's containers. */
export interface PodMeasurement extends Omit<UsageMeasurement, "usage"> {
  readonly containers: readonly { readonly name: string; readonly usage: ReadonlyMap<string, Quantity> }[];
}

type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** How often metrics-server measures: its `--metric-resolution`. */
const RESOLUTION_MS = 15_000;

/**
 * Measures pods and nodes.
 *
 * Contract:
 * 1. A value set by a test counts from then on, also for pods that do not run yet.
 * 2. Otherwise a container has a measurement every 15 seconds, the first one 15 seconds after its start.
 * 3. A pod is measured if each of its running containers is.
 * 4. There are no measurements of a node that is not ready, nor of its pods.
 * 5. A node uses what its pods use.
 */
export class Measurements {
  readonly #world: World;
  readonly #pods: Lister<Pod>;
  readonly #nodes: Lister<Node>;
  readonly #settings: UsageSettings;

  constructor({ world, pods, nodes, settings }: {
    readonly world: World;
    readonly pods: Lister<Pod>;
    readonly nodes: Lister<Node>;
    readonly settings: UsageSettings;
  }) {
    this.#world = world;
    this.#pods = pods;
    this.#nodes = nodes;
    this.#settings = settings;
  }

  ofPod(pod: Pod): PodMeasurement | undefined {
    const derived = this.#derived(pod);
    const said = (pod.spec?.containers ?? []).flatMap(({ name }) => {
      const set = this.#settings.ofContainer(pod, name);
      return set ? [{ name, set }] : [];
    });
    if (said.length === 0) return derived;
    const rest = derived?.containers.filter(({ name }) => !said.some((each) => each.name === name)) ?? [];
    const told = said.filter(({ set }) => set.usage.size > 0);
    const containers = [...told.map(({ name, set }) => ({ name, usage: set.usage })), ...rest];
    // A pod is measured only as a whole.
    if (told.length < said.length || containers.length === 0) return undefined;
    const { timestamp, windowMs } = told[0].set;
    return { containers, ...this.#when(timestamp, windowMs) };
  }

  /** The pods by node, for {@link ofNode}. */
  podsByNode(): PodsByNode {
    return Map.groupBy(this.#pods.list(), ({ spec }) => spec?.nodeName ?? "");
  }

  ofNode({ metadata, status }: Node, podsByNode: PodsByNode): UsageMeasurement | undefined {
    const name = metadata?.name ?? "";
    const set = this.#settings.ofNode(name);
    if (set) {
      return set.usage.size > 0 ? { usage: set.usage, ...this.#when(set.timestamp, set.windowMs) } : undefined;
    }
    if (!isConditionTrue(status?.conditions, "Ready")) return undefined;
    const containers = (podsByNode.get(name) ?? []).flatMap((pod) => this.ofPod(pod)?.containers ?? []);
    return { usage: sumOf(containers.map(({ usage }) => usage)), ...this.#when() };
  }

  #when(timestamp?: Date, windowMs = RESOLUTION_MS): { readonly atMs: number; readonly windowMs: number } {
    return { atMs: timestamp?.getTime() ?? this.#world.clock.wallMs(), windowMs };
  }

  #derived(pod: Pod): PodMeasurement | undefined {
    const node = this.#nodes.get(undefined, pod.spec?.nodeName ?? "");
    if (!isConditionTrue(node?.status?.conditions, "Ready")) return undefined;
    const running = usageOfContainers(pod);
    const nowMs = this.#world.clock.wallMs();
    const isKnown = running.every(({ startedMs, usage }) => usage.size > 0 && nowMs >= startedMs + RESOLUTION_MS);
    if (!isKnown || running.length === 0) return undefined;
    const startedMs = Math.max(...running.map((each) => each.startedMs));
    const atMs = nowMs - (nowMs - startedMs) % RESOLUTION_MS;
    return { containers: running.map(({ name, usage }) => ({ name, usage })), atMs, windowMs: RESOLUTION_MS };
  }
}

/** Totals by resource. */
export function sumOf(usages: readonly ReadonlyMap<string, Quantity>[]): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const [name, amount] of usages.flatMap((usage) => [...usage])) {
    sums.set(name, sums.get(name)?.add(amount) ?? amount);
  }
  return sums;
}
