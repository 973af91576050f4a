import type { Lease, LeaseSpec, Resource } from "../../../src/api/mod.ts";
import { StatusError } from "../../../src/client/mod.ts";
import { deepCopy } from "../../../src/base/mod.ts";
import type { LeaseClient } from "../../../src/election/mod.ts";

export type Verb = "get" | "create" | "update";

/** What happens around a call; throw to make it fail. */
export interface Around {
  /** Before the server sees the request. */
  before?(verb: Verb): void | Promise<void>;
  /** After the server acted on it. */
  after?(verb: Verb): void | Promise<void>;
}

/** An API server that knows one Lease and checks its resourceVersion. */
export class FakeLeaseApi {
  lease: Lease | undefined;
  /** Every call that reached the server: verb and outcome code. */
  readonly calls: string[] = [];
  /** Called with every accepted write. */
  onWrite: (before: LeaseSpec | undefined, after: LeaseSpec) => void = () => {};
  #resourceVersion = 0;

  /** Writes `spec` as somebody else would. */
  put(spec: LeaseSpec, metadata: Lease["metadata"] = {}): void {
    this.lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "lock", namespace: "kube-system", ...metadata, resourceVersion: `${++this.#resourceVersion}` },
      spec,
    };
  }

  client({ before, after }: Around = {}): LeaseClient {
    const call = async (verb: Verb, act: () => Lease, signal: AbortSignal | undefined): Promise<Lease> => {
      signal?.throwIfAborted();
      await before?.(verb);
      let answer: Lease | StatusError;
      try {
        answer = act();
        this.calls.push(verb);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        answer = error;
        this.calls.push(`${verb} ${error.code}`);
      }
      await after?.(verb);
      signal?.throwIfAborted();
      if (answer instanceof StatusError) throw answer;
      return deepCopy(answer);
    };
    return {
      get: (_resource: Resource, _ref, options) => call("get", () => this.#get(), options?.signal),
      create: (_resource: Resource, lease, options) => call("create", () => this.#create(lease), options?.signal),
      update: (_resource: Resource, lease, options) => call("update", () => this.#update(lease), options?.signal),
    };
  }

  #get(): Lease {
    if (!this.lease) throw failure(404, "NotFound");
    return this.lease;
  }

  #create(lease: Lease): Lease {
    if (this.lease) throw failure(409, "AlreadyExists");
    return this.#store(lease);
  }

  #update(lease: Lease): Lease {
    if (!this.lease) throw failure(404, "NotFound");
    if (lease.metadata?.resourceVersion !== this.lease.metadata?.resourceVersion) throw failure(409, "Conflict");
    return this.#store(lease);
  }

  #store(lease: Lease): Lease {
    const before = this.lease?.spec;
    this.lease = deepCopy(lease);
    this.lease.metadata = { ...this.lease.metadata, resourceVersion: `${++this.#resourceVersion}` };
    this.onWrite(before, this.lease.spec!);
    return this.lease;
  }
}

export function failure(code: number, reason: string): StatusError {
  return new StatusError({ status: "Failure", code, reason, message: `${reason} (${code})` });
}
