import type { Json } from "./schemas.ts";

/** Query parameters that are not strings. */
const TYPES: Readonly<Record<string, string>> = {
  allowWatchBookmarks: "boolean",
  force: "boolean",
  gracePeriodSeconds: "integer",
  ignoreStoreReadErrorWithClusterBreakingPotential: "boolean",
  limit: "integer",
  orphanDependents: "boolean",
  sendInitialEvents: "boolean",
  timeoutSeconds: "integer",
  watch: "boolean",
};

const IN_PATH = ["name", "namespace"];

const WRITE = ["dryRun", "fieldManager", "fieldValidation"];
const SELECT = [
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "shardSelector",
  "timeoutSeconds",
];
const DELETE = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];

/** The action of an operation, by OpenAPI's names. */
export type Action = "get" | "list" | "post" | "put" | "patch" | "delete" | "deletecollection";

const PARAMETERS: Readonly<Record<Action, readonly string[]>> = {
  get: [],
  list: ["allowWatchBookmarks", ...SELECT, "watch"],
  post: WRITE,
  put: WRITE,
  patch: [...WRITE, "force"],
  delete: DELETE,
  deletecollection: [...DELETE, ...SELECT],
};

/** The sorted names of the parameters of an operation on `path`. */
export function parameterNames(action: Action, path: string): string[] {
  const inPath = IN_PATH.filter((name) => path.includes(`{${name}}`));
  return ["pretty", ...inPath, ...PARAMETERS[action]].sort();
}

/** A parameter in the form that documents use. */
export function parameterOf(name: string): Json {
  if (IN_PATH.includes(name)) {
    return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } };
  }
  return { name, in: "query", schema: { type: TYPES[name] ?? "string", uniqueItems: true } };
}
