import {
  type Access,
  accountGroups,
  accountOf,
  ANONYMOUS,
  AUTHENTICATED,
  type Authorizer,
  MASTERS,
  NODE_NAME,
  nodeOf,
  type ResourceAccess,
  UNAUTHENTICATED,
  type User,
} from "../access/mod.ts";
import { accessForbidden } from "../authorization/mod.ts";
import { ApiError, attempt, badRequest } from "../base/mod.ts";
import { quote } from "../validation/mod.ts";

const EXTRA_PREFIX = "impersonate-extra-";
const AUTHENTICATION_GROUP = "authentication.k8s.io";
const DOMAIN_PREFIXED = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[^/]/;

/** A way of being allowed to act as another user. */
interface Mode {
  /**
   * For example `associated-node`; `undefined` for the oldest mode, with verb `impersonate`, which allows any request.
   */
  readonly name?: string;
  /** Whether the mode applies to such a user. */
  fits(wanted: User, requester: User): boolean;
}

/** In the order in which they are tried. Upstream: `apiserver/pkg/endpoints/filters/impersonation/mode.go`. */
const MODES: readonly Mode[] = [
  {
    name: "associated-node",
    fits: (wanted, requester) =>
      isNameOnly(wanted) && nodeOf(wanted.username) !== undefined && accountOf(requester.username) !== undefined &&
      requester.extra?.[NODE_NAME]?.join() === nodeOf(wanted.username),
  },
  { name: "arbitrary-node", fits: (wanted) => isNameOnly(wanted) && nodeOf(wanted.username) !== undefined },
  { name: "serviceaccount", fits: (wanted) => isNameOnly(wanted) && accountOf(wanted.username) !== undefined },
  { name: "user-info", fits: ({ username }) => nodeOf(username) === undefined && accountOf(username) === undefined },
  { fits: () => true },
];

/**
 * Whether a request asks to act as another user. Extra values alone do not count: looking for headers whose names are
 * unknown would cost every request more than all other checks here together.
 */
export function wantsImpersonation(headers: Headers): boolean {
  return headers.has("impersonate-user") || headers.has("impersonate-group") || headers.has("impersonate-uid");
}

/**
 * The user that a request acts as: the one its `Impersonate-` headers name, if the sender may act as that user for
 * `access`.
 *
 * @throws {ApiError} 403 if the sender may not, 400 if the headers name no user.
 */
export function impersonated(headers: Headers, access: Access, { authorize }: Pick<Authorizer, "authorize">): User {
  const wanted = wantedUser(headers);
  let refusal: ApiError | undefined;
  for (const mode of MODES) {
    if (!mode.fits(wanted, access.user)) continue;
    const why = refusalOf(mode, { wanted, access, authorize });
    if (!why) return completed(wanted, mode);
    refusal ??= why;
  }
  throw refusal!;
}

function wantedUser(headers: Headers): User {
  const username = headers.get("impersonate-user") ?? "";
  const uid = headers.get("impersonate-uid") ?? "";
  const groups = listed(headers.get("impersonate-group"));
  const extras: [key: string, values: string[]][] = [];
  for (const [name, value] of headers) {
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    const key = name.slice(EXTRA_PREFIX.length);
    // A key that is badly encoded is used as it is.
    extras.push([attempt(() => decodeURIComponent(key), URIError) ?? key, listed(value)]);
  }
  const extra = Object.fromEntries(extras);
  if (username === "") throw badRequest("impersonation needs a user name");
  return { username, groups, ...uid && { uid }, ...Object.keys(extra).length > 0 && { extra } };
}

/** A header that was sent more than once arrives joined by commas. */
function listed(value: string | null): string[] {
  return value === null ? [] : value.split(",").map((text) => text.trim());
}

function isNameOnly({ uid, groups, extra }: User): boolean {
  return !uid && groups.length === 0 && !extra;
}

interface Question {
  readonly wanted: User;
  readonly access: Access;
  readonly authorize: Authorizer["authorize"];
}

/** Why a mode does not allow the impersonation. */
function refusalOf(mode: Mode, { wanted, access, authorize }: Question): ApiError | undefined {
  const checks = [...checksOf(mode, wanted, access.user)];
  if (mode.name) {
    const on: Access = { ...access, verb: `impersonate-on:${mode.name}:${access.verb}` };
    if (!authorize(on).allowed) return accessForbidden(on, authorize(on).reason);
  }
  for (const check of checks) {
    const never = mode.name && neverGivenAway(check, wanted);
    if (never) return accessForbidden({ ...check, ...never.about }, never.why);
    const { allowed, reason } = authorize(check);
    if (!allowed) return accessForbidden(check, reason);
  }
  return undefined;
}

/** Users that only the oldest mode allows. */
function neverGivenAway(
  { resource }: ResourceAccess,
  { groups, extra = {} }: User,
): { readonly about: Partial<ResourceAccess>; readonly why: string } | undefined {
  if (resource === "groups" && groups.includes("")) {
    return { about: { name: "" }, why: "impersonating the empty string group is not allowed" };
  }
  if (resource === "groups" && groups.includes(MASTERS)) {
    return { about: { name: MASTERS }, why: `impersonating the ${MASTERS} group is not allowed` };
  }
  const key = resource === "userextras" && Object.keys(extra).find((key) => !DOMAIN_PREFIXED.test(key));
  if (key === false || key === undefined) return undefined;
  return { about: { name: "", subresource: "" }, why: `the key ${quote(key)} of extra must be like acme.io/foo` };
}

/** Each part of the user needs a permission of its own. */
function* checksOf({ name: mode }: Mode, wanted: User, user: User): Iterable<ResourceAccess> {
  const verb = mode ? `impersonate:${mode}` : "impersonate";
  const access = { user, verb, group: mode ? AUTHENTICATION_GROUP : "" };
  yield { ...access, ...subjectOf(wanted.username, mode) };
  const { uid, groups, extra = {} } = wanted;
  if (uid) yield { ...access, group: AUTHENTICATION_GROUP, resource: "uids", name: uid };
  for (const name of groups) yield { ...access, resource: "groups", name };
  for (const [subresource, values] of Object.entries(extra)) {
    for (const name of values) {
      yield { ...access, group: AUTHENTICATION_GROUP, resource: "userextras", subresource, name };
    }
  }
}

function subjectOf(
  username: string,
  mode: string | undefined,
): Pick<ResourceAccess, "resource" | "namespace" | "name"> {
  const account = accountOf(username);
  if (account) return { resource: "serviceaccounts", ...account };
  const node = mode ? nodeOf(username) : undefined;
  // A sender may be allowed to be whichever node it runs on.
  if (node !== undefined) return { resource: "nodes", name: mode === "associated-node" ? "*" : node };
  return { resource: "users", name: username };
}

/** The user with the groups that come with it. */
function completed(wanted: User, { name: mode }: Mode): User {
  const account = accountOf(wanted.username);
  let groups = wanted.groups;
  if (mode && nodeOf(wanted.username) !== undefined) groups = ["system:nodes"];
  else if (account && groups.length === 0) groups = accountGroups(account.namespace);
  const isAnonymous = wanted.username === ANONYMOUS.username;
  const implied = isAnonymous ? UNAUTHENTICATED : AUTHENTICATED;
  const hasImplied = groups.includes(implied) || (!isAnonymous && groups.includes(UNAUTHENTICATED));
  return { ...wanted, groups: hasImplied ? groups : [...groups, implied] };
}
