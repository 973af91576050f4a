import { acceptsForm } from "../../../base/mod.ts";
import type { DiscoveredVersion } from "../resources/mod.ts";
import { answerJson, answerText } from "../requests/mod.ts";
import { pathNotFound } from "../base/mod.ts";
import type { ServerState } from "../operations/mod.ts";
import { contentHash } from "./digest.ts";
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions } from "./documents.ts";

const AGGREGATED_MEDIA_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Document {
  readonly generation: number;
  /** The discovery of other services, as text. */
  readonly others: string;
  readonly text: string;
  readonly etag: string;
}

const NO_VERSIONS: ReadonlyMap<string, DiscoveredVersion> = new Map();

/** Aggregated documents by server and by whether they are the core group's. */
const documents = new WeakMap<ServerState, Map<boolean, Document>>();

/**
 * Serves `/api`, `/apis` and the paths one or two segments below. Upstream: `apiserver/pkg/endpoints/discovery`.
 *
 * @throws {ApiError} 404 if the group or version is not served.
 */
export function serveDiscovery(
  state: ServerState,
  request: Request,
  segments: readonly string[],
): Response | Promise<Response> {
  const [root, ...rest] = segments;
  const core = root === "api";
  if (rest.length === 0) {
    // Upstream prefers it to all others, too.
    const accept = request.headers.get("accept") ?? "";
    if (acceptsForm(accept, AGGREGATED_MEDIA_TYPE)) return aggregated(state, request, core);
    return answerJson(core ? apiVersions(new URL(request.url).host) : apiGroupList(state));
  }
  const [group, version] = core ? ["", rest[0]] : rest;
  const found = version === undefined ? apiGroup(state, group) : apiResourceList(state, group, version);
  if (!found) throw pathNotFound();
  return answerJson(found);
}

async function aggregated(state: ServerState, request: Request, core: boolean): Promise<Response> {
  const { text, etag } = await aggregatedDocument(state, core);
  const headers = { etag, vary: "Accept", "cache-control": "public" };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return answerText(text, { headers: { ...headers, "content-type": AGGREGATED_MEDIA_TYPE } });
}

async function aggregatedDocument(state: ServerState, core: boolean): Promise<Document> {
  const versions = core ? NO_VERSIONS : await state.aggregation.discover();
  const { generation } = state.resources;
  const others = JSON.stringify([...versions]);
  let known = documents.get(state);
  if (!known) documents.set(state, known = new Map());
  const last = known.get(core);
  if (last?.generation === generation && last.others === others) return last;
  const text = JSON.stringify(aggregatedDiscovery(state, { core, others: versions }));
  const document = { generation, others, text, etag: `"${contentHash(text)}"` };
  known.set(core, document);
  return document;
}
