/** What clients find out about the server, and how tables are asked for. The tables of each kind are in `tables_*.ts`. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { setup, TABLE, table } from "../table_probes.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const MERGE = "application/merge-patch+json";
const CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Groups and their versions. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "admissionregistration.k8s.io": ["v1"],
  "apiextensions.k8s.io": ["v1"],
  "apiregistration.k8s.io": ["v1"],
  "apps": ["v1"],
  "authentication.k8s.io": ["v1"],
  "authorization.k8s.io": ["v1"],
  "autoscaling": ["v1", "v2"],
  "batch": ["v1"],
  "certificates.k8s.io": ["v1"],
  "coordination.k8s.io": ["v1"],
  "discovery.k8s.io": ["v1"],
  "events.k8s.io": ["v1"],
  "flowcontrol.apiserver.k8s.io": ["v1"],
  "networking.k8s.io": ["v1"],
  "node.k8s.io": ["v1"],
  "policy": ["v1"],
  "rbac.authorization.k8s.io": ["v1"],
  "resource.k8s.io": ["v1"],
  "scheduling.k8s.io": ["v1"],
  "storage.k8s.io": ["v1"],
};

function get(path: string, accept = "application/json"): Probe {
  return { method: "GET", path, headers: { accept } };
}

interface Groups {
  readonly groups?: ReadonlyArray<{ readonly name: string }>;
  readonly items?: ReadonlyArray<{ readonly metadata: { readonly name?: string } }>;
}

/** Whether only built-in groups are listed: definitions that others deleted take a moment to go. */
function isBuiltInOnly(body: unknown): boolean {
  const { groups = [], items = [] } = body as Groups;
  const names = [...groups.map(({ name }) => name), ...items.map(({ metadata }) => metadata.name ?? "")];
  return names.every((name) => name === "" || name in GROUPS);
}

const VERSIONS = Object.entries(GROUPS).flatMap(([group, versions]) =>
  versions.map((version) => `${group}/${version}`)
);

const DISCOVERY: DifferentialCase = {
  name: "groups, versions and resources are listed",
  probes: [
    get("/api"),
    get("/api/v1"),
    { ...get("/apis"), until: isBuiltInOnly },
    get("/api", AGGREGATED),
    { ...get("/apis", AGGREGATED), until: isBuiltInOnly },
    get("/api", `${AGGREGATED},application/json`),
    get("/api", `application/json,${AGGREGATED}`),
    ...Object.keys(GROUPS).map((group) => get(`/apis/${group}`)),
    ...VERSIONS.map((version) => get(`/apis/${version}`)),
  ],
};

const UNKNOWN_PATHS: DifferentialCase = {
  name: "what is not there is not found",
  probes: [
    get("/apis/nothing.example.com"),
    get("/apis/nothing.example.com/v1"),
    get("/apis/nothing.example.com/v1/things"),
    get("/apis/apps/v9"),
    get("/apis/apps/v9/deployments"),
    get("/apis/apps/v1/things"),
    get("/api/v9"),
    get("/api/v1/things"),
    get("/nothing"),
    get("/apis/apps/"),
    get("/apis/apps/v1/"),
  ],
};

const GIZMO = {
  metadata: { name: "gizmos.{ns}.example.com" },
  spec: {
    group: "{ns}.example.com",
    names: { kind: "Gizmo", plural: "gizmos", shortNames: ["gz"], categories: ["all", "toys"] },
    scope: "Namespaced",
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
      additionalPrinterColumns: [
        { name: "Size", type: "integer", jsonPath: ".spec.size" },
        { name: "Colour", type: "string", jsonPath: ".spec.colour", priority: 1, description: "what it looks like" },
        { name: "Since", type: "date", jsonPath: ".metadata.creationTimestamp" },
        { name: "Day", type: "date", jsonPath: ".spec.day" },
        { name: "First tag", type: "string", jsonPath: ".spec.tags[0]" },
        { name: "Tags", type: "string", jsonPath: ".spec.tags" },
        { name: "All tags", type: "string", jsonPath: ".spec.tags[*]" },
        { name: "Heavy", type: "boolean", jsonPath: ".spec.heavy" },
        { name: "Ratio", type: "number", jsonPath: ".spec.ratio" },
        { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: "Parts", type: "string", jsonPath: ".spec.parts" },
        { name: "Label", type: "string", jsonPath: ".metadata.labels.example\\.com/kind" },
        { name: "Wrong", type: "integer", jsonPath: ".spec.colour" },
      ],
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }, {
      name: "v1beta1",
      served: true,
      storage: false,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }],
  },
};

const GIZMOS = "/apis/{ns}.example.com/v1/namespaces/{ns}/gizmos";

function isServed(body: unknown): boolean {
  return (body as { readonly kind?: string } | undefined)?.kind === "Table";
}

/** Which may be later than it is served. */
function isDiscovered(body: unknown): boolean {
  const { kind = "" } = (body ?? {}) as { readonly kind?: string };
  return kind === "APIGroup" || kind === "APIResourceList";
}

const CUSTOM: DifferentialCase = {
  name: "custom resources are discovered and printed as their definition says",
  probes: [
    setup("POST", DEFINITIONS, GIZMO),
    { ...table(GIZMOS), until: isServed },
    { ...get("/apis/{ns}.example.com"), until: isDiscovered },
    { ...get("/apis/{ns}.example.com/v1"), until: isDiscovered },
    { ...get("/apis/{ns}.example.com/v1beta1"), until: isDiscovered },
    setup("POST", GIZMOS, {
      apiVersion: "{ns}.example.com/v1",
      kind: "Gizmo",
      metadata: { name: "big", labels: { "example.com/kind": "rare" } },
      spec: {
        size: 7,
        colour: "red",
        day: "2001-01-01T00:00:00Z",
        tags: ["a", "b"],
        heavy: true,
        ratio: 1.5,
        parts: { wheel: { count: 4 }, axle: null },
      },
    }),
    setup("POST", GIZMOS, { apiVersion: "{ns}.example.com/v1", kind: "Gizmo", metadata: { name: "empty" } }),
    setup("POST", GIZMOS, {
      apiVersion: "{ns}.example.com/v1",
      kind: "Gizmo",
      metadata: { name: "odd" },
      spec: { colour: 3, day: "someday", tags: "a", heavy: "yes", ratio: 2, parts: [1, 2] },
    }),
    {
      ...setup("PATCH", `${GIZMOS}/big/status`, {
        status: { conditions: [{ type: "Live", status: "False" }, { type: "Ready", status: "True" }] },
      }),
      type: MERGE,
    },
    table(GIZMOS),
    table(`${GIZMOS}/big`),
    table("/apis/{ns}.example.com/v1beta1/namespaces/{ns}/gizmos"),
    { ...get(GIZMOS, PARTIAL_LIST), ignore: { fields: ["items.*.metadata.managedFields"], because: "as above" } },
    table("/apis/apiregistration.k8s.io/v1/apiservices/v1.{ns}.example.com"),
  ],
  cleanup: [setup("DELETE", `${DEFINITIONS}/gizmos.{ns}.example.com`, {})],
};

const FORMS: DifferentialCase = {
  name: "objects are shown as tables or by their metadata",
  probes: [
    table(CONFIG_MAPS),
    table("/api/v1/namespaces/{ns}/limitranges"),
    get(CONFIG_MAPS, PARTIAL_LIST),
    setup("POST", CONFIG_MAPS, { metadata: { name: "a", labels: { app: "x" } }, data: { k: "v", l: "w" } }),
    setup("POST", CONFIG_MAPS, { metadata: { name: "b" }, binaryData: { k: "AAE=" } }),
    table(CONFIG_MAPS),
    table(`${CONFIG_MAPS}/a`),
    table(`${CONFIG_MAPS}?includeObject=None`),
    table(`${CONFIG_MAPS}?includeObject=Object`),
    table(`${CONFIG_MAPS}?includeObject=Metadata`),
    table(`${CONFIG_MAPS}?includeObject=Everything`),
    table(`${CONFIG_MAPS}/a?includeObject=none`),
    table(`${CONFIG_MAPS}?limit=1`),
    table(`${CONFIG_MAPS}?labelSelector=app%3Dx`),
    table(`${CONFIG_MAPS}?fieldSelector=metadata.name%3Dnone`),
    table(`${CONFIG_MAPS}/none`),
    { ...table(CONFIG_MAPS), headers: { accept: `${TABLE},application/json` } },
    get(`${CONFIG_MAPS}/a`, PARTIAL),
    get(CONFIG_MAPS, PARTIAL_LIST),
    { ...table(`${CONFIG_MAPS}?watch=true&timeoutSeconds=1`), lines: 2 },
    { ...table(`${CONFIG_MAPS}?watch=true&timeoutSeconds=1&includeObject=Object`), lines: 2 },
    table(`${CONFIG_MAPS}?watch=true&timeoutSeconds=1&includeObject=Everything`),
    {
      ...table(
        `${CONFIG_MAPS}?watch=true&timeoutSeconds=2&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      ),
      lines: 3,
    },
    { ...get(`${CONFIG_MAPS}?watch=true&timeoutSeconds=1`, PARTIAL), lines: 2 },
  ],
};

export const CASES: readonly DifferentialCase[] = [DISCOVERY, UNKNOWN_PATHS, FORMS, CUSTOM];
