import type { DifferentialCase, Probe } from "../probe.ts";

const MAPS = "/api/v1/namespaces/{ns}/configmaps";
const PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
const MERGE = "application/merge-patch+json";

/** What columns are said to mean is no part of what a list or watch is. */
const TABULAR: Partial<Probe> = {
  headers: { accept: TABLE },
  ignore: {
    fields: ["columnDefinitions.*.description", "*.object.columnDefinitions.*.description"],
    because: "upstream's descriptions of columns are those of the API's documentation",
  },
};
const FUTURE = "the message tells the present revision, which is another on each server";

const map = (name: string, labels?: Record<string, string>) => ({ metadata: { name, labels }, data: { name } });
const create = (name: string, labels?: Record<string, string>): Probe => ({
  method: "POST",
  path: MAPS,
  body: map(name, labels),
  save: name,
  isSetup: true,
});
const get = (query: string, more: Partial<Probe> = {}): Probe => ({ method: "GET", path: `${MAPS}?${query}`, ...more });
const watch = (query: string, lines: number, more: Partial<Probe> = {}): Probe =>
  get(`watch=true&timeoutSeconds=2&${query}`, { lines, ...more });

/** A continue token. */
const token = (value: unknown) =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const CASES: readonly DifferentialCase[] = [
  {
    name: "lists are paged, at one revision, in the order of their keys",
    probes: [
      ...["e", "b", "a-b", "a", "d"].map((name) => create(name)),
      get("limit=2", { save: "page1" }),
      { method: "DELETE", path: `${MAPS}/d`, isSetup: true },
      { method: "PATCH", path: `${MAPS}/b`, type: MERGE, body: { data: { later: "yes" } }, isSetup: true },
      create("bb"),
      get("limit=2&continue={page1.metadata.continue}", { save: "page2" }),
      get("limit=2&continue={page2.metadata.continue}"),
      get("continue={page1.metadata.continue}"),
      get("limit=1&continue={page1.metadata.continue}&resourceVersion=0"),
      get("limit=1&continue={page1.metadata.continue}&resourceVersion={page1.metadata.resourceVersion}"),
      get("limit=1&continue={page1.metadata.continue}&resourceVersion=1&resourceVersionMatch=Exact"),
      get("limit=500"),
      get("limit=0"),
      get("limit=-1"),
      get("limit=abc"),
      get("limit=2", { headers: { accept: PARTIAL_LIST } }),
      get("limit=2", TABULAR),
    ],
  },
  {
    name: "a page with a selector goes on where it ended, and does not count what remains",
    probes: [
      create("a", { on: "yes" }),
      create("b"),
      create("c", { on: "yes" }),
      create("d"),
      get("limit=1&labelSelector=on%3Dyes", { save: "page1" }),
      get("limit=1&labelSelector=on%3Dyes&continue={page1.metadata.continue}", { save: "page2" }),
      get("limit=2&labelSelector=on%3Dyes"),
      get("limit=3&labelSelector=on%3Dyes"),
      get("limit=1&fieldSelector=metadata.name%3Dc"),
      get("fieldSelector=metadata.name%3Dc,metadata.namespace%3D{ns}"),
      get("fieldSelector=metadata.namespace%3Dother"),
      get("fieldSelector=metadata.name%3Da,metadata.name%3Db"),
    ],
  },
  {
    name: "continue tokens that were made up are refused",
    probes: [
      get("continue=zzz"),
      get("continue=%21%21"),
      get(`continue=${token({})}`),
      get(`continue=${token({ v: "meta.k8s.io/v2", rv: 1, start: "a" })}`),
      get(`continue=${token({ v: "meta.k8s.io/v1", rv: 0, start: "a" })}`),
      get(`continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "" })}`),
      get(`continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "../a" })}`),
      get(`continue=${token({ v: "meta.k8s.io/v1", rv: "1", start: "a" })}`),
      get(`continue=${token("text")}`),
    ],
  },
  {
    name: "lists are as new as asked for, or exactly as old",
    probes: [
      create("a"),
      create("b"),
      create("c"),
      // From here on kube-apiserver's cache has all three.
      get("resourceVersion={c.metadata.resourceVersion}"),
      get("resourceVersion=0"),
      get("resourceVersion={b.metadata.resourceVersion}"),
      get("resourceVersion={b.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan"),
      get("resourceVersion={b.metadata.resourceVersion}&resourceVersionMatch=Exact"),
      get("resourceVersion={b.metadata.resourceVersion}&resourceVersionMatch=Exact&limit=1"),
      get("resourceVersion={b.metadata.resourceVersion}&limit=1"),
      get("resourceVersion={b.metadata.resourceVersion}&limit=1&resourceVersionMatch=NotOlderThan"),
      get("resourceVersion=0&limit=1"),
      get("resourceVersion=0&resourceVersionMatch=NotOlderThan"),
      get("resourceVersion=0&resourceVersionMatch=Exact"),
      get("resourceVersionMatch=Exact"),
      get("resourceVersionMatch=NotOlderThan"),
      get("resourceVersion=1&resourceVersionMatch=Sometimes"),
      get("resourceVersionMatch=Sometimes&continue=x"),
      get("resourceVersion=abc"),
      get("resourceVersion=-1"),
      get("resourceVersion=1.5"),
      get("resourceVersion=99999999999999999999"),
      get("sendInitialEvents=true"),
      get("sendInitialEvents=false"),
      get("sendInitialEvents=maybe"),
      get("resourceVersion=99999999", { differs: { in: ["message"], because: FUTURE } }),
      get("resourceVersion=99999999&resourceVersionMatch=Exact", { differs: { in: ["message"], because: FUTURE } }),
      { method: "GET", path: `${MAPS}/a?resourceVersion=99999999`, differs: { in: ["message"], because: FUTURE } },
      { method: "GET", path: `${MAPS}/a?resourceVersion=0` },
      { method: "GET", path: `${MAPS}/a?resourceVersion={c.metadata.resourceVersion}` },
      { method: "GET", path: `${MAPS}/a?resourceVersion=abc` },
    ],
  },
  {
    name: "a watch starts with what there is",
    probes: [
      create("a"),
      create("b", { on: "yes" }),
      watch("", 2),
      watch("resourceVersion=0", 2),
      watch("allowWatchBookmarks=true", 3),
      watch("resourceVersion=0&allowWatchBookmarks=true", 3),
      watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", 3),
      watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 2),
      watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={b.metadata.resourceVersion}", 2),
      watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0", 2),
      watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", 1),
      watch("labelSelector=on%3Dyes", 1),
      watch("fieldSelector=metadata.name%3Da", 1),
      watch("allowWatchBookmarks=true", 3, { headers: { accept: PARTIAL } }),
      watch("allowWatchBookmarks=true", 3, TABULAR),
      watch("limit=1", 2),
      {
        method: "GET",
        path: "/api/v1/namespaces/{ns}/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=1",
        lines: 1,
      },
      watch("resourceVersion=99999999", 1),
      { method: "GET", path: "/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1", lines: 2 },
      { method: "GET", path: "/api/v1/watch/namespaces/{ns}/configmaps/a?timeoutSeconds=1", lines: 1 },
      { method: "GET", path: `${MAPS}/a?watch=true&timeoutSeconds=1`, lines: 1 },
      watch("", 1, { headers: { accept: "application/yaml" } }),
      watch("", 1, { headers: { accept: "application/json;stream=watch" } }),
    ],
  },
  {
    name: "a watch goes on from a revision with every change, as the selector sees it",
    probes: [
      create("a", { on: "yes" }),
      create("b"),
      { method: "PATCH", path: `${MAPS}/a`, type: MERGE, body: { data: { n: "1" } }, save: "changed", isSetup: true },
      { method: "PATCH", path: `${MAPS}/b`, type: MERGE, body: { metadata: { labels: { on: "yes" } } }, isSetup: true },
      { method: "PATCH", path: `${MAPS}/a`, type: MERGE, body: { metadata: { labels: { on: "no" } } }, isSetup: true },
      { method: "DELETE", path: `${MAPS}/b`, isSetup: true },
      watch("resourceVersion={a.metadata.resourceVersion}", 5),
      watch("resourceVersion={a.metadata.resourceVersion}&labelSelector=on%3Dyes", 4),
      watch("resourceVersion={a.metadata.resourceVersion}&fieldSelector=metadata.name%3Db", 3),
      watch("resourceVersion={changed.metadata.resourceVersion}&labelSelector=on%3Dno", 1),
      watch("resourceVersion={a.metadata.resourceVersion}", 5, { headers: { accept: PARTIAL } }),
      watch("resourceVersion={a.metadata.resourceVersion}", 5, TABULAR),
      watch("resourceVersion={a.metadata.resourceVersion}&includeObject=None", 5, TABULAR),
      watch("resourceVersion={a.metadata.resourceVersion}&includeObject=Object&labelSelector=on%3Dyes", 4, TABULAR),
    ],
  },
  {
    name: "parameters of a watch that contradict are refused",
    probes: [
      create("a"),
      watch("sendInitialEvents=true", 1),
      watch("sendInitialEvents=false", 1),
      watch("sendInitialEvents=true&resourceVersionMatch=Exact", 1),
      watch("resourceVersionMatch=NotOlderThan", 1),
      watch("resourceVersionMatch=Exact", 1),
      watch("resourceVersionMatch=NotOlderThan&sendInitialEvents=true&continue=x", 1),
      watch("resourceVersion=abc", 1),
      get("watch=maybe&timeoutSeconds=1", { lines: 1 }),
      get("watch=&timeoutSeconds=1", { lines: 1 }),
      get("watch=FALSE"),
      get("watch=true&timeoutSeconds=abc"),
      get("watch=true&timeoutSeconds="),
      watch("fieldSelector=spec.foo%3D1", 1),
      watch("labelSelector=a%20in", 1),
      watch("allowWatchBookmarks=maybe", 1),
      { method: "GET", path: `${MAPS}/a?watch=true&fieldSelector=metadata.name%3Db&timeoutSeconds=1`, lines: 1 },
      { method: "POST", path: `${MAPS}?watch=true`, body: map("w") },
    ],
  },
];
