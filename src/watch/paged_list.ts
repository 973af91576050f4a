import { apiVersionOf, groupResource, type Resource } from "../api/mod.ts";
import { type Clock, unlessAborted } from "../base/mod.ts";
import { Connection, NoProgressError } from "./connection.ts";
import { FrameError, type WatchFrame } from "./frame.ts";
import type { FrameSink, Replacement } from "./frame_sink.ts";
import { type ListHead, ListReader } from "./list_reader.ts";
import type { ListQuery, ListWatch } from "./list_watch.ts";
import { isExpiredOrGone } from "./watch_errors.ts";

/**
 * How long a whole list may take. kube-apiserver ends the request for one page after 60 s (`--request-timeout`), and
 * etcd expires a `continue` token after five to ten minutes, so a longer list would fail anyway.
 */
const LIFETIME_MS = 600_000;

export interface PagedListOptions {
  readonly clock: Clock;
  readonly resource: Resource;
  readonly listWatch: ListWatch;
  readonly sink: FrameSink;
  /** How long a page may be silent, in milliseconds. */
  readonly idleMs: number;
  readonly maxFrameBytes?: number;
  readonly onProgress: () => void;
}

/** How to request a list. */
export interface ListPlan {
  /** Empty for a consistent list. */
  readonly resourceVersion: string;
  /** Objects per page; 0 for all at once. */
  readonly pageSize: number;
}

/** A list that was read and committed. */
export interface ListResult {
  readonly resourceVersion: string;
  /** Whether the server paginated it. */
  readonly isPaginated: boolean;
}

/**
 * Reads whole lists, page by page, item by item, into a sink.
 *
 * Contract:
 * 1. The sink sees a list only when it is complete, as of the first page's resourceVersion.
 * 2. A `continue` token is never sent together with a resourceVersion.
 * 3. A list that is not complete after ten minutes has failed, even if bytes or pages keep coming.
 * 4. A list of another API version has failed, and so has an empty page that is not the last: endless pages would
 *    otherwise follow each other as fast as the server likes.
 * 5. When a later page has expired, the whole list is requested in one piece, with the resourceVersion of the first
 *    request.
 *
 * Upstream: `k8s.io/client-go/tools/pager/pager.go`.
 */
export class PagedList {
  readonly #options: PagedListOptions;

  constructor(options: PagedListOptions) {
    this.#options = options;
  }

  /** @throws The error of a request, its answer or the sink; the reason of `signal` when that aborts. */
  async read({ resourceVersion, pageSize }: ListPlan, signal: AbortSignal): Promise<ListResult> {
    const version = resourceVersion || undefined;
    const run = { signal, endMs: this.#options.clock.monotonicMs() + LIFETIME_MS };
    let replacement = this.#options.sink.beginReplace();
    try {
      const first = await this.#page({ limit: pageSize || undefined, resourceVersion: version }, replacement, run);
      let head = first;
      let result: ListHead = first;
      while (head.continue !== "") {
        const token = head.continue;
        try {
          head = await this.#page({ limit: pageSize || undefined, continue: token }, replacement, run);
          if (head.continue === token) {
            throw new Error("the server answered a continue token with the same token again");
          }
        } catch (error) {
          if (!isExpiredOrGone(error)) throw error;
          replacement.abort();
          replacement = this.#options.sink.beginReplace();
          result = head = await this.#page({ resourceVersion: version }, replacement, run);
          break;
        }
      }
      const wait = replacement.commit(result.resourceVersion);
      if (wait) await unlessAborted(wait, signal);
      return { resourceVersion: result.resourceVersion, isPaginated: first.continue !== "" };
    } catch (error) {
      replacement.abort();
      throw error;
    }
  }

  async #page(
    query: ListQuery,
    replacement: Replacement,
    { signal, endMs }: { readonly signal: AbortSignal; readonly endMs: number },
  ): Promise<ListHead> {
    const { clock, resource, listWatch, idleMs, maxFrameBytes, onProgress } = this.#options;
    refuseAfter(endMs, clock);
    const connection = await Connection.open((signal) => listWatch.list(query, signal), {
      clock,
      signal,
      idleMs,
      lifetimeMs: endMs - clock.monotonicMs(),
      onProgress,
    });
    try {
      const reader = new ListReader({ resource: groupResource(resource), maxFrameBytes });
      let count = 0;
      for (;;) {
        const arrival = await connection.next();
        switch (arrival.what) {
          case "bytes": {
            const items: WatchFrame[] = [];
            reader.push(arrival.bytes, items);
            if (items.length > 0) {
              connection.progressed();
              count += items.length;
              const wait = replacement.events(items);
              if (wait) await unlessAborted(wait, signal);
            }
            break;
          }
          case "ended":
            if (arrival.error !== undefined) throw arrival.error;
            return this.#headOf(reader, count);
          case "silent":
            refuseAfter(endMs, clock);
            throw new NoProgressError(`the list brought nothing for ${idleMs} ms`);
          case "stopped":
            throw signal.reason;
        }
      }
    } finally {
      connection.close();
    }
  }

  /** @throws {FrameError} If it is not a page of this list. */
  #headOf(reader: ListReader, count: number): ListHead {
    const head = reader.end();
    const { resource } = this.#options;
    const isMetadata = head.kind === "PartialObjectMetadataList" && head.apiVersion.startsWith("meta.k8s.io/");
    const what = `the list of ${groupResource(resource)}`;
    if (head.apiVersion !== "" && head.apiVersion !== apiVersionOf(resource) && !isMetadata) {
      throw new FrameError(`Cannot read ${what}: a ${head.kind} of ${head.apiVersion} came in its place`);
    }
    if (count === 0 && head.continue !== "") {
      throw new FrameError(`Cannot read ${what}: a page without items is not the last`);
    }
    return head;
  }
}

function refuseAfter(endMs: number, clock: Clock): void {
  if (clock.monotonicMs() >= endMs) throw new NoProgressError(`the list was not complete within ${LIFETIME_MS} ms`);
}
