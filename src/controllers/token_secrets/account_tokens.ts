import { type KubeObject, type Secret, SECRETS } from "../../api/mod.ts";
import type { InformerNeed } from "../running/mod.ts";

const TYPE = "kubernetes.io/service-account-token";
/** Annotation with the name of the account whose token a Secret holds. */
export const ACCOUNT_NAME = "kubernetes.io/service-account.name";
/** Annotation with that account's UID. */
export const ACCOUNT_UID = "kubernetes.io/service-account.uid";

/** The longest name an object can have. */
export const LONGEST_NAME = 253;

/** Secrets with tokens of ServiceAccounts, in all namespaces. */
export const ACCOUNT_TOKENS = { resource: SECRETS, fieldSelector: `type=${TYPE}` } as const satisfies InformerNeed;

/** The account that a Secret names; fields are empty if the Secret does not state them. */
export interface AccountName {
  readonly name: string;
  readonly uid: string;
}

/** The account whose token `secret` should hold. */
export function accountNamedBy({ metadata }: KubeObject): AccountName {
  return { name: metadata?.annotations?.[ACCOUNT_NAME] ?? "", uid: metadata?.annotations?.[ACCOUNT_UID] ?? "" };
}

/** Whether a Secret holds an account's token: one of another type must never be deleted, whatever a server sends. */
export function isAccountToken({ type }: Secret): boolean {
  return type === TYPE;
}

/**
 * Whether a Secret in the account's namespace holds its token; a Secret without a UID may.
 * Upstream: `k8s.io/apiserver/pkg/authentication/serviceaccount` (IsServiceAccountToken).
 */
export function isTokenOf(secret: Secret, { name, uid }: AccountName): boolean {
  const named = accountNamedBy(secret);
  return isAccountToken(secret) && named.name === name && (named.uid === "" || named.uid === uid);
}
