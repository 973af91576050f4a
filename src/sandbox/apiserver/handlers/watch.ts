import { apiVersionOf } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { emptyObjectText, objectText } from "../requests/mod.ts";
import { ApiError, expired, notAcceptable } from "../base/mod.ts";
import {
  eventLine,
  keyOf,
  type ListOptions,
  listOptionsOf,
  revisionOf,
  selectedName,
  type Selection,
  selectionOf,
  waitForRevision,
  type WatchForm,
  type WatchOptions,
} from "../reads/mod.ts";
import { type Exchange, partText } from "../exchange/mod.ts";

const STREAMED = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** Opens a watch. Upstream: `apiserver/pkg/endpoints/handlers/get.go` and `storage/cacher`. */
export async function handleWatch(exchange: Exchange): Promise<Response> {
  const { state, query, form, request } = exchange;
  if (form.yaml) throw notAcceptable(`only the following media types are accepted: ${STREAMED.join(", ")}`);
  const options = listOptionsOf(query);
  const { served, name } = exchange.route;
  const selection = selectionOf(served, query, name || undefined);
  const asked = revisionOf(options.resourceVersion);
  const shows = watchForm(exchange);
  try {
    if (options.sendInitialEvents) await waitForRevision(state, asked, request.signal);
    if ((options.timeoutSeconds ?? 0) < 0) throw new ApiError(500, "InternalError", "context deadline exceeded");
    // Nothing may be awaited from here on, so that no write comes between the initial state and the watch.
    const start = startOf(exchange, options, asked);
    return openWatch(exchange, { ...start, selection, shows, options });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return streamed(eventLine("ERROR", JSON.stringify(error.status)));
  }
}

/** Where a watch starts, and what it covers. */
type Start = Pick<WatchOptions, "prefix" | "key" | "initial" | "missed" | "after">;

/** @throws {ApiError} 410 if the watch would start at a write that is no longer in the history. */
function startOf({ state: { store }, route, query }: Exchange, options: ListOptions, asked: number): Start {
  const { served, namespace, name } = route;
  const key = keyOf(served, namespace, name || selectedName(query));
  const prefix = namespace ? `${namespace}/` : "";
  const { sendInitialEvents = asked === 0 } = options;
  const start: Start = { prefix, key, initial: [], missed: [], after: sendInitialEvents ? 0 : asked };
  if (sendInitialEvents) {
    const entries = [...store.list(served.collection, { prefix: key ?? prefix }) ?? []];
    return { ...start, initial: entries.map(({ object }) => object) };
  }
  if (asked === 0) return start;
  const missed = store.since(served.collection, asked);
  if (missed) return { ...start, missed };
  throw expired(`too old resource version: ${asked} (${store.oldestRevision(served.collection)})`);
}

function openWatch(
  { state, route, request, watches }: Exchange,
  { selection, shows, options, initial, key, ...start }: Start & {
    readonly selection: Selection;
    readonly shows: WatchForm;
    readonly options: ListOptions;
  },
): Response {
  const { store, world } = state;
  const { timeoutSeconds = 0, allowBookmarks, sendInitialEvents = false } = options;
  const watch = watches.open({
    ...start,
    key,
    store,
    served: route.served,
    selection,
    clock: world.clock,
    random: () => world.random.float(),
    initial: initial.filter((object) => selection.matches(object)),
    bookmarks: allowBookmarks,
    marksInitialEnd: sendInitialEvents,
    timeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : undefined,
    bufferEvents: state.options.watchBufferEvents,
  }, shows);
  const abort = () => watch.abort(request.signal.reason);
  if (request.signal.aborted) abort();
  else request.signal.addEventListener("abort", abort, { once: true });
  return streamed(watch.stream);
}

function streamed(body: BodyInit): Response {
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** Forms with the same name produce the same output, so the name contains everything that can differ. */
function watchForm(exchange: Exchange): WatchForm {
  const { route: { served }, query, form, tables } = exchange;
  const { shape, metaVersion } = form;
  const include = shape === "table" ? query.get("includeObject") ?? "" : "";
  const name = [served.collection, apiVersionOf(served), shape, metaVersion ?? "", include].join("|");
  if (shape === "object") {
    return {
      name,
      render: (object) => objectText(served, object),
      renderBookmark: (object) => emptyObjectText(served, object),
    };
  }
  if (shape === "table") tables.checkInclude(query);
  const renderWith = (withoutColumns: boolean) => (object: StoredObject) =>
    partText(exchange, served, object, { withoutColumns });
  const render = renderWith(true);
  return { name, render, renderBookmark: render, renderFirst: shape === "table" ? renderWith(false) : undefined };
}
