import type { Store, StoredObject } from "../../storage/mod.ts";
import { type Claims, TokenError } from "./service_account_keys.ts";
import { accountGroups, accountUsername, AUTHENTICATED, CREDENTIAL_ID, NODE_NAME, type User } from "../access/mod.ts";

/** The issuer of tokens, and their audience unless the request names another. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";
/** How far two clocks may differ. */
const LEEWAY_MS = 60_000;

/** An object that a token names. */
interface Reference {
  readonly name: string;
  readonly uid?: string;
}

/** The claim `kubernetes.io` of a token. */
export interface AccountClaims {
  readonly namespace: string;
  readonly node?: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  readonly serviceaccount: Reference;
  readonly warnafter?: number;
}

/** The claims of what a token can be bound to; it is invalid once that is gone. */
const BINDINGS = ["secret", "pod", "node"] as const;

interface Circumstances {
  readonly store: Store;
  readonly nowMs: number;
}

/**
 * The user of a token that this server issued and signed. Upstream: `pkg/serviceaccount/claims.go`.
 *
 * @throws {TokenError} If it has expired or is not valid yet, or what it is bound to is gone.
 */
export function userOfBoundToken(claims: Claims, circumstances: Circumstances): User {
  checkTime(claims, circumstances.nowMs);
  // The signature proves that this server wrote them.
  const bound = claims["kubernetes.io"] as AccountClaims;
  checkAccount(bound, circumstances);
  for (const claim of BINDINGS) {
    // In a pod's token, the node only says where the pod was.
    if (bound[claim] && !(claim === "node" && bound.pod)) checkBinding(claim, bound[claim], bound, circumstances);
  }
  return {
    username: accountUsername({ namespace: bound.namespace, name: bound.serviceaccount.name }),
    uid: bound.serviceaccount.uid,
    groups: [...accountGroups(bound.namespace), AUTHENTICATED],
    ...extraOf(bound, claims.jti),
  };
}

function checkTime({ exp, nbf, iat }: Claims, nowMs: number): void {
  const seconds = (claim: unknown) => typeof claim === "number" ? claim : undefined;
  const early = (nowMs - LEEWAY_MS) / 1000;
  const late = (nowMs + LEEWAY_MS) / 1000;
  if (late < (seconds(nbf) ?? 0)) throw new TokenError("service account token is not valid yet");
  if (early > (seconds(exp) ?? Infinity)) throw new TokenError("service account token has expired");
  if (late < (seconds(iat) ?? 0)) throw new TokenError("service account token is issued in the future");
}

function checkAccount({ namespace, serviceaccount: { name, uid } }: AccountClaims, { store, nowMs }: Circumstances) {
  const account = store.get("serviceaccounts", `${namespace}/${name}`);
  if (!account) throw new TokenError(`serviceaccount "${name}" not found`);
  if (account.metadata.uid !== uid) {
    throw new TokenError(`service account UID (${account.metadata.uid}) does not match claim (${uid})`);
  }
  if (isDeleted(account, nowMs)) throw new TokenError(`service account ${namespace}/${name} has been deleted`);
}

function checkBinding(
  claim: typeof BINDINGS[number],
  { name, uid }: Reference,
  { namespace }: AccountClaims,
  { store, nowMs }: Circumstances,
): void {
  const object = store.get(`${claim}s`, claim === "node" ? name : `${namespace}/${name}`);
  if (!object || (object.metadata.uid === uid && isDeleted(object, nowMs))) {
    throw new TokenError("service account token has been invalidated");
  }
  if (object.metadata.uid === uid) return;
  throw new TokenError(
    `${claim} UID (${object.metadata.uid}) does not match service account ${claim} ref claim (${uid})`,
  );
}

function isDeleted({ metadata: { deletionTimestamp } }: StoredObject, nowMs: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < nowMs - LEEWAY_MS;
}

function extraOf({ node, pod }: AccountClaims, jti: unknown): Pick<User, "extra"> {
  const extra: Record<string, string[]> = {};
  if (typeof jti === "string") extra[CREDENTIAL_ID] = [`JTI=${jti}`];
  if (node?.name) extra[NODE_NAME] = [node.name];
  if (node?.name && node.uid) extra["authentication.kubernetes.io/node-uid"] = [node.uid];
  if (pod?.name && pod.uid) {
    extra["authentication.kubernetes.io/pod-name"] = [pod.name];
    extra["authentication.kubernetes.io/pod-uid"] = [pod.uid];
  }
  return Object.keys(extra).length > 0 ? { extra } : {};
}
