import type { Quantity } from "../../api/mod.ts";

/** A resource in the discovery of a metrics API. */
export interface ListedResource {
  /** For example `pods`, `pods/requests-per-second` or `queue-length`. */
  readonly name: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A read below a version. */
export interface MetricsQuery {
  readonly version: string;
  /** The decoded path after the version. */
  readonly path: readonly string[];
  readonly parameters: URLSearchParams;
  /** Whether to respond with a table, for `kubectl get`. */
  readonly wantsTable: boolean;
}

/** An API group that serves metrics. */
export interface MetricsGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
  /** The resources that can currently be read. */
  resources(): readonly ListedResource[];
  /**
   * The response to a read.
   *
   * @throws {ApiError} If there is nothing to read.
   */
  read(query: MetricsQuery): object | Promise<object>;
}

/** When a value was measured, and over which window. */
export interface Measured {
  /** By default the value was measured at the time of the request. */
  readonly timestamp?: Date;
  readonly windowMs?: number;
}

/** A value and when it was measured. */
export interface Measurement extends Measured {
  readonly value: Quantity;
}
