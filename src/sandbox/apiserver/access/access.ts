import type { User } from "./user.ts";

/** Somebody wants to do something with a resource. Upstream: `apiserver/pkg/authorization/authorizer` (Attributes). */
export interface ResourceAccess {
  readonly user: User;
  /**
   * Of requests (`get`, `deletecollection`), or a special one: `approve`, `bind`, `escalate`, `impersonate`, `sign`,
   * `use`.
   */
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  readonly subresource?: string;
  /** Absent or empty for cluster-scoped kinds and for all namespaces. */
  readonly namespace?: string;
  /** Absent or empty for all of them. */
  readonly name?: string;
}

/** Somebody wants to reach a path that leads to no resource, such as `/healthz`. */
export interface PathAccess {
  readonly user: User;
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export type Access = ResourceAccess | PathAccess;

/** What an authorizer says. */
export interface Decision {
  readonly allowed: boolean;
  /** Why; empty where there is nothing to say. */
  readonly reason: string;
}

/** A rule of a role: the verbs it allows, on resources or on paths. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The rules that apply to somebody. */
export interface HeldRules {
  readonly rules: readonly Rule[];
  /** Why some could not be found. */
  readonly errors: readonly string[];
}

/** Says who may do what. It answers at once: what it needs is in memory. */
export interface Authorizer {
  readonly authorize: (access: Access) => Decision;
  /** What somebody may do in a namespace; in none of them where it is empty. */
  readonly rulesFor: (user: User, namespace: string) => HeldRules;
}
