import { formatDuration, type PathTarget, type Resource } from "../api/mod.ts";

/** Query parameters; `undefined` and empty text are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request of a {@link Client}, before it is sent. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the first slash on, without a query. */
  readonly path: string;
  readonly query?: Query;
  readonly accept: string;
  readonly contentType?: string;
  readonly body?: string;
  /** For error messages. */
  readonly resource?: Resource;
  readonly name?: string;
  /** The object that the answer must be, if any. */
  readonly object?: PathTarget;
  /** Whether the answer is a list, which may be longer. */
  readonly isList?: boolean;
  /** Whether the answer may be so long that it should come compressed. */
  readonly isLong?: boolean;
  /** Watches are not rate-limited and appear only in the request count. */
  readonly isWatch?: boolean;
  readonly signal?: AbortSignal;
  /**
   * In total, including retries; also sent to the server as `timeout`. If absent, a default limit applies and is not
   * sent.
   */
  readonly timeoutMs?: number;
}

/** The query with its question mark, keys sorted as upstream sends them; empty without parameters. */
export function encodeQuery(query: Query = {}, timeoutMs?: number): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parts.push(`${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  }
  if (timeoutMs && !query.timeout) parts.push(`timeout=${formatDuration(timeoutMs)}`);
  return parts.length === 0 ? "" : `?${parts.sort().join("&")}`;
}
