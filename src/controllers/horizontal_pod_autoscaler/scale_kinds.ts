import { errorText } from "../../base/mod.ts";
import { apiVersionOf, type GroupVersion, groupVersionPath, type Resource } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly group?: string;
    readonly version?: string;
  }[];
}

/** The type that the body of a write to a Scale must name. */
interface ScaleKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The kind of each resource's Scale, asked once and then kept.
 * Upstream: `k8s.io/client-go/scale/util.go`.
 */
export class ScaleKinds {
  readonly #client: Pick<Client, "request">;
  readonly #known = new Map<string, ScaleKind>();

  constructor(client: Pick<Client, "request">) {
    this.#client = client;
  }

  /** @throws {Error} If the resource has no scale, or the server does not say. */
  async of(resource: Resource): Promise<ScaleKind> {
    const name = `${apiVersionPath(resource)}, Resource=${resource.plural}`;
    const known = this.#known.get(name);
    if (known) return known;
    const found = await this.#ask(resource, name);
    this.#known.set(name, found);
    return found;
  }

  async #ask(resource: Resource, name: string): Promise<ScaleKind> {
    const fail = (why: string, cause?: unknown) =>
      new Error(`could not find proper group-version for scale subresource of ${name}: ${why}`, { cause });
    let list: ResourceList;
    try {
      list = await this.#client.request<ResourceList>("GET", groupVersionPath(resource));
    } catch (error) {
      throw fail(`unable to fetch discovery information for ${name}: ${errorText(error)}`, error);
    }
    const found = list.resources?.find((candidate) => candidate.name === `${resource.plural}/scale`);
    if (!found) throw fail(`could not find scale subresource for ${name} in discovery information`);
    const { kind, group, version } = found;
    return { kind, apiVersion: apiVersionOf(group && version ? { group, version } : resource) };
  }
}

/** Unlike an apiVersion, with its slash even in the core group. */
function apiVersionPath({ group, version }: GroupVersion): string {
  return `${group}/${version}`;
}
