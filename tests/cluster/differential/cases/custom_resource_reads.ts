/** Custom resources: what the server makes of those that there are. */
import {
  applied,
  bee,
  BEES,
  type Body,
  cleanup,
  create,
  define,
  definition,
  GROUP,
  type Json,
  MERGE,
  ONE,
  patch,
  TABLE,
  text,
} from "../custom_probes.ts";
import type { DifferentialCase } from "../probe.ts";

const LOOSE = {
  type: "object",
  properties: { spec: { type: "object", properties: { a: text, l: text, gone: text } } },
};
const TIGHT = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { a: { ...text, maxLength: 1 }, l: text, fresh: { ...text, default: "new" } },
    },
  },
};

const changed: DifferentialCase = {
  name: "a schema changes under its custom resources",
  probes: [
    ...define(definition(LOOSE)),
    create(bee("one", { a: "long", gone: "yes" })),
    {
      method: "PATCH",
      path: ONE,
      type: MERGE,
      body: { spec: definition(TIGHT).spec },
      isSetup: true,
    },
    { ...create(bee("x", { a: "long" }), "?dryRun=All"), until: (body) => (body as Body).code === 422 },
    { method: "GET", path: `${BEES}/one` },
    { method: "GET", path: BEES },
    patch("one", { spec: { l: "x" } }),
    patch("one", { spec: { a: "longer" } }),
    patch("one", { spec: { a: "s" } }),
    patch("one", { spec: { a: "long" } }),
  ],
  cleanup,
};

const SCALED = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { size: { "x-kubernetes-int-or-string": true } } },
    status: { type: "object", properties: { size: { type: "integer" }, selector: text } },
  },
};
const scale = {
  specReplicasPath: ".spec.size",
  statusReplicasPath: ".status.size",
  labelSelectorPath: ".status.selector",
};

const scales: DifferentialCase = {
  name: "custom resources scale",
  probes: [
    ...define(definition(SCALED, { subresources: { status: {}, scale } })),
    create(bee("one", { size: 2 })),
    create(bee("two", { size: "2" })),
    create(bee("three", { size: -1 })),
    create(bee("empty", {})),
    { method: "GET", path: `${BEES}/one/scale`, save: "scale" },
    { method: "GET", path: `${BEES}/empty/scale` },
    patch("one/status", { status: { size: 1, selector: "a=b" } }),
    { method: "GET", path: `${BEES}/one/scale` },
    patch("one/scale", { spec: { replicas: 4 } }),
    // Scaled once more, the real server forgets who did it.
    { method: "GET", path: `${BEES}/one` },
    patch("one/scale", { spec: { replicas: -4 } }),
    patch("empty/scale", { metadata: { labels: { a: "b" } } }),
    patch("empty/scale", { spec: { replicas: 1 } }),
    {
      method: "PUT",
      path: `${BEES}/one/scale`,
      body: { metadata: { name: "one", resourceVersion: "{scale.metadata.resourceVersion}" }, spec: { replicas: 9 } },
    },
    { method: "PUT", path: `${BEES}/one/scale`, body: { metadata: { name: "one" }, spec: { replicas: 9 } } },
    { method: "PUT", path: `${BEES}/none/scale`, body: { metadata: { name: "none" }, spec: { replicas: 9 } } },
    { method: "POST", path: `${BEES}/one/scale`, body: {} },
  ],
  cleanup,
};

const SHOWN = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        color: text,
        size: { type: "integer" },
        on: { type: "boolean" },
        when: text,
        tags: { type: "array", items: text },
      },
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const column = (name: string, type: string, jsonPath: string, more: Json = {}) => ({ name, type, jsonPath, ...more });
const COLUMNS = [
  column("Color", "string", ".spec.color", { description: "What it looks like" }),
  column("Size", "integer", ".spec.size", { format: "int32", priority: 1 }),
  column("Share", "number", ".status.share"),
  column("On", "boolean", ".spec.on"),
  column("When", "date", ".spec.when"),
  column("Tags", "string", ".spec.tags"),
  column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status'),
];
const COLORS = [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec.on" }];

const reads: DifferentialCase = {
  name: "custom resources are shown and selected",
  probes: [
    ...define(definition(SHOWN, { additionalPrinterColumns: COLUMNS, selectableFields: COLORS })),
    create(bee("one", { color: "red", size: 1, on: true, when: "2020-01-01T00:00:00Z", tags: ["a", "b"] }, {
      status: { share: 0.5, conditions: [{ type: "Ready", status: "True" }] },
    })),
    create(bee("two", { color: "blue", when: "soon" })),
    { method: "GET", path: BEES, ...TABLE },
    { method: "GET", path: `${BEES}/two?includeObject=Object`, ...TABLE },
    { method: "GET", path: `${BEES}?fieldSelector=spec.color=red` },
    { method: "GET", path: `${BEES}?fieldSelector=spec.color!=red,spec.size=` },
    { method: "GET", path: `${BEES}?fieldSelector=spec.on=true` },
    { method: "GET", path: `${BEES}?fieldSelector=metadata.name=one` },
    { method: "GET", path: `${BEES}?fieldSelector=spec.tags=a` },
    { method: "GET", path: `${BEES}?limit=1` },
    { method: "GET", path: `/apis/${GROUP}/v1/bees` },
    { method: "GET", path: `${BEES}?watch=true&timeoutSeconds=1&fieldSelector=spec.color=red`, lines: 1 },
    { method: "GET", path: `/apis/${GROUP}` },
    { method: "GET", path: `/apis/${GROUP}/v1` },
    { method: "DELETE", path: `${BEES}?fieldSelector=spec.color=red` },
    { method: "GET", path: BEES },
  ],
  cleanup,
};

const V2 = { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: SHOWN } };
const OLD = { name: "v1", served: true, storage: true, deprecated: true, schema: { openAPIV3Schema: LOOSE } };

const versions: DifferentialCase = {
  name: "custom resources in several versions",
  probes: [
    ...define(definition(LOOSE, {}, { versions: [OLD, V2] })),
    create(bee("one", { a: "x", color: "red" })),
    {
      method: "POST",
      path: `/apis/${GROUP}/v2/namespaces/{ns}/bees`,
      body: { ...bee("two", { color: "red" }), apiVersion: `${GROUP}/v2` },
    },
    { method: "GET", path: `${BEES}/two` },
    { method: "GET", path: `/apis/${GROUP}/v2/namespaces/{ns}/bees` },
    { method: "GET", path: `/apis/${GROUP}` },
    { method: "GET", path: `/apis/${GROUP}/v2` },
  ],
  cleanup,
};

const isGone = (body: unknown) => (body as Body).code === 404;

const deletion: DifferentialCase = {
  name: "custom resources go with their definition",
  probes: [
    ...define(definition(LOOSE)),
    create({ ...bee("held", {}), metadata: { name: "held", finalizers: ["example.com/wait"] } }),
    create(bee("free", {})),
    { method: "DELETE", path: ONE },
    { method: "GET", path: `${BEES}/free`, until: isGone },
    create(bee("late", {})),
    applied("late", "m", {}),
    { method: "GET", path: `/apis/${GROUP}/v1` },
    { method: "GET", path: `${BEES}/held` },
    { method: "GET", path: ONE },
    patch("held", { metadata: { finalizers: null } }),
    { method: "GET", path: ONE, until: isGone },
    { method: "GET", path: BEES, until: (body) => typeof body === "string" },
    { method: "GET", path: `/apis/${GROUP}`, until: (body) => typeof body === "string" },
    ...define(definition(LOOSE)),
    { method: "GET", path: BEES },
  ],
  cleanup,
};

export const CASES: readonly DifferentialCase[] = [changed, scales, reads, versions, deletion];
