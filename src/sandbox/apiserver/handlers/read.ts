import { apiVersionOf, joinKey } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerText } from "../answers.ts";
import { itemText, listOpening, metadataText, objectText } from "../encode.ts";
import { expired, notFound } from "../errors.ts";
import { answerObject, type Exchange } from "../exchange.ts";
import { listPage, type Page } from "../list.ts";
import { listOptionsError, revisionOf, waitForRevision } from "../revisions.ts";
import { selectionOf } from "../selection.ts";
import { renderList, renderObject } from "../tables/render.ts";

/** Items of a list are put together up to this many characters before they are sent. */
const CHUNK_CHARACTERS = 64 * 1024;

/** The stored object that the route names. */
export function storedObject({ state, route }: Exchange): StoredObject {
  const { served, namespace, name } = route;
  const object = state.store.get(served.collection, joinKey(namespace, name));
  if (!object) throw notFound(served, name);
  return object;
}

export async function handleGet(exchange: Exchange): Promise<Response> {
  const { state, query, request } = exchange;
  const asked = revisionOf(query.get("resourceVersion"));
  if (asked !== undefined) await waitForRevision(state, asked, request.signal);
  return answerObject(exchange, storedObject(exchange));
}

export async function handleList(exchange: Exchange): Promise<Response> {
  const { state, route, query, form, request } = exchange;
  const { served, namespace } = route;
  const page = await listPage(state, served, { namespace, query, signal: request.signal });
  if (form.shape === "table") {
    const nowMs = state.world.clock.wallMs();
    return answerText(renderList(served, page, { form, query, nowMs }), { yaml: form.yaml });
  }
  const parts = listParts(exchange, page);
  if (form.yaml) return answerText([...parts].join(""), { yaml: true });
  return streamText(parts);
}

function* listParts({ route: { served }, form }: Exchange, { objects, metadata }: Page): Iterable<string> {
  const shape = form.shape === "metadata" ? "metadata" : "object";
  if (shape === "metadata" && objects.length === 0) {
    // As upstream, which leaves the list unset.
    yield `${listOpening(served, metadata, shape).slice(0, -1)}null}`;
    return;
  }
  let text = listOpening(served, metadata, shape);
  for (const [i, object] of objects.entries()) {
    if (i > 0) text += ",";
    text += shape === "metadata" ? metadataText(object) : itemText(served, object);
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield `${text}]}`;
}

/** Sends text as it is produced, so that a big list is never in memory as a whole; a small one goes in one piece. */
function streamText(parts: Iterable<string>): Response {
  const iterator = parts[Symbol.iterator]();
  const first = iterator.next();
  const second = iterator.next();
  const headers = { "content-type": "application/json" };
  if (second.done) return new Response(first.value, { headers });
  const pending: string[] = [first.value, second.value];
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = pending.shift() ?? iterator.next().value;
      if (next === undefined) controller.close();
      else controller.enqueue(encoder.encode(next));
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers });
}

/** Opens a watch. Upstream: `apiserver/pkg/endpoints/handlers/get.go` and `storage/cacher`. */
export async function handleWatch(exchange: Exchange): Promise<Response> {
  const { state, route, query, form, request, watches } = exchange;
  const { served, namespace, name } = route;
  const { store, world, options } = state;
  const selection = selectionOf(served, query, name || undefined);
  const sendsInitial = checkInitialEvents(query);
  const asked = revisionOf(query.get("resourceVersion"));
  if (sendsInitial && asked !== undefined) await waitForRevision(state, asked, request.signal);
  const prefix = namespace ? `${namespace}/` : "";
  const showsAll = sendsInitial || !asked;
  const missed = showsAll ? [] : store.since(served.collection, asked);
  const initial = showsAll ? [...store.list(served.collection, { prefix }) ?? []].map(({ object }) => object) : [];
  const timeoutSeconds = Number(query.get("timeoutSeconds") ?? 0);
  const watch = watches.open({
    store,
    served,
    selection,
    prefix,
    clock: world.clock,
    random: () => world.random.float(),
    initial: initial.filter((object) => selection.matches(object)),
    missed: missed ?? [],
    partial: form.shape === "metadata",
    bookmarks: isTrue(query.get("allowWatchBookmarks")),
    marksInitialEnd: sendsInitial,
    timeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : undefined,
    bufferEvents: options.watchBufferEvents,
  }, watchForm(exchange));
  if (missed === undefined) {
    watch.fail(expired(`too old resource version: ${asked} (${store.oldestRevision(served.collection)})`));
  }
  const abort = () => watch.abort(request.signal.reason);
  if (request.signal.aborted) abort();
  else request.signal.addEventListener("abort", abort, { once: true });
  return new Response(watch.stream, { headers: { "content-type": "application/json" } });
}

function watchForm({ state, route: { served }, query, form }: Exchange) {
  const version = `${apiVersionOf(served)}|${form.shape}|${query.get("includeObject") ?? ""}`;
  if (form.shape === "object") return { form: version, render: (object: StoredObject) => objectText(served, object) };
  const { clock } = state.world;
  const render = (object: StoredObject) => renderObject(served, object, { form, query, nowMs: clock.wallMs() });
  return { form: version, render };
}

/** Whether initial events were asked for; the parameters for it only come together. */
function checkInitialEvents(query: URLSearchParams): boolean {
  const asked = query.get("sendInitialEvents");
  const match = query.get("resourceVersionMatch");
  const forbid = (field: string, why: string) => listOptionsError(field, `Forbidden: ${why}`, "FieldValueForbidden");
  if (asked === null || asked === "") {
    if (match) {
      throw forbid(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      );
    }
    return false;
  }
  if (match !== "NotOlderThan") {
    throw forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  return isTrue(asked);
}

function isTrue(text: string | null): boolean {
  return text === "true" || text === "1";
}
