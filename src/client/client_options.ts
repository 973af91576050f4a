import type { KubeObject, ListMeta, Resource } from "../api/mod.ts";
import type { MetricsRegistry, World } from "../base/mod.ts";
import type { Query } from "./call.ts";
import type { RequestLimiter } from "./rate_limiter.ts";
import type { ServerOutages } from "./server_outages.ts";
import type { Transport } from "./transport.ts";

/** Options of {@link Client}. */
export interface ClientOptions {
  readonly world: World;
  readonly transport: Transport;
  /** Base URL, such as `https://10.0.0.1:6443`; a path after the port is kept before every request's path. */
  readonly server: string;
  /** The part before the first `/` becomes `managedFields[].manager`. */
  readonly userAgent: string;
  /** No limit if absent. */
  readonly limiter?: RequestLimiter;
  /**
   * For every request except watches, including retries; also sent to the server. If absent or 0, 90 s, which is not
   * sent.
   */
  readonly timeoutMs?: number;
  readonly metrics?: MetricsRegistry;
  /** Tracks whether the server can be reached; shared by clients of the same server. A new one if absent. */
  readonly outages?: ServerOutages;
  /**
   * Called with each warning in an answer. The text comes from the server and may contain anything that a header may.
   */
  readonly onWarning?: (text: string) => void;
}

/** Which object; `namespace` for namespaced resources only. */
export interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
}

/** A LIST's answer. */
export interface ObjectList<T> {
  apiVersion?: string;
  kind?: string;
  metadata: ListMeta;
  items: T[];
}

/** An object with metadata only. Its apiVersion and kind are those of PartialObjectMetadata, not the object's own. */
export type PartialObjectMetadata = KubeObject;

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Options of a GET. */
export interface GetOptions extends CallOptions {
  readonly subresource?: string;
  /** `"0"` accepts any cached copy; if absent, the newest is read. */
  readonly resourceVersion?: string;
}

/** Which objects to LIST, and how many at a time. */
export interface ListOptions extends CallOptions {
  /** All namespaces if absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

/** Options of every call that changes an object. */
export interface WriteOptions extends CallOptions {
  readonly subresource?: string;
  /** By default the first part of the user agent. */
  readonly fieldManager?: string;
  /** Checks and answers as usual, but stores nothing. */
  readonly dryRun?: boolean;
  /** Sends the body as `canonicalJson` formats it, for objects that the server stores byte for byte. */
  readonly isCanonical?: boolean;
}

/** Options of a POST. */
export interface CreateOptions extends WriteOptions {
  /** The object's own if absent. */
  readonly namespace?: string;
  /** For the creation of a subresource: the object it belongs to. */
  readonly name?: string;
}

/** A patch, and how it is applied. */
export interface PatchOptions extends WriteOptions {
  readonly type: "json" | "merge" | "strategic" | "apply";
  readonly body: unknown;
  /** Takes over fields of other managers; for `apply` only. */
  readonly force?: boolean;
}

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
}

/** How an object is deleted, and on what condition. */
export interface DeleteObjectOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** The delete fails with a conflict if the stored object differs. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** Which objects are deleted, and how. */
export interface DeleteCollectionOptions extends DeleteObjectOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of a stream of bytes. */
export interface OpenOptions extends CallOptions {
  /** All namespaces if absent. */
  readonly namespace?: string;
  readonly metadataOnly?: boolean;
  /** Ends the whole stream after this long, and is sent as `timeout`. */
  readonly timeoutMs?: number;
}

/** Options of a request outside the API's verbs. */
export interface RawRequestOptions extends CallOptions {
  readonly query?: Query;
  readonly accept?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** Overrides the client's. */
  readonly timeoutMs?: number;
  /** For error messages. */
  readonly resource?: Resource;
  /** For error messages. */
  readonly name?: string;
}

/** An answer with its content type, for callers that negotiate. */
export interface RawAnswer {
  readonly contentType: string;
  readonly text: string;
}
