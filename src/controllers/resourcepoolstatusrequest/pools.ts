import type { PoolStatus, ResourcePoolStatusRequest, ResourceSlice, ResourceV1ResourceClaim } from "../../api/mod.ts";

/** The longest message of a condition. */
const LONGEST_ERROR_BYTES = 256;
const DEFAULT_LIMIT = 100;

/** A pool according to its slices of the newest generation. */
interface Pool {
  readonly driver: string;
  readonly name: string;
  generation: number;
  slices: number;
  devices: number;
  /** The expected number of slices, according to the first one. */
  expectedSlices: number;
  /** The node of all slices; empty if there is none, or several. */
  nodeName: string;
}

/** A request and the inventory. */
export interface PoolInventory {
  readonly spec: ResourcePoolStatusRequest["spec"];
  readonly slices: readonly ResourceSlice[];
  readonly claims: readonly ResourceV1ResourceClaim[];
}

/** Pools by driver and name. */
export interface PoolReport {
  /** The total count, which may exceed `pools`. */
  readonly count: number;
  readonly pools: readonly PoolStatus[];
}

/**
 * Counts the devices of the requested pools, in steps.
 * Upstream: `pkg/controller/resourcepoolstatusrequest/controller.go` (calculatePoolStatus).
 */
export function* reportPools({ spec, slices, claims }: PoolInventory): Generator<void, PoolReport> {
  const found = new Map<string, Pool>();
  for (const slice of slices) {
    if (isAskedFor(slice, spec)) count(slice, found);
    yield;
  }
  const allocated = new Map<string, number>();
  for (const { status } of claims) {
    for (const { driver, pool } of status?.allocation?.devices?.results ?? []) {
      const key = `${driver}/${pool}`;
      if (found.has(key)) allocated.set(key, (allocated.get(key) ?? 0) + 1);
    }
    yield;
  }
  // All are of one driver.
  const pools = [...found].toSorted(([, a], [, b]) => a.name < b.name ? -1 : 1);
  const reported = pools.slice(0, Math.max(0, spec.limit ?? DEFAULT_LIMIT));
  return { count: pools.length, pools: reported.map(([key, pool]) => statusOf(pool, allocated.get(key) ?? 0)) };
}

function isAskedFor({ spec }: ResourceSlice, { driver, poolName }: PoolInventory["spec"]): boolean {
  return spec.driver === driver && (!poolName || spec.pool.name === poolName);
}

function count({ spec }: ResourceSlice, found: Map<string, Pool>): void {
  const { driver, pool, nodeName = "", devices } = spec;
  const key = `${driver}/${pool.name}`;
  const before = found.get(key);
  if (before && pool.generation < before.generation) return;
  if (!before || pool.generation > before.generation) {
    found.set(key, {
      driver,
      name: pool.name,
      generation: pool.generation,
      slices: 1,
      devices: devices?.length ?? 0,
      expectedSlices: pool.resourceSliceCount,
      nodeName,
    });
    return;
  }
  before.slices++;
  before.devices += devices?.length ?? 0;
  if (before.nodeName !== nodeName) before.nodeName = "";
}

function statusOf(
  { driver, name, generation, slices, devices, expectedSlices, nodeName }: Pool,
  allocated: number,
): PoolStatus {
  const identity = { driver, poolName: name, generation, ...nodeName && { nodeName } };
  if (slices < expectedSlices) {
    const seen = `observed ${slices}/${expectedSlices} slices at generation ${generation}`;
    const validationError = `pool ${driver}/${name} is incomplete: ${seen}`.slice(0, LONGEST_ERROR_BYTES);
    return { ...identity, validationError };
  }
  return {
    ...identity,
    resourceSliceCount: slices,
    totalDevices: devices,
    allocatedDevices: allocated,
    availableDevices: Math.max(0, devices - allocated),
    unavailableDevices: 0,
  };
}
