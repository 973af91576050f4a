import { type KubeObject, objectKey, PODS, type Resource } from "../../../src/api/mod.ts";
import { Indexer, type Indexers, NAMESPACE_INDEX, namespaceOf } from "../../../src/cache/mod.ts";
import type { RecordedClient } from "./recorded_client.ts";

/** What a controller sees of a kind on the fake API server: what was there at the beginning, and what is there after `catchUp`. */
export class FakeCache<T extends KubeObject & { readonly spec?: unknown }> extends Indexer<T> {
  readonly #client: RecordedClient;
  readonly #resource: Resource<T>;

  constructor(client: RecordedClient, resource: Resource<T>, indexers: Indexers<NoInfer<T>> = {}) {
    super({ indexers: { [NAMESPACE_INDEX]: namespaceOf, ...indexers } });
    this.#client = client;
    this.#resource = resource;
  }

  /** Puts objects on the API server and shows them. */
  begin(...objects: T[]): void {
    for (const stored of this.#client.store(this.#resource, ...objects)) this.add(stored);
  }

  /** Shows what the API server has. */
  catchUp(): void {
    this.replace(this.#client.all(this.#resource), this.#client.version);
  }

  /** Changes an object on the API server as a user does, and shows that. */
  change(key: string, spec: Partial<T["spec"]>): void {
    const { metadata, ...object } = this.#client.find(this.#resource, key)!;
    const generation = (metadata?.generation ?? 0) + 1;
    const changed = { ...object, metadata: { ...metadata, generation, resourceVersion: undefined } } as T;
    this.#client.store(this.#resource, { ...changed, spec: { ...changed.spec as object, ...spec as object } });
    this.catchUp();
  }
}

/** Ends the pods whose deletion was asked for of the server, as their kubelets do. */
export function endDeletedPods(client: RecordedClient): void {
  for (const { metadata } of client.all(PODS)) {
    if (metadata?.deletionGracePeriodSeconds) client.remove(PODS, objectKey({ metadata }));
  }
}
