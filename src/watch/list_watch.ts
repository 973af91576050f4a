import { formatDuration, type Resource } from "../api/mod.ts";
import type { Client, ServerOutages } from "../client/mod.ts";

/** The parameters of one page of a LIST; selectors and namespace belong to the {@link ListWatch}. */
export interface ListQuery {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}

/** The parameters of one watch request. */
export interface WatchQuery {
  /** Where to continue; absent means any, never empty. */
  readonly resourceVersion?: string;
  /** How long the server keeps the watch open, in seconds. */
  readonly timeoutSeconds: number;
  /** Requests a streaming list: first the existing objects, then a bookmark that marks the end. */
  readonly sendInitialEvents?: true;
}

/** Lists and watches one resource. Returns the server's bytes; an answer other than 2xx is a `StatusError`. */
export interface ListWatch {
  list(query: ListQuery, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  watch(query: WatchQuery, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Reports when the server can be reached again, if that is known. */
  readonly outages?: ServerOutages;
}

/** Which objects of a resource to list and watch. */
export interface ListWatchOptions {
  /** All namespaces if absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Requests PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
}

/**
 * The {@link ListWatch} of `resource` on the server that `client` talks to.
 * Upstream: `k8s.io/client-go/tools/cache/listwatch.go` and the generated clients, whose parameters these are.
 *
 * @example
 * ```ts
 * import { PODS } from "kubeloop/api";
 * import { listWatchOf } from "kubeloop/watch";
 * import { assertEquals } from "@std/assert";
 *
 * const opened: unknown[] = [];
 * const client = {
 *   open: (_resource: unknown, query: unknown) => {
 *     opened.push(query);
 *     return Promise.resolve(ReadableStream.from<Uint8Array<ArrayBuffer>>([]));
 *   },
 * };
 * const pods = listWatchOf(client, PODS, { labelSelector: "app=web" });
 * await pods.list({ limit: 500, resourceVersion: "0" }, new AbortController().signal);
 * assertEquals(opened, [{ labelSelector: "app=web", fieldSelector: undefined, limit: 500, resourceVersion: "0" }]);
 * ```
 */
export function listWatchOf(
  client: Pick<Client, "open"> & Partial<Pick<Client, "outages">>,
  resource: Resource,
  { namespace, labelSelector, fieldSelector, metadataOnly }: ListWatchOptions = {},
): ListWatch {
  const selectors = { labelSelector, fieldSelector };
  return {
    outages: client.outages,
    list: (query, signal) => client.open(resource, { ...selectors, ...query }, { namespace, metadataOnly, signal }),
    watch({ resourceVersion, timeoutSeconds, sendInitialEvents }, signal) {
      const query = {
        ...selectors,
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion,
        ...(sendInitialEvents && { sendInitialEvents, resourceVersionMatch: "NotOlderThan" }),
        timeoutSeconds,
        // The server uses timeoutSeconds; the generated clients send both.
        timeout: formatDuration(timeoutSeconds * 1000),
      };
      return client.open(resource, query, { namespace, metadataOnly, signal });
    },
  };
}
