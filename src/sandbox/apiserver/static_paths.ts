import { answerJson } from "./answers.ts";
import {
  AGGREGATED_MEDIA_TYPE,
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "./discovery.ts";
import { pathNotFound } from "./errors.ts";
import { wantsAggregatedDiscovery } from "./negotiate.ts";
import { openApiDocument, openApiIndex } from "./openapi.ts";
import type { ServerState } from "./operation.ts";

const VERSION = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.0+kubeloop",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "go1.26",
  compiler: "gc",
  platform: "linux/amd64",
};

const HEALTH = ["healthz", "livez", "readyz"];

/** Paths that lead to no resource: health, version, discovery. `undefined` if the path is to be routed. */
export function serveStatic(state: ServerState, request: Request, url: URL): Response | undefined {
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const [root, ...rest] = segments;
  if (HEALTH.includes(root)) return new Response("ok", { headers: { "content-type": "text/plain; charset=utf-8" } });
  if (root === "version") return answerJson(VERSION);
  if (root === "openapi" && rest[0] === "v3") return openApi(state, rest.slice(1));
  if (root !== "api" && root !== "apis") return noSuchPage();
  const [group, version, ...below] = root === "api" ? ["", ...rest] : rest;
  if (rest.length > 0 && !isInstalled(state, group, version)) return noSuchPage();
  if (below.length > 0) return undefined;
  return discovery(state, request, root, rest);
}

function isInstalled({ resources }: ServerState, group: string, version: string | undefined): boolean {
  const found = resources.groups().find((served) => served.group === group);
  return found !== undefined && (version === undefined || found.versions.includes(version));
}

/** What a path gets that nothing was ever installed at. */
function noSuchPage(): Response {
  return new Response("404 page not found\n", {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}

/** `/openapi/v3` and the documents below it. */
function openApi({ resources }: ServerState, [root, ...rest]: readonly string[]): Response {
  if (root === undefined) return answerJson(openApiIndex(resources));
  const [group, version] = root === "api" ? ["", rest[0]] : rest;
  const document = openApiDocument(resources, group ?? "", version ?? "");
  if (!document) throw pathNotFound();
  return answerJson(document);
}

function discovery({ resources }: ServerState, request: Request, root: string, rest: readonly string[]): Response {
  const core = root === "api";
  if (rest.length === 0) {
    if (wantsAggregatedDiscovery(request.headers.get("accept"))) {
      return aggregated(resources.generation, request, () => aggregatedDiscovery(resources, { core }));
    }
    return answerJson(core ? apiVersions() : apiGroupList(resources));
  }
  const [group, version] = core ? ["", rest[0]] : rest;
  const found = version === undefined ? apiGroup(resources, group) : apiResourceList(resources, group, version);
  if (!found) throw pathNotFound();
  return answerJson(found);
}

/** The document changes with the table alone, whose generation therefore is its ETag. */
function aggregated(generation: number, request: Request, document: () => object): Response {
  const etag = `"${generation.toString(16).toUpperCase()}"`;
  const headers = { etag, vary: "Accept", "cache-control": "public" };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return answerJson(document(), { headers: { ...headers, "content-type": AGGREGATED_MEDIA_TYPE } });
}
