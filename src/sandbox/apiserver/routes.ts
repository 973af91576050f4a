import { methodNotAllowed, pathNotFound } from "./errors.ts";
import type { ResourceTable } from "./resource_table.ts";
import type { ServedResource } from "./served.ts";

/** What a request wants done. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A request to a resource, taken apart. */
export interface Route {
  readonly verb: Verb;
  readonly served: ServedResource;
  /** Empty for cluster-scoped kinds and for all namespaces. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
}

const NAMESPACE_SUBRESOURCES = ["status", "finalize"];

interface PathParts {
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  readonly isWatch: boolean;
}

/** What follows the version in a path. */
function parseParts(segments: readonly string[]): PathParts {
  const isWatch = segments[0] === "watch";
  const rest = isWatch ? segments.slice(1) : segments;
  const inNamespace = rest[0] === "namespaces" && rest.length > 2 && !NAMESPACE_SUBRESOURCES.includes(rest[2]);
  const [plural = "", name = "", ...tail] = inNamespace ? rest.slice(2) : rest;
  return { namespace: inNamespace ? rest[1] : undefined, plural, name, subresource: tail.join("/"), isWatch };
}

function verbOf(method: string, isCollection: boolean, isWatch: boolean): Verb | undefined {
  switch (method) {
    case "GET":
    case "HEAD":
      return isWatch ? "watch" : isCollection ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isCollection ? "deletecollection" : "delete";
  }
  return undefined;
}

/**
 * The route of a path below `/api` or `/apis`.
 *
 * @throws {ApiError} 404 if nothing is served there, 405 if the method is not.
 */
export function routeOf(table: ResourceTable, method: string, url: URL): Route {
  const segments = url.pathname.split("/").filter((segment) => segment !== "").map(decodeURIComponent);
  const [root, ...tail] = segments;
  const [group, version, ...rest] = root === "api" ? ["", ...tail] : tail;
  const { namespace, plural, name, subresource, isWatch } = parseParts(rest);
  const served = table.find(group, version, plural);
  if (!served || (namespace !== undefined && !served.namespaced)) throw pathNotFound();
  if (served.namespaced && namespace === undefined && name !== "") throw pathNotFound();
  const watches = isWatch || ["true", "1"].includes(url.searchParams.get("watch") ?? "");
  const verb = verbOf(method, name === "", watches && subresource === "");
  const route = { served, namespace: namespace ?? "", name, subresource };
  if (!verb) throw methodNotAllowed();
  checkVerb(verb, route);
  return { ...route, verb };
}

function checkVerb(verb: Verb, { served, namespace, name, subresource }: Omit<Route, "verb">): void {
  if (subresource !== "") {
    const found = served.served.get(subresource.split("/")[0]);
    if (!found) throw pathNotFound();
    if (!found.verbs.includes(verb)) throw methodNotAllowed();
    return;
  }
  const crossNamespace = served.namespaced && namespace === "";
  const isWrite = verb === "create" || verb === "deletecollection";
  if (!served.verbs.includes(verb) || (crossNamespace && isWrite) || (verb === "create" && name !== "")) {
    throw methodNotAllowed();
  }
  if ((verb === "update" || verb === "patch") && name === "") throw methodNotAllowed();
}
