import { canonicalJson, joinKey, NOTHING, type Pod, type Selector, splitKey } from "../../../api/mod.ts";

/**
 * Which pods each autoscaler scales, so that two of them do not pull at the same ones.
 *
 * Contract:
 * 1. An autoscaler that was never looked at selects nothing.
 * 2. What is not registered gets no selector.
 *
 * Upstream: `pkg/controller/util/selectors`.
 */
export class SelectorRegistry {
  /** By namespace, then by name. */
  readonly #selectors = new Map<string, Map<string, Selector>>();

  /** How many autoscalers are registered. */
  get size(): number {
    let size = 0;
    for (const selectors of this.#selectors.values()) size += selectors.size;
    return size;
  }

  /** Makes an autoscaler known. */
  register(key: string): void {
    const { namespace, name } = splitKey(key);
    let selectors = this.#selectors.get(namespace);
    if (!selectors) this.#selectors.set(namespace, selectors = new Map());
    if (!selectors.has(name)) selectors.set(name, NOTHING);
  }

  /** Says what a registered autoscaler selects. */
  set(key: string, selector: Selector): void {
    const { namespace, name } = splitKey(key);
    const selectors = this.#selectors.get(namespace);
    if (selectors?.has(name)) selectors.set(name, selector);
  }

  delete(key: string): void {
    const { namespace, name } = splitKey(key);
    const selectors = this.#selectors.get(namespace);
    selectors?.delete(name);
    if (selectors?.size === 0) this.#selectors.delete(namespace);
  }

  /** The autoscalers of a namespace that select any of its pods: their keys, in order. */
  selecting(namespace: string, pods: readonly Pod[]): string[] {
    const selectors = this.#selectors.get(namespace) ?? new Map<string, Selector>();
    // Pods of one template are many, and alike.
    const distinct = new Map(pods.map(({ metadata }) => [canonicalJson(metadata?.labels ?? {}), metadata?.labels]));
    return [...selectors]
      .filter(([, selector]) => distinct.values().some((labels) => selector.matches(labels)))
      .map(([name]) => joinKey(namespace, name))
      .sort();
  }
}
