import type { User } from "./user.ts";

/** An attempt to act on a resource. Upstream: `apiserver/pkg/authorization/authorizer` (Attributes). */
export interface ResourceAccess {
  readonly user: User;
  /** A request's verb, or a special one: `approve`, `bind`, `escalate`, `impersonate`, `sign`, `use`. */
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  readonly subresource?: string;
  /** Absent or empty for cluster-scoped kinds and for all namespaces. */
  readonly namespace?: string;
  /** Absent or empty for all objects. */
  readonly name?: string;
}

/** An attempt to access a path outside all resources, such as `/healthz`. */
interface PathAccess {
  readonly user: User;
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export type Access = ResourceAccess | PathAccess;

/** What somebody attempts. */
export type Attempt = Omit<ResourceAccess, "user"> | Omit<PathAccess, "user">;

/** An authorizer's decision. */
export interface Decision {
  readonly allowed: boolean;
  /** Why; may be empty. */
  readonly reason: string;
}

/** A rule of a role: the verbs that it allows on resources or paths. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The rules that apply to a user. */
export interface HeldRules {
  readonly rules: readonly Rule[];
  /** Why some rules could not be found. */
  readonly errors: readonly string[];
}

/** Decides who may do what. Decisions are synchronous, since everything they need is in memory. */
export interface Authorizer {
  readonly authorize: (access: Access) => Decision;
  /** What a user may do in a namespace; an empty namespace means cluster-wide. */
  readonly rulesFor: (user: User, namespace: string) => HeldRules;
}
