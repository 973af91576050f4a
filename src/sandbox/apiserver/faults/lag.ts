import type { Clock } from "../../../base/mod.ts";
import { apiVersionOf, resourcePath } from "../../../api/mod.ts";
import { notFound } from "../base/mod.ts";
import type { Route } from "../requests/mod.ts";

const LONGEST_MS = 600_000;

/** Remembers which revision was the last one at a time in the past. */
export class RevisionLog {
  readonly #clock: Clock;
  /** Sorted by both; the first entry is the start of the log. */
  #entries: { readonly atMs: number; readonly revision: number }[];

  constructor(clock: Clock, revision: number) {
    this.#clock = clock;
    this.#entries = [{ atMs: -Infinity, revision }];
  }

  add(revision: number): void {
    const atMs = this.#clock.monotonicMs();
    const last = this.#entries.at(-1)!;
    if (last.atMs === atMs) this.#entries[this.#entries.length - 1] = { atMs, revision };
    else this.#entries.push({ atMs, revision });
    const firstKept = this.#entries.findIndex((entry) => entry.atMs > atMs - LONGEST_MS) - 1;
    if (firstKept > 1000) this.#entries = this.#entries.slice(firstKept);
  }

  /** The last revision written at least `lagMs` ago. */
  revisionBefore(lagMs: number): number {
    const atMs = this.#clock.monotonicMs() - lagMs;
    return (this.#entries.findLast((entry) => entry.atMs <= atMs) ?? this.#entries[0]).revision;
  }
}

/** Serves a request as usual. */
export type Serve = (request: Request) => Promise<Response>;

/** Serves a read as it would have been served at `revision`. */
export async function readAt(revision: number, request: Request, route: Route, serve: Serve): Promise<Response> {
  const url = new URL(request.url);
  if (!url.searchParams.has("continue")) {
    url.searchParams.set("resourceVersion", String(revision));
    url.searchParams.set("resourceVersionMatch", "Exact");
  }
  if (route.verb === "list") return await serve(withUrl(request, url));
  url.pathname = resourcePath(route.served, { namespace: route.namespace || undefined });
  url.searchParams.set("fieldSelector", `metadata.name=${route.name}`);
  const headers = new Headers(request.headers);
  const accept = headers.get("accept");
  if (accept) headers.set("accept", accept.replaceAll("PartialObjectMetadata;", "PartialObjectMetadataList;"));
  const response = await serve(withUrl(request, url, headers));
  if (!response.ok) return response;
  const { items, kind, apiVersion } = await response.json();
  if (!items?.[0]) throw notFound(route.served, route.name);
  const type = kind === "PartialObjectMetadataList"
    ? { kind: "PartialObjectMetadata", apiVersion }
    : { kind: route.served.kind, apiVersion: apiVersionOf(route.served) };
  return Response.json({ ...type, ...items[0] });
}

function withUrl(request: Request, url: URL, headers = request.headers): Request {
  return new Request(url, { method: request.method, headers, signal: request.signal });
}
