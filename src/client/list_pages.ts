import type { ListOptions, ObjectList } from "./client_options.ts";
import { isExpired } from "./status_predicates.ts";

const PAGE_SIZE = 500;

/**
 * A whole list, page by page.
 *
 * Contract:
 * 1. The list's resourceVersion is that of the first page.
 * 2. Pages after the first are requested by their token alone, without resourceVersion and match.
 * 3. A token that expired on a later page leads to one full list without a limit; on the first page it is an error.
 *
 * Upstream: `k8s.io/client-go/tools/pager`.
 */
export async function listPages<T>(
  list: (options: ListOptions) => Promise<ObjectList<T>>,
  options: ListOptions,
): Promise<ObjectList<T>> {
  const limit = options.limit ?? PAGE_SIZE;
  const first = await list({ ...options, limit });
  const items = first.items;
  let token = first.metadata.continue;
  while (token) {
    let page: ObjectList<T>;
    try {
      const withoutVersion = { ...options, resourceVersion: undefined, resourceVersionMatch: undefined };
      page = await list({ ...withoutVersion, limit, continue: token });
    } catch (error) {
      if (!isExpired(error)) throw error;
      return await list({ ...options, limit: undefined, continue: undefined });
    }
    for (const item of page.items) items.push(item);
    const isEndless = page.metadata.continue === token || page.items.length === 0 && page.metadata.continue;
    if (isEndless) throw new Error("Cannot read a list: the server answered a continue token without making progress");
    token = page.metadata.continue;
  }
  return { ...first, metadata: { resourceVersion: first.metadata.resourceVersion }, items };
}
