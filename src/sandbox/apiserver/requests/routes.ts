import { badRequest, methodNotAllowed, notFound, pathNotFound, verbNotSupported } from "../base/mod.ts";
import type { ResourceTable, ServedResource } from "../resources/mod.ts";
import { booleanParameter } from "./parameters.ts";

/** The verb of a request. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A parsed request to a resource. */
export interface Route {
  readonly verb: Verb;
  readonly served: ServedResource;
  /** Empty for cluster-scoped kinds and for all namespaces. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

const NAMESPACE_SUBRESOURCES = ["status", "finalize"];

/** The parts of a path below a version. */
export interface PathParts {
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  readonly isWatch: boolean;
}

/** Parses what follows the version in a path. */
export function parseParts(segments: readonly string[]): PathParts {
  const isWatch = segments[0] === "watch";
  const rest = isWatch ? segments.slice(1) : segments;
  const inNamespace = rest[0] === "namespaces" && rest.length > 2 && !NAMESPACE_SUBRESOURCES.includes(rest[2]);
  const [plural = "", name = "", ...tail] = inNamespace ? rest.slice(2) : rest;
  return { namespace: inNamespace ? rest[1] : undefined, plural, name, subresource: tail.join("/"), isWatch };
}

/** The verbs of methods, for an object and for a collection. */
const VERBS: Readonly<Record<string, readonly [object: Verb, collection: Verb]>> = {
  GET: ["get", "list"],
  POST: ["create", "create"],
  PUT: ["update", "update"],
  PATCH: ["patch", "patch"],
  DELETE: ["delete", "deletecollection"],
};

/**
 * The segments of a path as written, without empty ones at the end.
 *
 * @example
 * ```ts
 * import { segmentsOf } from "./routes.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(segmentsOf(new URL("http://server/api/v1//pods/")), ["api", "v1", "", "pods"]);
 * ```
 */
export function segmentsOf({ pathname }: URL): string[] {
  return pathname.replace(/(?<!\/)\/+$/, "").split("/").slice(1);
}

/** @throws {ApiError} 400 or 404 for names that no object can have. */
function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    const decoded = decodeURIComponent(segment);
    if (!decoded.includes("/")) return decoded;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw badRequest(`invalid URL escape in ${JSON.stringify(segment)}`);
  }
  throw pathNotFound();
}

/**
 * The route for a path below `/api` or `/apis`.
 *
 * @throws {ApiError} 404 if nothing is served there, 405 if the method is not supported.
 */
export function routeOf(table: ResourceTable, method: string, url: URL): Route {
  const segments = segmentsOf(url).map(decodeSegment);
  const [root, ...tail] = segments;
  const [group, version, ...rest] = root === "api" ? ["", ...tail] : tail;
  const { namespace, plural, name, subresource, isWatch } = parseParts(rest);
  const served = table.find(group, version, plural);
  if (!served || (namespace !== undefined && !served.namespaced)) throw pathNotFound();
  if (served.namespaced && !namespace && name !== "") throw pathNotFound();
  if (name === "" && subresource !== "") throw pathNotFound();
  // A single object can only be watched below `/watch/`.
  const watches = isWatch || (name === "" && booleanParameter(url.searchParams, "watch"));
  const [onObject, onCollection] = VERBS[method] ?? [];
  const verb = method === "GET" && watches && subresource === "" ? "watch" : name === "" ? onCollection : onObject;
  const route = { served, namespace: namespace ?? "", name, subresource };
  if (!verb) throw methodNotAllowed();
  checkVerb(verb, route);
  return { ...route, verb };
}

/** Verbs that apply to a named object. */
const NAMED_VERBS = ["get", "update", "patch", "delete"];

function checkVerb(verb: Verb, { served, namespace, name, subresource }: Omit<Route, "verb">): void {
  if (subresource !== "") {
    const [first, ...below] = subresource.split("/");
    const found = below.length === 0 || first === "proxy" ? served.served.get(first) : undefined;
    if (!found) throw served.custom ? notFound(served, name) : pathNotFound();
    if (!found.verbs.includes(verb)) throw served.custom ? verbNotSupported(served, verb) : methodNotAllowed();
    return;
  }
  if (name !== "" && !served.verbs.some((each) => NAMED_VERBS.includes(each))) throw pathNotFound();
  const crossNamespace = served.namespaced && namespace === "";
  const isWrite = verb === "create" || verb === "deletecollection";
  if (!served.verbs.includes(verb) || (crossNamespace && isWrite) || (verb === "create" && name !== "")) {
    throw methodNotAllowed();
  }
  if ((verb === "update" || verb === "patch") && name === "") {
    throw served.custom ? badRequest("name must be provided") : methodNotAllowed();
  }
}
