import { joinKey } from "../../../api/mod.ts";
import type { ListRange, StoredObject } from "../../storage/mod.ts";
import { formatContinue, parseContinue } from "./continue_token.ts";
import { ApiError, badRequest, expired } from "../base/mod.ts";
import type { Environment } from "../traits/mod.ts";
import { type ListOptions, listOptionsOf, selectedName } from "./list_options.ts";
import { revisionOf, waitForRevision } from "./revisions.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { ServedResource } from "../resources/mod.ts";

export interface Page {
  readonly objects: readonly StoredObject[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

interface PageQuery extends ListRange {
  readonly prefix: string;
  readonly from: string;
  readonly pageSize: number;
  readonly selection: Selection;
  readonly isContinued: boolean;
}

/** What to list, besides the query. */
export interface ListScope {
  readonly namespace: string;
  readonly query: URLSearchParams;
  readonly signal?: AbortSignal;
}

/**
 * Lists a collection as the query asks: selectors, `limit` and `continue`, `resourceVersion` and
 * `resourceVersionMatch`.
 * Upstream: `apiserver/pkg/storage/cacher` and `storage/etcd3/store.go` (GetList).
 *
 * @throws {ApiError} 410 if the revision is no longer in the history, 504 if it does not arrive, 422 or 400 for
 * contradictory parameters.
 */
export async function listPage(
  state: Environment,
  served: ServedResource,
  { namespace, query, signal }: ListScope,
): Promise<Page> {
  const options = listOptionsOf(query);
  const selection = selectionOf(served, query);
  const key = keyOf(served, namespace, selectedName(query));
  const token = options.continueToken !== "" && key === undefined ? parseContinue(options.continueToken) : undefined;
  if (token && options.resourceVersion !== "" && options.resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const asked = revisionOf(options.resourceVersion, { isList: true });
  await waitForRevision(state, Math.max(asked, token?.revision ?? 0), signal);
  if (key !== undefined) return readOne(state, served, { key, selection, at: exactRevision(options, asked) });
  const prefix = namespace ? `${namespace}/` : "";
  return readPage(state, served, {
    prefix,
    from: token ? prefix + token.start : prefix,
    at: token ? token.revision > 0 ? token.revision : undefined : exactRevision(options, asked),
    // Any state will do; upstream serves it from its cache as a whole.
    pageSize: options.resourceVersion === "0" ? 0 : options.limit,
    selection,
    isContinued: token !== undefined,
  });
}

/** The only possible key for an object with that name; `undefined` if several namespaces can have one. */
export function keyOf(served: ServedResource, namespace: string, name: string | undefined): string | undefined {
  return name === undefined || (served.namespaced && namespace === "") ? undefined : joinKey(namespace, name);
}

/** The exact revision that must be shown, if any. */
function exactRevision({ match, limit }: ListOptions, asked: number): number | undefined {
  return asked > 0 && (match === "Exact" || (match === "" && limit > 0)) ? asked : undefined;
}

function readOne(
  { store }: Environment,
  served: ServedResource,
  { key, selection, at }: { readonly key: string; readonly selection: Selection; readonly at?: number },
): Page {
  const entries = store.list(served.collection, { prefix: key, at });
  if (!entries) throw listExpired();
  const objects = [...entries].filter((entry) => entry.key === key).map(({ object }) => object);
  const metadata = { resourceVersion: String(at ?? store.revision) };
  return { objects: objects.filter((object) => selection.matches(object)), metadata };
}

function readPage({ store }: Environment, served: ServedResource, query: PageQuery): Page {
  const { prefix, from, at, pageSize, selection } = query;
  const revision = at ?? store.revision;
  const atMost = pageSize > 0 && selection.isEverything ? pageSize + 1 : undefined;
  const entries = store.list(served.collection, { prefix, from, at, atMost });
  if (!entries) throw query.isContinued ? new ContinueExpired(from.slice(prefix.length)) : listExpired();
  const objects: StoredObject[] = [];
  const metadata = { resourceVersion: String(revision) };
  let next = "";
  for (const { key, object } of entries) {
    if (pageSize > 0 && objects.length === pageSize) {
      const start = next.slice(prefix.length);
      const remaining = selection.isEverything ? store.count(served.collection, { prefix, from: next, at }) : undefined;
      const count = remaining === undefined ? {} : { remainingItemCount: remaining };
      return { objects, metadata: { ...metadata, continue: formatContinue({ revision, start }), ...count } };
    }
    next = `${key}\u0000`;
    if (selection.matches(object)) objects.push(object);
  }
  return { objects, metadata };
}

function listExpired(): ApiError {
  return expired("The resourceVersion for the provided list is too old.");
}

/** Has the token with which the list can continue nevertheless. */
class ContinueExpired extends ApiError {
  readonly #token: string;

  constructor(start: string) {
    super(
      410,
      "Expired",
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
        "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
        "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
        "deleted between the time the first chunk was returned and now may show up in the list.",
    );
    this.#token = formatContinue({ revision: -1, start });
  }

  override get status() {
    return { ...super.status, metadata: { continue: this.#token } };
  }
}
