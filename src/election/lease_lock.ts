import { apiVersionOf, joinKey, type KubeObject, type Lease, LEASES, type Resource } from "../api/mod.ts";
import { isNotFound } from "../client/mod.ts";
import { isSameRecord, type LeaderRecord, recordOf, specOf } from "./leader_record.ts";

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

/**
 * The part of a `Client` that the lock uses. It should be a separate client, so that other traffic cannot delay a
 * renewal.
 */
export interface LeaseClient {
  get(
    resource: Resource<Lease>,
    ref: { readonly namespace: string; readonly name: string },
    options?: RequestOptions,
  ): Promise<Lease>;
  create(resource: Resource<Lease>, lease: Lease, options?: RequestOptions): Promise<Lease>;
  update(resource: Resource<Lease>, lease: Lease, options?: RequestOptions): Promise<Lease>;
}

/** Which Lease is held, and by whom. */
export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Our identity, unique per process start, such as `<hostname>_<uuid>`. */
  readonly identity: string;
  /** Merged into the Lease's labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A Lease as read or written, and its record. A decision based on the record must be written on this Lease. */
export interface SeenLease {
  readonly lease: Lease;
  readonly record: LeaderRecord;
}

/**
 * A leader's record kept in a `coordination.k8s.io/v1` Lease.
 *
 * Contract:
 * 1. An update is written on the Lease that its caller has seen, so that it fails with a conflict if anybody wrote
 *    since.
 * 2. The Lease's metadata goes back as it was, but for the lock's own labels, which are merged in; the spec is
 *    replaced.
 * 3. A Lease counts as written only if the server answers with the record that was sent.
 *
 * Unlike upstream's, the lock has no state: an answer that comes too late must not become the base of the next update.
 * Upstream: `k8s.io/client-go/tools/leaderelection/resourcelock/leaselock.go`.
 */
export class LeaseLock {
  readonly identity: string;
  readonly name: string;
  readonly #client: LeaseClient;
  readonly #namespace: string;
  readonly #labels: Readonly<Record<string, string>>;

  constructor({ client, namespace, name, identity, labels = {} }: LeaseLockOptions) {
    this.identity = identity;
    this.name = name;
    this.#client = client;
    this.#namespace = namespace;
    this.#labels = labels;
  }

  /** `namespace/name` of the Lease, for log lines. */
  get description(): string {
    return joinKey(this.#namespace, this.name);
  }

  /** The object of events about the election. */
  objectOf(seen: SeenLease | undefined): KubeObject {
    const metadata = seen?.lease.metadata ?? { namespace: this.#namespace, name: this.name };
    return { apiVersion: apiVersionOf(LEASES), kind: LEASES.kind, metadata };
  }

  /** Reads the Lease; `undefined` if there is none. */
  async get(signal?: AbortSignal): Promise<SeenLease | undefined> {
    try {
      const lease = await this.#client.get(LEASES, { namespace: this.#namespace, name: this.name }, { signal });
      return { lease, record: recordOf(lease.spec) };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Creates the Lease. */
  async create(record: LeaderRecord, signal?: AbortSignal): Promise<SeenLease> {
    const metadata: Lease["metadata"] = { namespace: this.#namespace, name: this.name };
    if (Object.keys(this.#labels).length > 0) metadata.labels = { ...this.#labels };
    return this.#written(await this.#client.create(LEASES, leaseOf(metadata, record), { signal }), record);
  }

  /**
   * Writes `record` on the Lease seen before.
   *
   * @throws {StatusError} Conflict if somebody wrote since.
   */
  async update({ lease: { metadata } }: SeenLease, record: LeaderRecord, signal?: AbortSignal): Promise<SeenLease> {
    const labels = { ...metadata?.labels, ...this.#labels };
    const merged = Object.keys(labels).length > 0 ? { ...metadata, labels } : { ...metadata };
    return this.#written(await this.#client.update(LEASES, leaseOf(merged, record), { signal }), record);
  }

  #written(lease: Lease, record: LeaderRecord): SeenLease {
    if (isSameRecord(recordOf(lease?.spec), record)) return { lease, record };
    throw new Error(
      `Cannot tell who holds the lease ${this.description}: the server answered a write with another record`,
    );
  }
}

function leaseOf(metadata: Lease["metadata"], record: LeaderRecord): Lease {
  return { apiVersion: apiVersionOf(LEASES), kind: LEASES.kind, metadata, spec: specOf(record) };
}
