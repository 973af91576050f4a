import { KUBERNETES_VERSION } from "../../api/mod.ts";
import type { Aggregation, Backend, ServedResource } from "./resources/mod.ts";
import { answerJson, parseParts, type PathParts, segmentsOf } from "./requests/mod.ts";
import { serveDiscovery } from "./discovery/mod.ts";
import { methodNotAllowed, pathNotFound } from "./base/mod.ts";
import { serveOpenApi, serveOpenApiV2 } from "./openapi/mod.ts";
import type { ServerState } from "./operations/mod.ts";

const [, MAJOR, MINOR] = /^v(\d+)\.(\d+)/.exec(KUBERNETES_VERSION)!;
const VERSION = {
  major: MAJOR,
  minor: MINOR,
  emulationMajor: MAJOR,
  emulationMinor: MINOR,
  minCompatibilityMajor: MAJOR,
  minCompatibilityMinor: String(Number(MINOR) - 1),
  gitVersion: `${KUBERNETES_VERSION}+kubeloop`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "go1.26",
  compiler: "gc",
  platform: "linux/amd64",
};

const HEALTH = ["healthz", "livez", "readyz"];
/** The health checks; each can be requested by itself. */
const CHECKS = ["ping", "log", "etcd"];
const OPEN_API = ["/openapi/v2", "/openapi/v3"];
const PLAIN_TEXT = { "content-type": "text/plain; charset=utf-8" };

/** Serves paths outside resources: health, version, discovery. Returns `undefined` for a path that must be routed. */
export function serveStatic(state: ServerState, request: Request, url: URL): Response | Promise<Response> | undefined {
  const segments = segmentsOf(url);
  const [root, ...rest] = segments;
  if (root === undefined) return answerJson({ paths: pathsOf(state.aggregation) });
  if (HEALTH.includes(root)) return serveHealth(url);
  if (root === "version") return serveVersion(request, rest);
  if (root === "openapi" && rest[0] === "v3") return serveOpenApi(state, request, rest.slice(1));
  if (root === "openapi" && rest[0] === "v2" && rest.length === 1) return serveOpenApiV2(request);
  if (root !== "api" && root !== "apis") return noSuchPage();
  const [group, version, ...below] = root === "api" ? ["", ...rest] : rest;
  const served = root === "apis" && group === "" ? undefined : state.resources.group(group);
  const isGroup = root === "apis" && rest.length === 1;
  const isBehind = isGroup && state.aggregation.groups().some((each) => each.group === group);
  if (rest.length > 0 && !served && !isBehind) return noSuchPage();
  if (version !== undefined && !served?.versions.includes(version)) {
    if (served?.isBuiltIn) throw pathNotFound();
    return noSuchPage();
  }
  if (below.length > 0) {
    const parts = parseParts(below);
    const isRouted = served?.isBuiltIn || isDefined(state.resources.find(group, version, parts.plural), parts);
    return isRouted ? undefined : noSuchPage();
  }
  // The lists of groups ignore the query.
  if (version !== undefined || root === "api") checkReads(request);
  return serveDiscovery(state, request, segments);
}

/** The service, other than this server, that serves a path. */
export function serviceBehind({ aggregation }: ServerState, url: URL): Backend | undefined {
  const [root, group, version] = segmentsOf(url);
  return root === "apis" && group && version ? aggregation.serviceOf(group, version) : undefined;
}

/** Whether a path below a version is a custom resource's, so that no other service answers for what it lacks. */
function isDefined(resource: ServedResource | undefined, { namespace, name }: PathParts): boolean {
  if (!resource) return false;
  return resource.namespaced ? namespace !== undefined || name === "" : namespace === undefined;
}

function serveVersion(request: Request, rest: readonly string[]): Response {
  if (rest.length > 0) throw pathNotFound();
  checkReads(request);
  return answerJson(VERSION);
}

function checkReads({ method }: Request): void {
  if (method !== "GET") throw methodNotAllowed();
}

/** Upstream: `apiserver/pkg/server/healthz`. */
function serveHealth({ pathname, searchParams }: URL): Response {
  const [, root, ...check] = pathname.split("/");
  if (check.length > 0 && !CHECKS.includes(check.join("/"))) return noSuchPage();
  if (check.length > 0 || !searchParams.has("verbose")) return new Response("ok", { headers: PLAIN_TEXT });
  const lines = [...CHECKS.map((name) => `[+]${name} ok`), `${root} check passed`, ""];
  return new Response(lines.join("\n"), { headers: PLAIN_TEXT });
}

function pathsOf(aggregation: Aggregation): string[] {
  const groups = aggregation.groups().flatMap(({ group, versions }) => {
    const path = group === "" ? "/api" : `/apis/${group}`;
    return [path, ...versions.map((version) => `${path}/${version}`)];
  });
  const health = HEALTH.flatMap((root) => [`/${root}`, ...CHECKS.map((check) => `/${root}/${check}`)]);
  return [...groups, "/apis", ...health, ...OPEN_API, "/version"].sort();
}

/** The response at a path where nothing is installed. */
function noSuchPage(): Response {
  return new Response("404 page not found\n", { status: 404, headers: PLAIN_TEXT });
}
