/** The sender of a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

const AUTHENTICATED = "system:authenticated";

/** Adds the group `system:authenticated`. */
export function authenticated(user: User): User {
  const known = user.groups.includes(AUTHENTICATED) || user.name === ANONYMOUS.name;
  return known ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}
