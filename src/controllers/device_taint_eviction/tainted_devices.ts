import { deepEqual } from "../../base/mod.ts";
import type { DeviceTaint, ResourceSlice } from "../../api/mod.ts";
import { deviceKey } from "./device_keys.ts";

/** What counts of a slice. */
interface Published {
  readonly generation: number;
  /** Evicting taints by the keys of devices that have some. */
  readonly taints: ReadonlyMap<string, readonly DeviceTaint[]>;
}

interface Pool {
  generation: number;
  /** By the slices' names. */
  readonly slices: Map<string, Published>;
}

const NONE: readonly DeviceTaint[] = [];

/**
 * The taints by which drivers evict pods from devices, as their ResourceSlices have them.
 *
 * Contract:
 * 1. Of a pool only the slices of the highest generation count; once they are gone, those of the next lower one do.
 * 2. Only taints with the effect `NoExecute` are kept, and nothing of devices without any.
 * 3. Each change names the devices whose taints differ from before, and no other device.
 * 4. A device that several slices of a generation taint has the taints of the one that came first.
 * 5. A pool without slices is forgotten.
 *
 * Upstream: `pkg/controller/devicetainteviction/device_taint_eviction.go` (pool), which takes any of several devices of
 * a name.
 */
export class TaintedDevices {
  readonly #pools = new Map<string, Pool>();
  /** What counts, by the keys of devices and the names of slices. */
  readonly #current = new Map<string, Map<string, readonly DeviceTaint[]>>();

  /** Pools that there are, and devices with taints. */
  get size(): { readonly pools: number; readonly devices: number } {
    return { pools: this.#pools.size, devices: this.#current.size };
  }

  taintsOf(device: string): readonly DeviceTaint[] {
    const [first = NONE] = this.#current.get(device)?.values() ?? [];
    return first;
  }

  /** Whether a slice counts, as one of the highest generation in its pool. */
  isCurrent(slice: ResourceSlice): boolean {
    return this.#pools.get(poolKey(slice))?.generation === slice.spec.pool.generation;
  }

  /**
   * Takes in what became of a slice.
   *
   * @returns The keys of the devices whose taints have changed.
   */
  change(before: ResourceSlice | undefined, after: ResourceSlice | undefined): string[] {
    const touched = new Map<string, readonly DeviceTaint[]>();
    if (before && after && poolKey(before) === poolKey(after)) {
      this.#changePool(poolKey(after), before, after, touched);
    } else {
      if (before) this.#changePool(poolKey(before), before, undefined, touched);
      if (after) this.#changePool(poolKey(after), undefined, after, touched);
    }
    return [...touched].filter(([device, taints]) => !deepEqual(taints, this.taintsOf(device))).map(([device]) =>
      device
    );
  }

  #changePool(
    key: string,
    before: ResourceSlice | undefined,
    after: ResourceSlice | undefined,
    touched: Map<string, readonly DeviceTaint[]>,
  ): void {
    const pool = this.#pools.get(key) ?? { generation: -Infinity, slices: new Map<string, Published>() };
    const generationBefore = pool.generation;
    const nameBefore = before?.metadata?.name ?? "";
    const publishedBefore = pool.slices.get(nameBefore);
    if (before) pool.slices.delete(nameBefore);
    const published = after && publishedBy(after);
    const name = after?.metadata?.name ?? "";
    if (published) pool.slices.set(name, published);
    pool.generation = -Infinity;
    for (const { generation } of pool.slices.values()) pool.generation = Math.max(pool.generation, generation);
    if (pool.slices.size > 0) this.#pools.set(key, pool);
    else this.#pools.delete(key);
    if (pool.generation === generationBefore) {
      if (publishedBefore?.generation === generationBefore) this.#hide(nameBefore, publishedBefore, touched);
      if (published?.generation === generationBefore) this.#show(name, published, touched);
      return;
    }
    if (publishedBefore?.generation === generationBefore) this.#hide(nameBefore, publishedBefore, touched);
    for (const [slice, each] of pool.slices) if (each.generation === generationBefore) this.#hide(slice, each, touched);
    for (const [slice, each] of pool.slices) if (each.generation === pool.generation) this.#show(slice, each, touched);
  }

  #hide(slice: string, { taints }: Published, touched: Map<string, readonly DeviceTaint[]>): void {
    for (const device of taints.keys()) {
      if (!touched.has(device)) touched.set(device, this.taintsOf(device));
      const found = this.#current.get(device);
      found?.delete(slice);
      if (found?.size === 0) this.#current.delete(device);
    }
  }

  #show(slice: string, { taints }: Published, touched: Map<string, readonly DeviceTaint[]>): void {
    for (const [device, each] of taints) {
      if (!touched.has(device)) touched.set(device, this.taintsOf(device));
      const found = this.#current.get(device) ?? new Map<string, readonly DeviceTaint[]>();
      this.#current.set(device, found.set(slice, each));
    }
  }
}

function poolKey({ spec: { driver, pool } }: ResourceSlice): string {
  return `${driver}/${pool.name}`;
}

function publishedBy({ spec: { driver, pool, devices } }: ResourceSlice): Published {
  const taints = new Map<string, readonly DeviceTaint[]>();
  for (const { name, taints: all } of devices ?? []) {
    const evicting = all?.filter(({ effect }) => effect === "NoExecute") ?? [];
    const key = deviceKey({ driver, pool: pool.name, device: name });
    if (evicting.length > 0) taints.set(key, [...taints.get(key) ?? [], ...evicting]);
  }
  return { generation: Number(pool.generation), taints };
}
