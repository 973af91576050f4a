import { answerText, inMetaVersion, itemText, listOpening, metadataText, sizedText } from "../requests/mod.ts";
import { answerOptions, checkListForm, type Exchange } from "../exchange/mod.ts";
import { listPage, type Page } from "../reads/mod.ts";

/** How many characters of a list are collected before they are sent. */
const CHUNK_CHARACTERS = 256 * 1024;

/** Lists objects. Upstream: `apiserver/pkg/endpoints/handlers/get.go` (ListResource). */
export async function handleList(exchange: Exchange): Promise<Response> {
  const { state, route, query, form, request, tables } = exchange;
  const { served, namespace } = route;
  checkListForm(exchange);
  if (form.shape === "table") tables.checkInclude(query);
  const page = await listPage(state, served, { namespace, query, signal: request.signal });
  return answerPage(exchange, page);
}

/** Responds with a list in the requested form. */
export function answerPage(exchange: Exchange, page: Page): Response {
  const { state, route: { served }, query, form, tables } = exchange;
  if (form.shape === "table") {
    const nowMs = state.world.clock.wallMs();
    const text = tables.render(served, page.objects, page.metadata, { query, nowMs });
    return answerText(inMetaVersion(text, form), answerOptions(exchange));
  }
  const parts = listParts(exchange, page);
  if (form.yaml || form.pretty || form.metaVersion) {
    return answerText(inMetaVersion([...parts].join(""), form), answerOptions(exchange));
  }
  return streamText(parts);
}

function* listParts({ route: { served }, form }: Exchange, { objects, metadata }: Page): Iterable<string> {
  const shape = form.shape === "metadata" ? "metadata" : "object";
  if (shape === "metadata" && objects.length === 0) {
    // As upstream, which leaves an empty list unset.
    yield `${listOpening(served, metadata, shape).slice(0, -1)}null}`;
    return;
  }
  const items: string[] = [];
  let size = 0;
  let before = listOpening(served, metadata, shape);
  for (const object of objects) {
    const text = shape === "metadata" ? metadataText(object) : itemText(served, object);
    items.push(text);
    size += text.length;
    if (size < CHUNK_CHARACTERS) continue;
    yield before + items.join(",");
    before = ",";
    items.length = size = 0;
  }
  // If the last chunk ended with the last item, there is nothing to separate.
  yield `${items.length > 0 || before !== "," ? before : ""}${items.join(",")}]}`;
}

/** Streams text as it is produced, so that a large list is never in memory as a whole; a small one is sent at once. */
function streamText(parts: Iterable<string>): Response {
  const iterator = parts[Symbol.iterator]();
  const first = iterator.next();
  const second = iterator.next();
  const headers = new Headers({ "content-type": "application/json" });
  if (second.done) return sizedText(first.value, { headers });
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
