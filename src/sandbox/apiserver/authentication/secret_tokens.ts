import { decodeBase64 } from "@std/encoding/base64";
import { deepCopy } from "../../../base/mod.ts";
import { formatTime, type Secret } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { type ServerState, systemOperation } from "../operations/mod.ts";
import { updateObject } from "../writes/mod.ts";
import { type Claims, TokenError } from "./service_account_keys.ts";
import {
  accountGroups,
  type AccountName,
  accountOf,
  accountUsername,
  AUTHENTICATED,
  type User,
} from "../access/mod.ts";

/** The issuer of tokens in Secrets: a token controller. */
export const SECRET_TOKEN_ISSUER = "kubernetes/serviceaccount";
const PREFIX = "kubernetes.io/serviceaccount/";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const DAY_MS = 24 * 3_600_000;

type StoredSecret = Secret & StoredObject;

/**
 * The user of a token from a Secret of type `kubernetes.io/service-account-token`. Records the day of its use on the
 * Secret. Upstream: `pkg/serviceaccount/legacy.go`.
 *
 * @throws {TokenError} If the Secret or its account is gone or was replaced.
 */
export function userOfSecretToken(token: string, claims: Claims, state: ServerState): User {
  const claim = (name: string, missing: string): string => {
    const value = claims[name];
    if (typeof value === "string" && value !== "") return value;
    throw new TokenError(`${missing} claim is missing`);
  };
  const subject = claim("sub", "sub");
  const namespace = claim(`${PREFIX}namespace`, "namespace");
  const secretName = claim(`${PREFIX}secret.name`, "secretName");
  const name = claim(`${PREFIX}service-account.name`, "serviceAccountName");
  const uid = claim(`${PREFIX}service-account.uid`, "serviceAccountUID");
  const account = accountOf(subject);
  if (account?.namespace !== namespace || account.name !== name) throw new TokenError("sub claim is invalid");
  const secret = checkedSecret(state, `${namespace}/${secretName}`, token);
  checkAccount(state, account, uid);
  noteUse(state, secret);
  if (secret.metadata.labels?.[INVALID_SINCE]) {
    throw new TokenError(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid; ` +
        `remove the label ${INVALID_SINCE} from the secret to allow it, or request another token`,
    );
  }
  return { username: accountUsername(account), uid, groups: [...accountGroups(namespace), AUTHENTICATED] };
}

function checkedSecret({ store }: ServerState, key: string, token: string): StoredSecret {
  const secret = store.get("secrets", key) as StoredSecret | undefined;
  if (!secret || secret.metadata.deletionTimestamp) throw new TokenError("Token has been invalidated");
  const kept = new TextDecoder().decode(decodeBase64(secret.data?.token ?? ""));
  if (kept !== token) throw new TokenError("Token does not match server's copy");
  return secret;
}

function checkAccount({ store }: ServerState, { namespace, name }: AccountName, uid: string): void {
  const account = store.get("serviceaccounts", `${namespace}/${name}`);
  if (!account) throw new TokenError(`serviceaccount "${name}" not found`);
  if (account.metadata.deletionTimestamp) throw new TokenError(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (account.metadata.uid === uid) return;
  throw new TokenError(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`);
}

/** At most once a day; the cleaner of unused tokens relies on it. */
function noteUse(state: ServerState, { metadata }: StoredSecret): void {
  const nowMs = state.world.clock.wallMs();
  const today = formatTime(nowMs).slice(0, 10);
  const used = metadata.labels?.[LAST_USED];
  if (used === today || used === formatTime(nowMs + DAY_MS).slice(0, 10)) return;
  const operation = systemOperation(state, "secrets", metadata.namespace);
  const change = (old: StoredObject | undefined): StoredObject => {
    const secret = deepCopy(old!);
    secret.metadata.labels = { ...secret.metadata.labels, [LAST_USED]: today };
    return secret;
  };
  updateObject(operation, metadata.name!, change, { isPatch: true });
}
