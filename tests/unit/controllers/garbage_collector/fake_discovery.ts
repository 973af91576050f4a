import type { Resource } from "../../../../src/api/mod.ts";
import type { DiscoveredResource } from "../../../../src/client/mod.ts";

export function discovered(resource: Resource): DiscoveredResource {
  return { ...resource, verbs: resource.verbs ?? [], subresources: resource.subresources ?? [] };
}

/** Discovery that answers as it is told. */
export class FakeDiscovery {
  resources: readonly Resource[];
  readonly failures: Map<string, Error> = new Map();
  /** Makes it fail altogether. */
  error: Error | undefined;

  constructor(resources: readonly Resource[] = []) {
    this.resources = resources;
  }

  preferredResources(
    { namespaced }: { readonly namespaced?: boolean } = {},
  ): Promise<{ resources: DiscoveredResource[]; failures: ReadonlyMap<string, Error> }> {
    if (this.error) return Promise.reject(this.error);
    const asked = this.resources.filter((resource) => namespaced === undefined || resource.namespaced === namespaced);
    return Promise.resolve({ resources: asked.map(discovered), failures: new Map(this.failures) });
  }
}
