import type { Counter, Gauge, Histogram, MetricOptions, MetricsRegistry } from "../../base/mod.ts";

const BUCKETS = Array.from({ length: 15 }, (_, n) => 2 * 2 ** n);

/** Endpoints and slices of one set of ports. */
interface Group {
  readonly endpoints: number;
  readonly slices: number;
}

interface Totals {
  readonly endpoints: number;
  readonly slices: number;
  readonly desiredSlices: number;
}

/** What {@link SliceCounts} needs. */
export interface SliceCountsOptions {
  readonly metrics: MetricsRegistry;
  /** The prefix of the metrics' names, such as `endpoint_slice_controller`. */
  readonly subsystem: string;
  /** The owner's kind in descriptions. */
  readonly of: "Service" | "Endpoints";
  readonly stability: MetricOptions["stability"];
  /** Endpoints that fit into a slice. */
  readonly mostEndpoints: number;
  /** Slices that an owner has even without endpoints. */
  readonly fewestSlices: 0 | 1;
}

/**
 * Counts endpoints and slices of all Services, for the metrics that both controllers of slices have.
 *
 * Contract:
 * 1. Gauges show the sum over all owners of what was last counted of each.
 * 2. An owner that is forgotten counts no more.
 *
 * Upstream: `k8s.io/endpointslice/metrics`, `pkg/controller/endpointslicemirroring/metrics`.
 */
export class SliceCounts {
  readonly #options: SliceCountsOptions;
  readonly #added: Histogram;
  readonly #removed: Histogram;
  readonly #changes: Counter;
  readonly #gauges: Readonly<Record<keyof Totals, Gauge>>;
  readonly #owners = new Map<string, Totals>();
  #sum: Totals = { endpoints: 0, slices: 0, desiredSlices: 0 };

  constructor(options: SliceCountsOptions) {
    this.#options = options;
    const { metrics, subsystem, of, stability } = options;
    const named = (name: string, help: string) => ({ name: `${subsystem}_${name}`, help, stability });
    const perSync = (what: string) =>
      metrics.histogram({
        ...named(`endpoints_${what}_per_sync`, `Number of endpoints ${what} on each ${of} sync`),
        buckets: BUCKETS,
      });
    this.#added = perSync("added");
    this.#removed = perSync("removed");
    this.#changes = metrics.counter({
      ...named("changes", "Number of EndpointSlice changes"),
      stability: "ALPHA",
      labels: ["operation"],
    });
    this.#gauges = {
      endpoints: metrics.gauge(named("endpoints_desired", "Number of endpoints desired")),
      slices: metrics.gauge(named("num_endpoint_slices", "Number of EndpointSlices")),
      desiredSlices: metrics.gauge(
        named(
          "desired_endpoint_slices",
          "Number of EndpointSlices that would exist with perfect endpoint allocation",
        ),
      ),
    };
  }

  /** How many owners are counted. */
  get size(): number {
    return this.#owners.size;
  }

  /** One slice was written. */
  changed(operation: "create" | "update" | "delete"): void {
    this.#changes.inc([operation]);
  }

  /** Records what one sync of an owner changes. */
  synced({ added, removed }: { readonly added: number; readonly removed: number }): void {
    this.#added.observe(added);
    this.#removed.observe(removed);
  }

  /**
   * Replaces an owner's counts.
   * @param key `namespace/name`.
   */
  count(key: string, groups: Iterable<Group>): void {
    const { mostEndpoints, fewestSlices } = this.#options;
    let [endpoints, slices, desiredSlices] = [0, 0, 0];
    for (const group of groups) {
      endpoints += group.endpoints;
      slices += group.slices;
      desiredSlices += Math.ceil(group.endpoints / mostEndpoints);
    }
    this.#replace(key, { endpoints, slices, desiredSlices: Math.max(desiredSlices, fewestSlices) });
  }

  /** @param key Of an owner that is gone. */
  forget(key: string): void {
    if (this.#owners.has(key)) this.#replace(key, undefined);
  }

  #replace(key: string, totals: Totals | undefined): void {
    const before = this.#owners.get(key);
    const sum = (name: keyof Totals) => this.#sum[name] + (totals?.[name] ?? 0) - (before?.[name] ?? 0);
    this.#sum = { endpoints: sum("endpoints"), slices: sum("slices"), desiredSlices: sum("desiredSlices") };
    if (totals) this.#owners.set(key, totals);
    else this.#owners.delete(key);
    for (const name of ["endpoints", "slices", "desiredSlices"] as const) this.#gauges[name].set(this.#sum[name]);
  }
}
