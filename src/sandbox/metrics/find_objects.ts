import { groupResource, type Pod, PODS, type Resource, type Selector } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";

/** What metrics need to know about an object. */
export interface FoundObject {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Finds objects with metrics: pods in a cache, others through the API server. */
export class FindObjects {
  readonly #client: Client;
  readonly #pods: Lister<Pod>;

  constructor({ client, pods }: { readonly client: Client; readonly pods: Lister<Pod> }) {
    this.#client = client;
    this.#pods = pods;
  }

  /** Sorted by name. */
  async list(
    resource: Resource,
    { namespace, selector }: { readonly namespace: string; readonly selector: Selector },
  ): Promise<FoundObject[]> {
    const objects = groupResource(resource) === groupResource(PODS)
      ? this.#pods.list({ namespace, selector })
      : (await this.#client.listMetadata(resource, { namespace, labelSelector: `${selector}` || undefined })).items;
    return objects.map(({ metadata }) => ({ name: metadata?.name ?? "", labels: metadata?.labels ?? {} }))
      .sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** `undefined` if the object does not exist. */
  async labelsOf(
    resource: Resource,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): Promise<FoundObject["labels"] | undefined> {
    if (groupResource(resource) === groupResource(PODS)) {
      const pod = this.#pods.get(namespace, name);
      return pod && (pod.metadata?.labels ?? {});
    }
    try {
      const { metadata } = await this.#client.getMetadata(resource, { namespace, name });
      return metadata?.labels ?? {};
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
