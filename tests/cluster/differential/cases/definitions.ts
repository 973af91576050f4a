/** Definitions of custom resources: what is refused and in which words, and how one comes to be served. */
import type { DifferentialCase, Probe } from "../probe.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "{ns}.example.com";

type Json = Record<string, unknown>;

/** A definition of `bees` with one version of this schema. */
function bees(schema: unknown, version: Json = {}, spec: Json = {}): Json {
  return {
    metadata: { name: `bees.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { plural: "bees", kind: "Bee" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}

function dryRun(body: Json): Probe {
  return { method: "POST", path: `${DEFINITIONS}?dryRun=All`, body };
}

const ANY: Json = { type: "object" };
const spec = (schema: unknown): Json => ({ type: "object", properties: { spec: schema } });
const list = (marks: Json, items: unknown = { type: "string" }) => spec({ type: "array", items, ...marks });
const EITHER = [{ type: "integer" }, { type: "string" }];
const KEYED = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"] };
const EMBEDDED = { type: "object", "x-kubernetes-embedded-resource": true };
const PRESERVED = { "x-kubernetes-preserve-unknown-fields": true };

/** Schemas, most of which are no schemas. */
const SCHEMAS: readonly unknown[] = [
  ANY,
  {},
  { type: "string" },
  { type: "object", nullable: true },
  { type: "object", additionalProperties: true },
  { type: 5 },
  { type: "object", odd: 1 },
  { type: "object", required: "a" },
  spec({}),
  spec(5),
  spec({ type: "strin" }),
  spec({ type: "null" }),
  spec({ type: "array" }),
  spec({ type: "array", items: [{ type: "string" }] }),
  spec({ type: "object", additionalProperties: 5 }),
  spec({ type: "object", additionalProperties: false }),
  spec({ type: "string", maxLength: 1.5 }),
  spec({ type: "string", nullable: false, description: "", minLength: 0, enum: [], default: null }),
  spec({ type: "object", additionalProperties: { type: "string" }, properties: { a: { type: "string" } } }),
  spec({ $ref: "#/definitions/a" }),
  spec({ type: "object", $schema: "http://json-schema.org/schema#" }),
  spec({ type: "object", id: "a", definitions: { a: { type: "string" } } }),
  list({}, {}),
  list({ uniqueItems: true }),
  list({ "x-kubernetes-list-type": "bag" }),
  list({ "x-kubernetes-list-type": "map" }),
  list({ "x-kubernetes-list-map-keys": ["n"] }),
  list({ "x-kubernetes-list-type": "set" }, { type: "object" }),
  list({ "x-kubernetes-list-type": "set" }, { type: "string", nullable: true }),
  list(KEYED, { type: "object", properties: { n: { type: "string" } } }),
  list(KEYED, { type: "object", required: ["n"], properties: { n: { type: "string" } } }),
  list(KEYED, { type: "object", properties: { m: { type: "string" } } }),
  list(KEYED, { type: "object", required: ["n"], properties: { n: { type: "object" } } }),
  spec({ type: "string", "x-kubernetes-map-type": "odd" }),
  spec({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
  spec({ "x-kubernetes-int-or-string": true }),
  spec({ "x-kubernetes-int-or-string": true, anyOf: EITHER }),
  spec({ "x-kubernetes-int-or-string": true, allOf: [{ anyOf: EITHER }, { pattern: "^a" }] }),
  spec({ "x-kubernetes-int-or-string": true, ...PRESERVED }),
  spec({ anyOf: EITHER }),
  spec({ type: "string", oneOf: [{ type: "string" }] }),
  spec({ type: "string", not: { description: "a", nullable: true } }),
  spec({ type: "string", allOf: [{ default: "a" }] }),
  { type: "object", allOf: [{ properties: { b: { minLength: 1 } } }] },
  spec({ type: "object", allOf: [{ properties: { b: { minLength: 1 } } }] }),
  { type: "object", properties: { metadata: { type: "object", properties: { name: { type: "string" } } } } },
  { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
  { type: "object", properties: { metadata: { type: "object", default: {} } } },
  { type: "object", properties: { kind: { type: "integer" } } },
  spec(EMBEDDED),
  spec({ ...EMBEDDED, type: "string" }),
  spec({ ...EMBEDDED, ...PRESERVED, additionalProperties: true }),
  spec({ ...EMBEDDED, ...PRESERVED, default: { kind: "X" } }),
  spec({ type: "string", pattern: "(a" }),
  spec({ type: "string", pattern: "a(?=b)" }),
  spec({ type: "string", pattern: "[z-a]" }),
  spec({ type: "string", pattern: "^\\p{L}+(?i:x)\\z" }),
  spec({ type: "string", format: "odd" }),
  spec({ type: "integer", format: "date" }),
  spec({ type: "string", default: 5 }),
  spec({ type: "object", default: { x: 1 } }),
  spec({ type: "object", default: {}, properties: { a: { type: "string", default: "b" } } }),
  spec({ type: "string", enum: ["a"], default: "b" }),
  spec({ type: "string", maxLength: 1, default: "ab" }),
  list({ default: ["a", 1] }),
];

const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
const A = spec({ type: "object", properties: { a: { type: "string" }, o: { type: "object" } } });

/** Parts of a version besides its schema. */
const VERSIONS: readonly Json[] = [
  { name: "V1" },
  { schema: null },
  { storage: false },
  { served: false },
  { deprecationWarning: "gone soon" },
  { deprecated: true, deprecationWarning: "" },
  { deprecated: true, deprecationWarning: "gone\nsoon" },
  { subresources: { status: {}, scale } },
  { subresources: { scale: { ...scale, specReplicasPath: ".replicas" } } },
  { subresources: { scale: { specReplicasPath: "spec.size" } } },
  { subresources: { scale: { ...scale, labelSelectorPath: ".metadata.labels" } } },
  { subresources: { status: {} }, schema: { openAPIV3Schema: { type: "string" } } },
  { additionalPrinterColumns: [{ name: "a", type: "int", jsonPath: "x" }] },
  { additionalPrinterColumns: [{ name: "", type: "", jsonPath: "", format: "odd" }] },
  { selectableFields: [{ jsonPath: ".spec.a" }] },
  { selectableFields: [{ jsonPath: ".spec.o" }, { jsonPath: ".spec.b" }, { jsonPath: "a" }, { jsonPath: "" }] },
  { selectableFields: [{ jsonPath: ".spec.a" }, { jsonPath: ".spec.a" }] },
];

const webhook = { conversionReviewVersions: ["v1"], clientConfig: { service: { namespace: "a", name: "b" } } };
const names = { plural: "bees", kind: "Bee" };

/** Parts of a definition besides its versions. */
const SPECS: readonly Json[] = [
  { group: "" },
  { group: "Example" },
  { scope: "" },
  { scope: "Everywhere" },
  { names: {} },
  { names: { ...names, plural: "wasps" } },
  { names: { ...names, kind: "_Bee" } },
  { names: { ...names, listKind: "Bee" } },
  { names: { ...names, shortNames: ["B"], categories: [""] } },
  { versions: null },
  { preserveUnknownFields: true },
  { conversion: { strategy: "" } },
  { conversion: { strategy: "Odd" } },
  { conversion: { strategy: "Webhook" } },
  { conversion: { strategy: "None", webhook } },
  { odd: true },
];

const TWO = [
  { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: A } },
  { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: spec({ type: "array" }) } },
];

const refused: DifferentialCase = {
  name: "definitions that are refused or accepted",
  probes: [
    ...SCHEMAS.map((schema) => dryRun(bees(schema))),
    ...VERSIONS.map((version) => dryRun(bees(A, version))),
    ...SPECS.map((one) => dryRun(bees(ANY, {}, one))),
    dryRun(bees(ANY, {}, { versions: TWO })),
    dryRun(bees(ANY, {}, { versions: [TWO[0], { ...TWO[0], storage: false }] })),
    dryRun({ ...bees(ANY), metadata: { name: "bees" } }),
    dryRun({ ...bees(ANY, {}, { group: "{ns}.k8s.io" }), metadata: { name: "bees.{ns}.k8s.io" } }),
    {
      method: "POST",
      path: `${DEFINITIONS}?dryRun=All&fieldValidation=Strict`,
      body: bees({ type: "object", odd: 1 }),
    },
    {
      ...dryRun(bees(spec({ type: "string", "x-kubernetes-validations": [{ rule: "self != ''" }] }))),
      differs: { in: ["warnings"], because: "rules in CEL are stored but not enforced, which the writer is told" },
    },
    dryRun(bees(spec({ type: "string", "x-kubernetes-validations": [{ rule: "" }] }))),
    {
      ...dryRun(bees(ANY, {}, { conversion: { strategy: "Webhook", webhook } })),
      differs: {
        in: ["status", "reason", "message", "details", "body"],
        because: "conversion webhooks are not called, so that definitions that need one are refused",
      },
    },
  ],
};

const ONE = `${DEFINITIONS}/bees.${GROUP}`;
const OTHER = `${DEFINITIONS}/wasps.${GROUP}`;
const MERGE = "application/merge-patch+json";

/** Whether a definition has these conditions, such as `Established=True`. */
function has(...wanted: string[]): (body: unknown) => boolean {
  return (body) => {
    const { status } = body as { status?: { conditions?: { type: string; status: string }[] } };
    const found = (status?.conditions ?? []).map((one) => `${one.type}=${one.status}`);
    return wanted.every((one) => found.includes(one));
  };
}

const wasps = {
  metadata: { name: `wasps.${GROUP}` },
  spec: {
    ...bees(ANY).spec as Json,
    names: { plural: "wasps", kind: "Bee", shortNames: ["bee"] },
  },
};

const life: DifferentialCase = {
  name: "the life of a definition",
  probes: [
    { method: "POST", path: DEFINITIONS, body: bees(A, {}, { names: { ...names, shortNames: ["b"] } }) },
    { method: "GET", path: ONE, until: has("Established=True"), save: "one" },
    { method: "POST", path: DEFINITIONS, body: bees(A) },
    { method: "GET", path: `${ONE}/status` },
    { method: "PUT", path: ONE, body: bees(A) },
    { method: "PATCH", path: ONE, type: MERGE, body: { spec: { scope: "Cluster" } } },
    { method: "PATCH", path: ONE, type: MERGE, body: { spec: { names: { kind: "Wasp", listKind: "WaspList" } } } },
    { method: "PATCH", path: ONE, type: MERGE, body: { spec: { names: { plural: "wasps" } } } },
    { method: "PATCH", path: ONE, type: MERGE, body: { status: { storedVersions: [] } } },
    {
      method: "PATCH",
      path: `${ONE}?dryRun=All`,
      type: MERGE,
      body: { spec: { versions: [{ ...TWO[0], name: "v3" }] } },
    },
    {
      method: "PATCH",
      path: `${ONE}?dryRun=All`,
      type: MERGE,
      body: { spec: { versions: [{ ...TWO[0], storage: false }, { ...TWO[0], name: "v2" }] } },
    },
    {
      method: "PATCH",
      path: `${ONE}/status?dryRun=All`,
      type: MERGE,
      body: { status: { acceptedNames: { kind: "_" } } },
    },
    { method: "POST", path: DEFINITIONS, body: wasps, isSetup: true },
    { method: "GET", path: OTHER, until: has("NamesAccepted=False") },
    { method: "GET", path: `/apis/${GROUP}/v1/wasps` },
    { method: "DELETE", path: ONE },
    { method: "GET", path: ONE, until: (body) => (body as { code?: number }).code === 404 },
    { method: "GET", path: OTHER, until: has("Established=True") },
    { method: "DELETE", path: OTHER, body: { preconditions: { uid: "another" } } },
    { method: "DELETE", path: OTHER, isSetup: true },
    { method: "GET", path: OTHER, until: (body) => (body as { code?: number }).code === 404 },
  ],
  cleanup: [{ method: "DELETE", path: ONE }, { method: "DELETE", path: OTHER }],
};

export const CASES: readonly DifferentialCase[] = [refused, life];
