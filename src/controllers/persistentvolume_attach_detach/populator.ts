import type { Pod } from "../../api/mod.ts";
import type { TurnBudget, World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { isVolumeTerminated, type PodVolume } from "../pod_volumes/mod.ts";
import { volumeOfPod, type VolumeSpec } from "../volumes/mod.ts";
import { attachablePlugin } from "./attachable.ts";
import { type AttachMetrics, pluginLabel } from "./metrics.ts";
import { notingPod, type WantingContext } from "./pod_volumes.ts";

/** How often everything is checked. */
export const POPULATOR_PERIOD_MS = 60_000;
/** How often all pods are. */
const PODS_PERIOD_MS = 180_000;

/** What a {@link Populator} reads. */
export interface PopulatorContext extends WantingContext {
  readonly world: Pick<World, "clock">;
  readonly podLister: Pick<Lister<Pod>, "get" | "list">;
  readonly metrics: Pick<AttachMetrics, "inUse">;
}

/**
 * Finds changes without events: pods that are gone or ended, volumes that no longer need attaching and, every three
 * minutes, pods whose volumes were unknown. Upstream: `attachdetach/populator`.
 */
export class Populator {
  readonly #context: PopulatorContext;
  readonly #budget: TurnBudget;
  #podsAtMs: number;
  /** Series of the metric that counts volumes in use, by what they are labelled with. */
  #shown = new Map<string, readonly [node: string, plugin: string]>();

  constructor(context: PopulatorContext, budget: TurnBudget) {
    this.#context = context;
    this.#budget = budget;
    this.#podsAtMs = context.world.clock.monotonicMs();
  }

  /** @param looksAtPods Looks at all pods, whether it is time for that or not. */
  async pass(looksAtPods: boolean): Promise<void> {
    await this.#budget.run(this.#steps(looksAtPods));
  }

  *#steps(looksAtPods: boolean): Generator<void, void> {
    const { desired, podLister, world } = this.#context;
    for (const { namespace, name = "", uid = "" } of [...desired.pods()]) {
      const pod = podLister.get(namespace, name);
      if (pod?.metadata?.uid !== uid || isVolumeTerminated(pod)) desired.removePod(uid);
      yield;
    }
    for (const { volume, node, spec } of [...desired.volumes()]) {
      if (!this.#isAttachable(spec)) desired.removeVolume(volume, node);
      yield;
    }
    const nowMs = world.clock.monotonicMs();
    const isTimeForPods = looksAtPods || nowMs - this.#podsAtMs >= PODS_PERIOD_MS;
    if (isTimeForPods) this.#podsAtMs = nowMs;
    const counts = new Map<string, Map<string, number>>();
    for (const pod of podLister.list()) {
      if (isTimeForPods && !isVolumeTerminated(pod)) yield* notingPod(pod, this.#context);
      yield* this.#count(pod, counts);
      yield;
    }
    this.#show(counts);
  }

  #isAttachable(spec: VolumeSpec): boolean {
    try {
      return attachablePlugin(spec, this.#context) !== undefined;
    } catch {
      return true; // its driver is not there at the moment; the volume may be in use all the same
    }
  }

  *#count(pod: Pod, counts: Map<string, Map<string, number>>): Generator<void, void> {
    const node = pod.spec?.nodeName;
    if (!node) return;
    for (const podVolume of pod.spec?.volumes ?? []) {
      const label = this.#labelOf(pod, podVolume);
      yield;
      if (!label) continue;
      const byPlugin = counts.get(node) ?? new Map<string, number>();
      counts.set(node, byPlugin.set(label, (byPlugin.get(label) ?? 0) + 1));
    }
  }

  #labelOf(pod: Pod, podVolume: PodVolume): string | undefined {
    try {
      const spec = volumeOfPod(pod, podVolume, this.#context);
      const plugin = this.#context.plugins.find(spec);
      return plugin && pluginLabel(plugin, spec);
    } catch {
      return undefined; // its claim or volume is not known
    }
  }

  #show(counts: ReadonlyMap<string, ReadonlyMap<string, number>>): void {
    const { inUse } = this.#context.metrics;
    const shown = new Map<string, readonly [string, string]>();
    for (const [node, byPlugin] of counts) {
      for (const [plugin, count] of byPlugin) {
        inUse.set(count, [node, plugin]);
        shown.set(`${node} ${plugin}`, [node, plugin]);
      }
    }
    for (const [key, labels] of this.#shown) if (!shown.has(key)) inUse.remove(labels);
    this.#shown = shown;
  }
}
