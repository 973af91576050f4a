import { parseLabelSelector, type Pod, Quantity, type QuantityValue, type Selector } from "../../api/mod.ts";
import type { Measured } from "./served_metrics.ts";

/** Amounts by resource, `{ cpu: "250m", memory: "64Mi" }`, or `none` if there are no measurements. */
export type UsageAmounts = Readonly<Record<string, QuantityValue>> | "none";

export interface PodUsage extends Measured {
  readonly namespace: string;
  /** A single pod; without it, those that `labelSelector` matches, now or later, or all in the namespace. */
  readonly name?: string;
  readonly labelSelector?: string;
  /** One of the containers; without it, each container uses this much. */
  readonly container?: string;
  readonly usage: UsageAmounts;
}

/** The usage of a node. */
export interface NodeUsage extends Measured {
  readonly name: string;
  readonly usage: UsageAmounts;
}

/** The usage set for a container or a node. */
export interface SetUsage extends Measured {
  /** Empty if there are no measurements. */
  readonly usage: ReadonlyMap<string, Quantity>;
}

interface PodRule extends SetUsage {
  readonly target: PodUsage;
  readonly selector: Selector;
}

/**
 * The usage that tests set for pods and nodes.
 *
 * Contract:
 * 1. The last value set for a container counts.
 * 2. A new value for the same pods and container replaces the old one.
 */
export class UsageSettings {
  readonly #pods = new Map<string, PodRule>();
  readonly #nodes = new Map<string, SetUsage>();

  /** @throws {QuantityError | SelectorError} If an amount or the selector is invalid. */
  setPod(target: PodUsage): void {
    const { namespace, name, labelSelector = "", container, usage, timestamp, windowMs } = target;
    const rule = { target, selector: parseLabelSelector(labelSelector), usage: amountsOf(usage), timestamp, windowMs };
    const key = JSON.stringify([namespace, name, labelSelector, container]);
    this.#pods.delete(key);
    this.#pods.set(key, rule);
  }

  /** @throws {QuantityError} If an amount is invalid. */
  setNode({ name, usage, timestamp, windowMs }: NodeUsage): void {
    this.#nodes.set(name, { usage: amountsOf(usage), timestamp, windowMs });
  }

  ofContainer({ metadata }: Pod, container: string): SetUsage | undefined {
    return [...this.#pods.values()].findLast(({ target, selector }) =>
      target.namespace === metadata?.namespace && (target.container ?? container) === container &&
      (target.name ?? metadata.name) === metadata.name && selector.matches(metadata.labels)
    );
  }

  ofNode(name: string): SetUsage | undefined {
    return this.#nodes.get(name);
  }

  clear(): void {
    this.#pods.clear();
    this.#nodes.clear();
  }
}

function amountsOf(usage: UsageAmounts): ReadonlyMap<string, Quantity> {
  if (usage === "none") return new Map();
  return new Map(Object.entries(usage).map(([name, amount]) => [name, Quantity.parse(amount)]));
}
