import { joinKey, type KubeObject } from "../../api/mod.ts";
import { type AccountName, accountNamedBy, LONGEST_NAME } from "../token_secrets/mod.ts";

/**
 * A work item: an object in the state in which it changed. A successor of the same name is a different item, as is a
 * Secret that names another account by now.
 */
export interface TokenKey {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** For a Secret, the account that it named. */
  readonly account?: AccountName;
}

/** The key of an account. */
export function accountKey({ metadata }: KubeObject): string {
  return JSON.stringify([metadata?.namespace ?? "", metadata?.name ?? "", metadata?.uid ?? ""]);
}

/** The key of a Secret. */
export function secretKey(secret: KubeObject): string {
  const { namespace = "", name = "", uid = "" } = secret.metadata ?? {};
  const account = accountNamedBy(secret);
  return JSON.stringify([namespace, name, uid, bounded(account.name), bounded(account.uid)]);
}

/** Reads what {@link accountKey} or {@link secretKey} made. */
export function readKey(key: string): TokenKey {
  const [namespace, name, uid, accountName, accountUid = ""]: string[] = JSON.parse(key);
  return {
    namespace,
    name,
    uid,
    ...accountName === undefined ? {} : { account: { name: accountName, uid: accountUid } },
  };
}

/** The object's ordinary key. */
export function objectKeyIn(key: string): string {
  const { namespace, name } = readKey(key);
  return joinKey(namespace, name);
}

/** Limits a text: an annotation may have 256 KiB, but names are short. */
function bounded(text: string): string {
  return text.slice(0, LONGEST_NAME + 1);
}
