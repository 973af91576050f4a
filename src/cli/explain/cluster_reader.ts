import { errorText } from "../../base/mod.ts";
import { groupResource, type KubeObject, type Resource } from "../../api/mod.ts";
import {
  type Client,
  ConnectionError,
  isForbidden,
  isMethodNotAllowed,
  isNotFound,
  type ObjectList,
  type ObjectRef,
  StatusError,
} from "../../client/mod.ts";
import type { Unread } from "./facts.ts";

/** The result of reading one object. */
export type Answer<T> =
  | { readonly type: "found"; readonly object: T }
  | { readonly type: "absent" }
  | { readonly type: "unread" };

/** A list of metadata, as far as it was read. */
export interface Listed {
  readonly resource: Resource;
  readonly items: readonly KubeObject[];
  /** How many there are, including those that were not read. */
  readonly count: number;
  /** The server did not say how many more there are. */
  readonly isAtLeast: boolean;
  readonly isComplete: boolean;
  /** Why the server did not return the list, unless rights are missing. */
  readonly error?: string;
}

const PAGE_SIZE = 500;
/** How many pages of one kind are read if all of its objects matter. */
const MOST_PAGES = 20;

/**
 * Reads a cluster to answer one question.
 *
 * Contract:
 * 1. Only GET requests are sent.
 * 2. A failed read is noted in `unread`, once, and does not stop the others.
 * 3. Each object and each page is requested once.
 * 4. A kind or an object that the server does not have is not an error: it counts as absent.
 * 5. At most ten thousand objects are read of one kind in one place.
 */
export class ClusterReader {
  readonly #client: Client;
  readonly #signal?: AbortSignal;
  readonly #unread = new Map<string, Unread>();
  readonly #objects = new Map<string, Promise<Answer<KubeObject>>>();
  readonly #lists = new Map<string, Promise<Listed & { readonly token?: string }>>();

  constructor(client: Client, signal?: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  get unread(): readonly Unread[] {
    return [...this.#unread.values()].sort((a, b) => a.what < b.what ? -1 : 1);
  }

  /** One whole object. */
  get<T extends KubeObject>(resource: Resource<T>, { namespace, name }: ObjectRef): Promise<Answer<T>> {
    const where = resource.namespaced ? namespace : undefined;
    const what = `${groupResource(resource)} ${JSON.stringify(name)}${inNamespace(where)}`;
    const answer = this.#objects.get(what) ?? this.#get(resource, { namespace: where, name }, what);
    this.#objects.set(what, answer);
    return answer as Promise<Answer<T>>;
  }

  /** Whole objects; `undefined` if they cannot be read. */
  async list<T extends KubeObject>(resource: Resource<T>, namespace?: string): Promise<readonly T[] | undefined> {
    try {
      return (await this.#client.listPages(resource, { namespace, signal: this.#signal })).items;
    } catch (error) {
      if (isNotFound(error)) return [];
      this.#note(`${groupResource(resource)}${inNamespace(namespace)}`, error);
      return undefined;
    }
  }

  /** The metadata of the first page and the total count; with `whole`, of all pages. */
  listMetadata(
    resource: Resource,
    { namespace, whole = false }: { readonly namespace?: string; readonly whole?: boolean } = {},
  ): Promise<Listed> {
    const what = `${groupResource(resource)}${inNamespace(resource.namespaced ? namespace : undefined)}`;
    const first = this.#lists.get(what) ?? this.#firstPage(resource, namespace, what);
    this.#lists.set(what, first);
    if (!whole) return first;
    const all = first.then((page) => page.isComplete ? page : this.#morePages(page, namespace, what));
    this.#lists.set(what, all);
    return all;
  }

  async #get(resource: Resource, ref: ObjectRef, what: string): Promise<Answer<KubeObject>> {
    try {
      return { type: "found", object: await this.#client.get(resource, ref, { signal: this.#signal }) };
    } catch (error) {
      if (isNotFound(error)) return { type: "absent" };
      this.#note(what, error);
      return { type: "unread" };
    }
  }

  async #firstPage(resource: Resource, namespace: string | undefined, what: string) {
    try {
      return this.#listed(resource, await this.#page(resource, namespace));
    } catch (error) {
      const nothing = { resource, items: [], count: 0, isAtLeast: false, isComplete: true };
      if (isNotFound(error) || isMethodNotAllowed(error)) return nothing;
      this.#note(what, error);
      return isForbidden(error) ? nothing : { ...nothing, error: errorText(error) };
    }
  }

  async #morePages(first: Listed & { readonly token?: string }, namespace: string | undefined, what: string) {
    const items = [...first.items];
    let token = first.token;
    for (let page = 1; token && page < MOST_PAGES; page++) {
      try {
        const next = await this.#page(first.resource, namespace, token);
        items.push(...next.items);
        token = next.metadata.continue;
      } catch (error) {
        this.#note(what, error);
        break;
      }
    }
    const isComplete = !token;
    const count = isComplete ? items.length : Math.max(first.count, items.length);
    return { ...first, items, isComplete, token, count, isAtLeast: !isComplete && first.isAtLeast };
  }

  #page(resource: Resource, namespace?: string, token?: string): Promise<ObjectList<KubeObject>> {
    return this.#client.listMetadata(resource, {
      namespace: resource.namespaced ? namespace : undefined,
      limit: PAGE_SIZE,
      continue: token,
      signal: this.#signal,
    });
  }

  #listed(resource: Resource, { items, metadata }: ObjectList<KubeObject>): Listed & { readonly token?: string } {
    const isComplete = !metadata.continue;
    const more = metadata.remainingItemCount ?? 0;
    return {
      resource,
      items,
      count: items.length + more,
      isAtLeast: !isComplete && more === 0,
      isComplete,
      token: metadata.continue,
    };
  }

  #note(what: string, error: unknown): void {
    if (!(error instanceof StatusError || error instanceof ConnectionError)) throw error;
    this.#unread.set(what, { what, why: error.message });
  }
}

function inNamespace(namespace: string | undefined): string {
  return namespace ? ` in namespace ${namespace}` : "";
}
