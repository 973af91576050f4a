import type { Flags } from "./flags.ts";

/** The values of `--client-ca-file`, `--requestheader-*` and the flags about their look-up. */
export interface TrustOptions {
  readonly clientCaFile: string;
  readonly requestHeader: RequestHeaderOptions & { readonly caFile: string };
  readonly skipLookup: boolean;
  readonly tolerateLookupFailure: boolean;
}

/** How a front proxy names the user of a request. Header names in lower case. */
export interface RequestHeaderOptions {
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
  /** Accepted common names of its certificate; empty for any. */
  readonly allowedNames: readonly string[];
}

/** How the endpoint authenticates clients. */
export interface AuthenticationOptions extends TrustOptions {
  /** Empty for the pod's own credentials, if it runs in one. */
  readonly kubeconfig: string;
  readonly tokenTtlMs: number;
}

/** How the endpoint authorizes requests. */
export interface AuthorizationOptions {
  readonly kubeconfig: string;
  readonly alwaysAllowPaths: readonly string[];
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
}

/** Reads the authentication flags. */
export function authenticationOptions(flags: Flags): AuthenticationOptions {
  return {
    kubeconfig: flags.string("authentication-kubeconfig"),
    tokenTtlMs: flags.durationMs("authentication-token-webhook-cache-ttl"),
    clientCaFile: flags.string("client-ca-file"),
    skipLookup: flags.bool("authentication-skip-lookup"),
    tolerateLookupFailure: flags.bool("authentication-tolerate-lookup-failure"),
    requestHeader: {
      caFile: flags.string("requestheader-client-ca-file"),
      allowedNames: flags.strings("requestheader-allowed-names"),
      usernameHeaders: flags.strings("requestheader-username-headers"),
      uidHeaders: flags.strings("requestheader-uid-headers"),
      groupHeaders: flags.strings("requestheader-group-headers"),
      extraPrefixes: flags.strings("requestheader-extra-headers-prefix"),
    },
  };
}

/** Reads the authorization flags. */
export function authorizationOptions(flags: Flags): AuthorizationOptions {
  return {
    kubeconfig: flags.string("authorization-kubeconfig"),
    alwaysAllowPaths: flags.strings("authorization-always-allow-paths"),
    allowTtlMs: flags.durationMs("authorization-webhook-cache-authorized-ttl"),
    denyTtlMs: flags.durationMs("authorization-webhook-cache-unauthorized-ttl"),
  };
}
