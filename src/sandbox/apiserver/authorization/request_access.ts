import { parseFieldSelector, SelectorError } from "../../../api/mod.ts";
import type { Access, User } from "../access/mod.ts";
import { badRequest } from "../base/mod.ts";

const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const NAMESPACE_SUBRESOURCES = ["status", "finalize"];

/**
 * What a request wants, told from its method and URL alone: somebody who may not see a resource is not told whether it
 * exists. Upstream: `apiserver/pkg/endpoints/request/requestinfo.go`.
 *
 * @throws {ApiError} 400 if the URL is malformed.
 */
export function accessOf(user: User, method: string, url: URL): Access {
  const segments = decodeSegments(url.pathname);
  const [root, ...tail] = segments;
  const isCore = root === "api";
  const path: Access = { user, verb: method.toLowerCase(), path: `/${segments.join("/")}` };
  if (segments.length < 3 || (!isCore && root !== "apis")) return withSlash(path, url);
  const [group, , ...rest] = isCore ? ["", ...tail] : tail;
  if (rest.length === 0) return withSlash(path, url);
  return resourceAccess({ user, method, group, url }, rest);
}

function decodeSegments(pathname: string): string[] {
  try {
    return pathname.replace(/^\/+|(?<!\/)\/+$/g, "").split("/").map(decodeURIComponent);
  } catch {
    throw badRequest(`the path ${JSON.stringify(pathname)} is not well encoded`);
  }
}

/** A path is authorized as it was sent: `/version/` is not `/version`. */
function withSlash(access: Access & { readonly path: string }, { pathname }: URL): Access {
  return pathname.endsWith("/") && access.path !== "/" ? { ...access, path: `${access.path}/` } : access;
}

interface ResourceRequest {
  readonly user: User;
  readonly method: string;
  readonly group: string;
  readonly url: URL;
}

/** @param rest What follows the version. */
function resourceAccess({ user, method, group, url }: ResourceRequest, rest: readonly string[]): Access {
  const isWatch = rest[0] === "watch" && rest.length > 1;
  const parts = isWatch ? rest.slice(1) : rest;
  const namespace = parts[0] === "namespaces" ? parts[1] ?? "" : "";
  const inNamespace = parts[0] === "namespaces" && parts.length > 2 && !NAMESPACE_SUBRESOURCES.includes(parts[2]);
  const [resource, name = "", subresource = ""] = inNamespace ? parts.slice(2) : parts;
  const verb = isWatch ? "watch" : VERBS[method] ?? "";
  const access = { user, group, resource, subresource, namespace };
  if (name !== "") return { ...access, verb, name };
  if (verb === "delete") return { ...access, verb: "deletecollection" };
  if (verb !== "get") return { ...access, verb };
  const { searchParams } = url;
  const watches = searchParams.has("watch") && !["false", "0"].includes(searchParams.get("watch")!.toLowerCase());
  return { ...access, verb: watches ? "watch" : "list", name: selectedName(searchParams.get("fieldSelector")) };
}

/** The one name that a field selector lets through: a role can allow to list just that object. */
function selectedName(fieldSelector: string | null): string | undefined {
  if (!fieldSelector) return undefined;
  try {
    return parseFieldSelector(fieldSelector).requirements
      .find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value;
  } catch (error) {
    // Whoever reads the list will refuse it.
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
