import type { ResourceV1beta2DeviceTaintRule } from "../../api/mod.ts";
import type { DeviceAddress } from "./device_keys.ts";

export type Rule = ResourceV1beta2DeviceTaintRule;

/** Whether a rule evicts at all. */
export function evicts({ spec }: Rule): boolean {
  return spec.taint.effect === "NoExecute";
}

/**
 * Whether a rule is about this device: all that it names has to be the device's. One without a selector is about none.
 */
export function matchesDevice({ spec: { deviceSelector } }: Rule, { driver, pool, device }: DeviceAddress): boolean {
  if (!deviceSelector) return false;
  const is = (wanted: string | undefined, name: string) => wanted === undefined || wanted === name;
  return is(deviceSelector.driver, driver) && is(deviceSelector.pool, pool) && is(deviceSelector.device, device);
}

/**
 * The DeviceTaintRules that evict, found by device: thousands of rules, each about one device, cost a claim no more
 * than a few.
 *
 * Contract:
 * 1. A device has the rules that match it and whose effect is `NoExecute`.
 * 2. A rule that is deleted, or no longer evicts, is not found.
 */
export class EvictingRules {
  /** By what the rules select, then by name. */
  readonly #bySelector = new Map<string, Map<string, Rule>>();

  /** Takes in what became of a rule. */
  change(before: Rule | undefined, after: Rule | undefined): void {
    if (before) this.#remove(before);
    if (!after?.spec.deviceSelector || !evicts(after)) return;
    const key = selectorKey(after);
    const rules = this.#bySelector.get(key) ?? new Map<string, Rule>();
    this.#bySelector.set(key, rules.set(after.metadata?.name ?? "", after));
  }

  matching({ driver, pool, device }: DeviceAddress): Rule[] {
    if (this.#bySelector.size === 0) return [];
    const found: Rule[] = [];
    for (const someDriver of [driver, undefined]) {
      for (const somePool of [pool, undefined]) {
        for (const someDevice of [device, undefined]) {
          const rules = this.#bySelector.get(keyOf(someDriver, somePool, someDevice));
          if (rules) found.push(...rules.values());
        }
      }
    }
    return found;
  }

  #remove(rule: Rule): void {
    const key = selectorKey(rule);
    const rules = this.#bySelector.get(key);
    rules?.delete(rule.metadata?.name ?? "");
    if (rules?.size === 0) this.#bySelector.delete(key);
  }
}

function selectorKey({ spec: { deviceSelector } }: Rule): string {
  return keyOf(deviceSelector?.driver, deviceSelector?.pool, deviceSelector?.device);
}

function keyOf(...names: readonly (string | undefined)[]): string {
  return names.map((name) => name ?? "*").join(" ");
}
