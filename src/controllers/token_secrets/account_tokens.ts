import { type KubeObject, type Secret, SECRETS } from "../../api/mod.ts";
import type { InformerNeed } from "../running/mod.ts";

const TYPE = "kubernetes.io/service-account-token";
/** Annotation with the name of the account whose token a Secret holds. */
export const ACCOUNT_NAME = "kubernetes.io/service-account.name";
/** Annotation with that account's UID. */
export const ACCOUNT_UID = "kubernetes.io/service-account.uid";

/** No object has a longer name. */
export const LONGEST_NAME = 253;

/** Secrets with tokens of ServiceAccounts, in all namespaces. */
export const ACCOUNT_TOKENS = { resource: SECRETS, fieldSelector: `type=${TYPE}` } as const satisfies InformerNeed;

/** An account, by what Secrets say of it; empty where they say nothing. */
export interface AccountName {
  readonly name: string;
  readonly uid: string;
}

/** The account whose token `secret` is to hold. */
export function accountNamedBy({ metadata }: KubeObject): AccountName {
  return { name: metadata?.annotations?.[ACCOUNT_NAME] ?? "", uid: metadata?.annotations?.[ACCOUNT_UID] ?? "" };
}

/** Whether a Secret holds an account's token: one of another type is nobody's to delete, whatever a server sends. */
export function isAccountToken({ type }: Secret): boolean {
  return type === TYPE;
}

/**
 * Whether a Secret of the account's namespace holds its token; one that says no UID may.
 * Upstream: `k8s.io/apiserver/pkg/authentication/serviceaccount` (IsServiceAccountToken).
 */
export function isTokenOf(secret: Secret, { name, uid }: AccountName): boolean {
  const named = accountNamedBy(secret);
  return isAccountToken(secret) && named.name === name && (named.uid === "" || named.uid === uid);
}
