import { type GroupVersion, groupVersionPath } from "../../../api/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { type Action, parameterNames, parameterOf } from "./operation_parameters.ts";
import { type Json, META, refTo } from "./schemas.ts";

/** A kind, as documents name it. */
export interface Kind extends GroupVersion {
  readonly kind: string;
}

/** Finds the name of a kind's schema. */
export type SchemaNames = (kind: Kind) => string;

/**
 * How an action is done: its verb in discovery, its method, the first word of its operations' IDs, and the statuses of
 * success.
 */
interface Way {
  readonly verb: string;
  readonly method: string;
  readonly word: string;
  readonly statuses: readonly number[];
}

const WAYS: Readonly<Record<Action, Way>> = {
  get: { verb: "get", method: "get", word: "read", statuses: [200] },
  list: { verb: "list", method: "get", word: "list", statuses: [200] },
  post: { verb: "create", method: "post", word: "create", statuses: [200, 201, 202] },
  put: { verb: "update", method: "put", word: "replace", statuses: [200, 201] },
  patch: { verb: "patch", method: "patch", word: "patch", statuses: [200, 201] },
  delete: { verb: "delete", method: "delete", word: "delete", statuses: [200, 202] },
  deletecollection: { verb: "deletecollection", method: "delete", word: "delete", statuses: [200] },
};

const DESCRIPTIONS: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

const ON_COLLECTION: readonly Action[] = ["list", "post", "deletecollection"];
const ON_OBJECT: readonly Action[] = ["get", "put", "delete", "patch"];
const ON_SUBRESOURCE: readonly Action[] = [...ON_OBJECT, "post"];

/** Subresources for streams and proxies, which have no JSON bodies. */
const CONNECTIONS = ["attach", "exec", "log", "portforward", "proxy"];

interface Target {
  readonly resource: ServedResource;
  readonly path: string;
  /** The kind of the request's and response's body. */
  readonly body: Kind;
  readonly subresource: string;
}

/** The paths of a resource with their operations. Upstream: `apiserver/pkg/endpoints/installer.go`. */
export function pathsOf(resource: ServedResource, schemaName: SchemaNames): [path: string, item: Json][] {
  const { group, version, plural, namespaced, verbs, served } = resource;
  const root = groupVersionPath({ group, version });
  const collection = `${root}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}`;
  const actionsOf = (actions: readonly Action[], allowed: readonly string[]) =>
    actions.filter((action) => allowed.includes(WAYS[action].verb));
  const whole = { resource, body: resource, subresource: "" };
  const items: [path: string, actions: Action[], target: Omit<Target, "path">][] = [
    [collection, actionsOf(ON_COLLECTION, verbs), whole],
    [`${collection}/{name}`, actionsOf(ON_OBJECT, verbs), whole],
  ];
  if (namespaced && verbs.includes("list")) items.unshift([`${root}/${plural}`, ["list"], whole]);
  for (const { name, verbs: allowed, ...body } of served.values()) {
    if (CONNECTIONS.includes(name)) continue;
    const path = `${collection}/{name}/${name}`;
    items.push([path, actionsOf(ON_SUBRESOURCE, allowed), { resource, body, subresource: name }]);
  }
  return items.filter(([, actions]) => actions.length > 0)
    .map(([path, actions, target]) => [path, pathItem(actions, { ...target, path }, schemaName)]);
}

/** Parameters that all operations share are listed at the path. */
function pathItem(actions: readonly Action[], target: Target, schemaName: SchemaNames): Json {
  const names = actions.map((action) => parameterNames(action, target.path));
  const shared = names[0].filter((name) => names.every((list) => list.includes(name)));
  const operations = actions.map((action, i): [string, Json] => {
    const own = names[i].filter((name) => !shared.includes(name)).map(parameterOf);
    return [WAYS[action].method, operation(action, target, { own, schemaName })];
  });
  return { ...Object.fromEntries(operations), parameters: shared.map(parameterOf) };
}

function operation(
  action: Action,
  target: Target,
  { own, schemaName }: { readonly own: readonly Json[]; readonly schemaName: SchemaNames },
): Json {
  const { resource, body } = target;
  const { group, version, kind } = body;
  return {
    tags: [`${wordsOf(resource.group || "core", false)}_${resource.version}`],
    operationId: operationId(action, target),
    ...own.length > 0 ? { parameters: own } : {},
    requestBody: requestBodyOf(action, target, schemaName),
    responses: responsesOf(action, target, schemaName),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

/** `batch` -> `Batch`, `rbac.authorization.k8s.io` -> `RbacAuthorization`. */
function wordsOf(text: string, capital = true): string {
  const parts = text.replace(/\.k8s\.io$/, "").split(/[^A-Za-z0-9]/);
  const words = parts.map((part) => part[0].toUpperCase() + part.slice(1)).join("");
  return capital ? words : words[0].toLowerCase() + words.slice(1);
}

function operationId(action: Action, { resource, path, subresource }: Target): string {
  const { group, version, kind, namespaced } = resource;
  const scope = namespaced && path.includes("{namespace}") ? "Namespaced" : "";
  const everywhere = namespaced && scope === "" ? "ForAllNamespaces" : "";
  const collection = action === "deletecollection" ? "Collection" : "";
  const below = subresource === "" ? "" : wordsOf(subresource);
  const of = `${wordsOf(group || "core")}${wordsOf(version)}`;
  return `${WAYS[action].word}${of}${collection}${scope}${kind}${below}${everywhere}`;
}

function contentOf(types: readonly string[], name: string): Json {
  return Object.fromEntries(types.map((type) => [type, { schema: refTo(name) }]));
}

function requestBodyOf(action: Action, { resource, body }: Target, schemaName: SchemaNames): Json | undefined {
  if (action === "get" || action === "list") return undefined;
  if (action === "delete" || action === "deletecollection") {
    return { content: contentOf(["*/*"], `${META}.DeleteOptions`) };
  }
  if (action !== "patch") return { content: contentOf(["*/*"], schemaName(body)), required: true };
  const types = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
  // Custom resources have no merge keys.
  if (!resource.custom) types.push("application/strategic-merge-patch+json");
  return { content: contentOf(types, `${META}.Patch`), required: true };
}

function responsesOf(action: Action, { resource, body, subresource }: Target, schemaName: SchemaNames): Json {
  const name = action === "list"
    ? schemaName({ ...body, kind: resource.listKind })
    : action === "deletecollection" || (action === "delete" && !resource.traits.answersDeleted && subresource === "")
    ? `${META}.Status`
    : schemaName(body);
  const types = ["application/json", "application/yaml"];
  if (action === "list") types.push("application/json;stream=watch");
  const content = contentOf(types, name);
  const answers = WAYS[action].statuses.map((code) => [code, { description: DESCRIPTIONS[code], content }]);
  return { ...Object.fromEntries(answers), 401: { description: "Unauthorized" } };
}
