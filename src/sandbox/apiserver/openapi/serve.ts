import { type GroupVersion, groupVersionPath } from "../../../api/mod.ts";
import { mediaRanges } from "../../../base/mod.ts";
import { answerText } from "../requests/mod.ts";
import { contentHash } from "../discovery/mod.ts";
import type { ServerState } from "../operations/mod.ts";
import { groupVersionDocument } from "./document.ts";

/** How long clients may cache a document that they requested by its hash. */
const KEEP_MS = 365 * 24 * 60 * 60 * 1000;

/** Hashes of documents by server and path. The documents themselves are not cached, since clients do that. */
const hashes = new WeakMap<ServerState, Map<string, { readonly generation: number; readonly hash: string }>>();

/**
 * Serves `/openapi/v3`, the list of documents, and below it one document per group version. Upstream:
 * `k8s.io/kube-openapi/pkg/handler3`.
 */
export async function serveOpenApi(
  state: ServerState,
  request: Request,
  segments: readonly string[],
): Promise<Response> {
  if (segments.length === 0) {
    const json = JSON.stringify(await index(state));
    return answerText(json, { headers: { "content-type": "text/plain; charset=utf-8" } });
  }
  const [root, ...rest] = segments;
  const [group, version] = root === "api" ? ["", ...rest] : rest;
  const isServed = (root === "api" || group !== "") && state.resources.inVersion(group ?? "", version ?? "").length > 0;
  if (!isServed) return new Response(null, { status: 404 });
  if (!wantsJson(request)) return new Response(null, { status: 406, headers: { vary: "Accept" } });
  return await document(state, request, { group, version });
}

/** Documents are JSON only; clients that also accept protobuf get JSON. */
function wantsJson(request: Request): boolean {
  const ranges = mediaRanges(request.headers.get("accept") || "*/*");
  return ranges.some(({ type }) => ["application/json", "application/*", "*/*"].includes(type));
}

async function index(state: ServerState): Promise<object> {
  const paths: Record<string, object> = {};
  for (const { group, versions } of state.resources.groups()) {
    for (const version of versions) {
      const path = groupVersionPath({ group, version });
      paths[path.slice(1)] = { serverRelativeURL: addressOf(path, await hashOf(state, { group, version })) };
    }
  }
  return { paths };
}

function addressOf(path: string, hash: string): string {
  return `/openapi/v3${path}?hash=${hash}`;
}

async function hashOf(state: ServerState, groupVersion: GroupVersion, text?: string): Promise<string> {
  const { resources } = state;
  const generation = resources.group(groupVersion.group)?.isBuiltIn ? 0 : resources.generation;
  let known = hashes.get(state);
  if (!known) hashes.set(state, known = new Map());
  const path = groupVersionPath(groupVersion);
  const last = known.get(path);
  if (last?.generation === generation) return last.hash;
  const hash = contentHash(text ?? JSON.stringify(await groupVersionDocument(state, groupVersion)));
  known.set(path, { generation, hash });
  return hash;
}

async function document(state: ServerState, request: Request, groupVersion: GroupVersion): Promise<Response> {
  const asked = new URL(request.url).searchParams.get("hash");
  const json = JSON.stringify(await groupVersionDocument(state, groupVersion));
  const hash = await hashOf(state, groupVersion, json);
  const headers: Record<string, string> = { etag: `"${hash}"`, vary: "Accept" };
  if (asked !== null && asked !== hash) {
    const location = addressOf(groupVersionPath(groupVersion), hash);
    return new Response(null, { status: 301, headers: { ...headers, location } });
  }
  if (asked !== null) {
    headers["cache-control"] = "public, immutable";
    headers.expires = new Date(state.world.clock.wallMs() + KEEP_MS).toUTCString();
  }
  if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
  return answerText(json, { headers });
}
