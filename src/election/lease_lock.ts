import { apiVersionOf, joinKey, type KubeObject, type Lease, LEASES, type Resource } from "../api/mod.ts";
import { isNotFound } from "../client/mod.ts";
import { type LeaderRecord, recordOf, specOf } from "./leader_record.ts";

interface RequestOptions {
  readonly signal?: AbortSignal;
}

/** What the lock needs of a `Client`: one of its own, so that other traffic cannot delay a renewal. */
export interface LeaseClient {
  get(
    resource: Resource<Lease>,
    ref: { readonly namespace: string; readonly name: string },
    options?: RequestOptions,
  ): Promise<Lease>;
  create(resource: Resource<Lease>, lease: Lease, options?: RequestOptions): Promise<Lease>;
  update(resource: Resource<Lease>, lease: Lease, options?: RequestOptions): Promise<Lease>;
}

export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Who we are; differs for every process start, as `<hostname>_<uuid>`. */
  readonly identity: string;
  /** Merged into the Lease's labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * A leader's record kept in a `coordination.k8s.io/v1` Lease.
 *
 * Contract:
 * 1. An update is written on the Lease seen last, so that it fails with a conflict if anybody else wrote since.
 * 2. The Lease's metadata goes back as it was, but for the lock's own labels, which are merged in; the spec is replaced.
 *
 * Upstream: `k8s.io/client-go/tools/leaderelection/resourcelock/leaselock.go`.
 */
export class LeaseLock {
  readonly identity: string;
  readonly name: string;
  readonly #client: LeaseClient;
  readonly #namespace: string;
  readonly #labels: Readonly<Record<string, string>>;
  #lease: Lease | undefined;

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

  /** What events about the election are about: the Lease as last seen. */
  get object(): KubeObject {
    return {
      apiVersion: apiVersionOf(LEASES),
      kind: LEASES.kind,
      metadata: this.#lease?.metadata ?? { namespace: this.#namespace, name: this.name },
    };
  }

  /** The record on the server; `undefined` if there is no Lease. */
  async get(signal?: AbortSignal): Promise<LeaderRecord | undefined> {
    try {
      this.#lease = await this.#client.get(LEASES, { namespace: this.#namespace, name: this.name }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    return recordOf(this.#lease.spec);
  }

  /** Creates the Lease. */
  async create(record: LeaderRecord, signal?: AbortSignal): Promise<void> {
    const metadata: Lease["metadata"] = { namespace: this.#namespace, name: this.name };
    if (Object.keys(this.#labels).length > 0) metadata.labels = { ...this.#labels };
    this.#lease = await this.#client.create(LEASES, this.#leaseWith(metadata, record), { signal });
  }

  /**
   * Writes `record` on the Lease last seen.
   *
   * @throws {StatusError} Conflict if somebody else wrote since.
   */
  async update(record: LeaderRecord, signal?: AbortSignal): Promise<void> {
    if (!this.#lease) {
      throw new Error(`Cannot update lease "${this.description}": it was neither read nor created before`);
    }
    const { metadata } = this.#lease;
    const labels = { ...metadata?.labels, ...this.#labels };
    const merged = Object.keys(labels).length > 0 ? { ...metadata, labels } : { ...metadata };
    this.#lease = await this.#client.update(LEASES, this.#leaseWith(merged, record), { signal });
  }

  #leaseWith(metadata: Lease["metadata"], record: LeaderRecord): Lease {
    return { apiVersion: apiVersionOf(LEASES), kind: LEASES.kind, metadata, spec: specOf(record) };
  }
}
