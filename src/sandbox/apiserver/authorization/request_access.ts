import { parseFieldSelector, SelectorError } from "../../../api/mod.ts";
import type { Access, User } from "../access/mod.ts";
import { attempt, badRequest, translate } from "../base/mod.ts";

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
 * What a request tries to access, from its method and URL alone: a user who may not see a resource does not learn
 * whether it exists. Upstream: `apiserver/pkg/endpoints/request/requestinfo.go`.
 *
 * @throws {ApiError} 400 if the URL is malformed.
 */
export function accessOf(user: User, method: string, url: URL): Access {
  const { pathname, searchParams } = url;
  const segments = decodeSegments(pathname);
  const [root, ...tail] = segments;
  const [group, , ...rest] = root === "api" ? ["", ...tail] : tail;
  if ((root !== "api" && root !== "apis") || rest.length === 0) {
    const path = `/${segments.join("/")}`;
    // Paths are authorized as sent: `/version/` is not `/version`.
    const slash = pathname.endsWith("/") && path !== "/" ? "/" : "";
    return { user, verb: method.toLowerCase(), path: path + slash };
  }
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
  const watches = searchParams.has("watch") && !["false", "0"].includes(searchParams.get("watch")!.toLowerCase());
  return { ...access, verb: watches ? "watch" : "list", name: selectedName(searchParams.get("fieldSelector")) };
}

function decodeSegments(pathname: string): string[] {
  const decode = () => pathname.replace(/^\/+|(?<!\/)\/+$/g, "").split("/").map(decodeURIComponent);
  return translate(decode, URIError, () => badRequest(`the path ${JSON.stringify(pathname)} is not well encoded`));
}

/** The name that a field selector requires, since a role can allow to list that one object. */
function selectedName(fieldSelector: string | null): string | undefined {
  if (!fieldSelector) return undefined;
  // The list handler will refuse a malformed selector.
  const selector = attempt(() => parseFieldSelector(fieldSelector), SelectorError);
  return selector?.requirements.find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value;
}
