import { canonicalJson } from "../../base/mod.ts";
import { joinKey, type Labels, NOTHING, type Pod, type Selector, splitKey } from "../../api/mod.ts";

/**
 * Which pods each autoscaler scales, so that no two of them scale the same ones.
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

  /** Registers an autoscaler. */
  register(key: string): void {
    const { namespace, name } = splitKey(key);
    let selectors = this.#selectors.get(namespace);
    if (!selectors) this.#selectors.set(namespace, selectors = new Map());
    if (!selectors.has(name)) selectors.set(name, NOTHING);
  }

  /** Sets the selector of a registered autoscaler. */
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

  /**
   * The keys of a namespace's autoscalers that select any of these pods, in order. One step per pod, and per autoscaler
   * and pod.
   */
  *selecting(namespace: string, pods: readonly Pod[]): Generator<void, string[]> {
    const selectors = this.#selectors.get(namespace) ?? new Map<string, Selector>();
    // Pods of one template have equal labels.
    const distinct = new Map<string, Labels | undefined>();
    for (const { metadata } of pods) {
      yield;
      distinct.set(canonicalJson(metadata?.labels ?? {}), metadata?.labels);
    }
    const found: string[] = [];
    for (const [name, selector] of selectors) {
      for (const labels of distinct.values()) {
        yield;
        if (!selector.matches(labels)) continue;
        found.push(joinKey(namespace, name));
        break;
      }
    }
    return found.sort();
  }
}
