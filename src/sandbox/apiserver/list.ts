import { decodeBase64Url, encodeBase64Url } from "@std/encoding/base64url";
import type { Entry, StoredObject } from "../storage/mod.ts";
import { ApiError, badRequest, expired } from "./errors.ts";
import type { Environment } from "./environment.ts";
import { listOptionsError, revisionOf, waitForRevision } from "./revisions.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { ServedResource } from "./served.ts";

/** One page of a list. */
export interface Page {
  readonly objects: readonly StoredObject[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

interface PageQuery {
  readonly prefix: string;
  readonly from: string;
  /** The revision to show; the present one if absent. */
  readonly at?: number;
  readonly limit: number;
  readonly selection: Selection;
  readonly continued: boolean;
}

/**
 * Lists a collection as the query asks: selectors, `limit` and `continue`, `resourceVersion` and `resourceVersionMatch`.
 *
 * @throws {ApiError} 410 if the revision asked for is no longer in the history, 422 or 400 for parameters that contradict.
 */
export async function listPage(
  state: Environment,
  served: ServedResource,
  { namespace, query, signal }: {
    readonly namespace: string;
    readonly query: URLSearchParams;
    readonly signal?: AbortSignal;
  },
): Promise<Page> {
  checkParameters(query);
  const asked = revisionOf(query.get("resourceVersion"));
  if (asked !== undefined) await waitForRevision(state, asked, signal);
  const limit = Math.max(0, Number(query.get("limit") ?? 0) || 0);
  const token = query.get("continue");
  const start = token ? parseContinue(token) : undefined;
  const exact = query.get("resourceVersionMatch") === "Exact" ||
    (limit > 0 && !query.get("resourceVersionMatch") && !!asked);
  return readPage(state, served, {
    prefix: namespace ? `${namespace}/` : "",
    from: start?.start ?? "",
    at: start ? start.rv : exact ? asked : undefined,
    limit,
    selection: selectionOf(served, query),
    continued: start !== undefined,
  });
}

function checkParameters(query: URLSearchParams): void {
  const match = query.get("resourceVersionMatch");
  const version = query.get("resourceVersion");
  const forbid = (field: string, why: string) => listOptionsError(field, `Forbidden: ${why}`, "FieldValueForbidden");
  if (query.get("sendInitialEvents")) throw forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  if (query.get("continue") && version && version !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  if (!match) return;
  if (query.get("continue")) {
    throw forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  }
  if (!version) {
    throw forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (match !== "Exact" && match !== "NotOlderThan") {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`;
    throw listOptionsError("resourceVersionMatch", message, "FieldValueNotSupported");
  }
  if (match === "Exact" && version === "0") {
    throw forbid("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
}

function readPage({ store }: Environment, served: ServedResource, query: PageQuery): Page {
  const { prefix, from, limit, selection } = query;
  const revision = query.at ?? store.revision;
  const entries = store.list(served.collection, { prefix, from, at: query.at });
  if (entries === undefined) {
    throw expired(
      query.continued
        ? "The provided continue parameter is too old to display a consistent list result. You can start a new list " +
          "without the continue parameter."
        : `The resourceVersion for the provided list is too old: ${revision}`,
    );
  }
  const objects: StoredObject[] = [];
  let lastKey = "";
  let remaining = 0;
  for (const { key, object } of entries as Iterable<Entry>) {
    if (limit > 0 && objects.length === limit) {
      remaining++;
      continue;
    }
    lastKey = key;
    if (selection.matches(object)) objects.push(object);
  }
  const metadata = { resourceVersion: String(revision) };
  if (remaining === 0) return { objects, metadata };
  const token = formatContinue({ rv: revision, start: `${lastKey}\u0000` });
  const count = selection.isEverything ? { remainingItemCount: remaining } : {};
  return { objects, metadata: { ...metadata, continue: token, ...count } };
}

interface Continue {
  readonly rv: number;
  readonly start: string;
}

function formatContinue({ rv, start }: Continue): string {
  return encodeBase64Url(JSON.stringify({ v: "meta.k8s.io/v1", rv, start }));
}

function parseContinue(token: string): Continue {
  try {
    const { v, rv, start } = JSON.parse(new TextDecoder().decode(decodeBase64Url(token)));
    if (v === "meta.k8s.io/v1" && Number.isInteger(rv) && rv > 0 && typeof start === "string") return { rv, start };
  } catch {
    // Not base64 or not JSON: the same answer as for a token that is neither ours nor complete.
  }
  throw new ApiError(
    400,
    "BadRequest",
    "invalid continue token: continue key is not valid: it was not made by this server",
  );
}
