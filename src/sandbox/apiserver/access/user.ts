/** Who sends a request. */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Everybody who has shown who they are. */
export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";
/** Who it is that shows nothing. */
export const ANONYMOUS: User = { username: "system:anonymous", groups: [UNAUTHENTICATED] };
/** Who has the administrator's token, and everybody where nobody is asked. */
export const ADMINISTRATOR: User = { username: "kubernetes-admin", groups: ["system:masters", AUTHENTICATED] };

/** Where a user's `extra` says which credential was shown. */
export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";
export const NODE_NAME = "authentication.kubernetes.io/node-name";

const ACCOUNT_PREFIX = "system:serviceaccount:";
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A service account. */
export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export function accountUsername({ namespace, name }: AccountName): string {
  return `${ACCOUNT_PREFIX}${namespace}:${name}`;
}

/** The groups that every service account of a namespace is in, besides those of everybody. */
export function accountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** The service account whose username this is. */
export function accountOf(username: string): AccountName | undefined {
  if (!username.startsWith(ACCOUNT_PREFIX)) return undefined;
  const [namespace, name, ...more] = username.slice(ACCOUNT_PREFIX.length).split(":");
  if (more.length > 0 || !LABEL.test(namespace) || !SUBDOMAIN.test(name ?? "")) return undefined;
  return { namespace, name };
}

/** The node whose username this is. */
export function nodeOf(username: string): string | undefined {
  const name = /^system:node:(.*)$/.exec(username)?.[1];
  return name !== undefined && SUBDOMAIN.test(name) ? name : undefined;
}
