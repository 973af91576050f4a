import type { Quantity } from "../../api/mod.ts";

/** A resource as the discovery of a metrics API lists it. */
export interface ListedResource {
  /** `pods`, `pods/requests-per-second`, `queue-length`. */
  readonly name: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A read of something below a version. */
export interface MetricsQuery {
  readonly version: string;
  /** What follows the version in the path, decoded. */
  readonly path: readonly string[];
  readonly parameters: URLSearchParams;
  /** Whether a table is wanted, as `kubectl get` prints it. */
  readonly wantsTable: boolean;
}

/** One group of APIs that serves metrics. */
export interface MetricsGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
  /** What can be read at present. */
  resources(): readonly ListedResource[];
  /**
   * The object that answers a read.
   *
   * @throws {ApiError} If there is none.
   */
  read(query: MetricsQuery): object | Promise<object>;
}

/** When a value was measured, and over which time. */
export interface Measured {
  /** By default the value counts as measured whenever it is asked for. */
  readonly timestamp?: Date;
  readonly windowMs?: number;
}

/** A value and when it was measured. */
export interface Measurement extends Measured {
  readonly value: Quantity;
}
