import type { UserInfo } from "../../../api/mod.ts";

/** The sender of a request. */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The group of all authenticated users. */
export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";
/** Its members may do anything; nothing is looked up. */
export const MASTERS = "system:masters";
export const ANONYMOUS: User = { username: "system:anonymous", groups: [UNAUTHENTICATED] };
/** The user with the administrator's token, and of all requests where authentication is off. */
export const ADMINISTRATOR: User = { username: "kubernetes-admin", groups: [MASTERS, AUTHENTICATED] };

/** The `extra` key that says which credential was used. */
export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";
export const NODE_NAME = "authentication.kubernetes.io/node-name";

const ACCOUNT_PREFIX = "system:serviceaccount:";
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export function accountUsername({ namespace, name }: AccountName): string {
  return `${ACCOUNT_PREFIX}${namespace}:${name}`;
}

/** The groups of every service account in a namespace, besides those of all users. */
export function accountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

export function accountOf(username: string): AccountName | undefined {
  if (!username.startsWith(ACCOUNT_PREFIX)) return undefined;
  const [namespace, name, ...more] = username.slice(ACCOUNT_PREFIX.length).split(":");
  if (more.length > 0 || !LABEL.test(namespace) || !SUBDOMAIN.test(name ?? "")) return undefined;
  return { namespace, name };
}

export function nodeOf(username: string): string | undefined {
  const name = /^system:node:(.*)$/.exec(username)?.[1];
  return name !== undefined && SUBDOMAIN.test(name) ? name : undefined;
}

/** A user in the form that reviews have. */
export function userInfo({ username, uid, groups, extra }: User): UserInfo {
  return {
    username,
    ...uid ? { uid } : {},
    ...groups.length > 0 ? { groups: [...groups] } : {},
    ...extra ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) } : {},
  };
}
