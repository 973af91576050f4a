import { encodeBase64 } from "@std/encoding/base64";
import type { Impersonation } from "../client_config.ts";
import type { Exchange, WireRequest } from "../transport.ts";

/** Authenticates requests. */
export interface Credentials {
  /** The value of the Authorization header; `undefined` to send none. The signal is the request's. */
  authorization(signal?: AbortSignal): Promise<string | undefined> | string | undefined;
  /** The server answered 401 to a request sent with `authorization`. */
  refused?(authorization: string | undefined): Promise<void> | void;
}

/** User and password in every request. */
export function basicCredentials({ username, password }: { username: string; password: string }): Credentials {
  const value = `Basic ${encodeBase64(`${username}:${password}`)}`;
  return { authorization: () => value };
}

/** A token that never changes. */
export function tokenCredentials(token: string): Credentials {
  return { authorization: () => `Bearer ${token}` };
}

/**
 * Adds the credentials to every request that has none. A 401 is reported to the credentials and returned to the caller,
 * who decides whether to retry.
 */
export function withCredentials(exchange: Exchange, credentials: Credentials): Exchange {
  return async (request) => {
    if (request.headers.authorization !== undefined) return await exchange(request);
    const authorization = await credentials.authorization(request.signal);
    const response = await exchange(authorization === undefined ? request : withHeaders(request, { authorization }));
    if (response.status === 401) await credentials.refused?.(authorization);
    return response;
  };
}

/** Adds impersonation to every request that has none. */
export function withImpersonation(exchange: Exchange, impersonation: Impersonation): Exchange {
  const headers = impersonationHeaders(impersonation);
  return (request) =>
    exchange(request.headers["impersonate-user"] === undefined ? withHeaders(request, headers) : request);
}

/** Upstream: `client-go/transport/round_trippers.go` (impersonatingRoundTripper). */
export function impersonationHeaders(
  { user, uid, groups = [], extra = new Map() }: Impersonation,
): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { "impersonate-user": user };
  if (uid) headers["impersonate-uid"] = uid;
  if (groups.length > 0) headers["impersonate-group"] = groups;
  for (const [key, values] of extra) headers[`impersonate-extra-${escapeKey(key)}`] = values;
  return headers;
}

const encoder = new TextEncoder();

/**
 * Percent-encodes the characters that a header name cannot contain, and the percent sign. Keys are case-insensitive.
 */
function escapeKey(key: string): string {
  return [...encoder.encode(key)].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[!#$&'*+\-.^_`|~0-9a-zA-Z]/.test(character)
      ? character.toLowerCase()
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

function withHeaders(request: WireRequest, headers: WireRequest["headers"]): WireRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}
