/** Rules that taint devices: which are refused, since when their taints are there, and what is told of them. */
import { get, put } from "../bodies.ts";
import type { DifferentialCase } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";

const RULES = "/apis/resource.k8s.io/v1beta2/devicetaintrules";
const AT = `${RULES}/{ns}`;

const taint = (more: Fields = {}) => ({ key: "example.com/broken", effect: "NoExecute", ...more });
const rule = (more: Fields = {}) => ({ metadata: { name: "{ns}" }, spec: { taint: taint(), ...more } });
const tried = (spec: Fields) => post(`${RULES}?dryRun=All`, rule(spec));
const selecting = (deviceSelector: unknown) => tried({ deviceSelector });
const change = (more: Fields) => merge(AT, { spec: { taint: more } });
const status = (body: Fields) => merge(`${AT}/status`, { status: body });
const condition = (more: Fields = {}) => ({
  type: "EvictionInProgress",
  status: "True",
  reason: "R",
  message: "m",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...more,
});
const EARLY = "2026-01-01T00:00:00Z";

export const CASES: readonly DifferentialCase[] = [
  {
    name: "rules that taint devices with nonsense",
    probes: [
      post(`${RULES}?dryRun=All`, { metadata: { name: "{ns}" } }),
      post(`${RULES}?dryRun=All`, { metadata: { name: "{ns}" }, spec: {} }),
      post(`${RULES}?dryRun=All`, { metadata: { name: "{ns} a" }, spec: { taint: taint() } }),
      ...[
        {},
        { key: "" },
        { key: "a b" },
        { key: "example.com/" },
        { key: "k".repeat(64) },
        { value: "a b" },
        { value: "v".repeat(64) },
        { effect: "" },
        { effect: "PreferNoSchedule" },
        { effect: "None" },
        { effect: "NoSchedule", value: "v" },
        { timeAdded: EARLY },
        { timeAdded: "2026-01-01T00:00:00.5Z" },
        { timeAdded: "soon" },
        { timeAdded: null },
      ].map((more) => tried({ taint: taint(more) })),
    ],
  },
  {
    name: "rules that taint devices that cannot be",
    probes: [
      null,
      {},
      { driver: "" },
      { driver: "A_b" },
      { driver: "d".repeat(64) },
      { driver: "Gpu.Example.com" },
      { pool: "" },
      { pool: "a//b" },
      { pool: "/a" },
      { pool: "A" },
      { pool: "p".repeat(254) },
      { pool: "a/b.c/d" },
      { device: "" },
      { device: "A" },
      { device: "a.b" },
      { device: "d".repeat(64) },
      { driver: "gpu.example.com", pool: "p", device: "d" },
      { driver: "A_b", pool: "A", device: "A" },
      { deviceClassName: "x" },
      { driver: 1 },
    ].map(selecting),
  },
  {
    name: "rules that taint devices change, and begin anew with another effect",
    probes: [
      post(RULES, { ...rule({ taint: taint({ timeAdded: EARLY }) }), status: { conditions: [condition()] } }),
      change({ value: "v" }),
      change({ value: "a b" }),
      change({ key: "" }),
      change({ timeAdded: "2026-01-02T00:00:00Z" }),
      change({ effect: "NoSchedule", timeAdded: EARLY }),
      change({ effect: "Whatever" }),
      change({ effect: "" }),
      change({ effect: "None" }),
      change({ timeAdded: null }),
      merge(AT, { metadata: { labels: { a: "b" } } }),
      merge(AT, { status: { conditions: [condition()] } }),
      merge(AT, { spec: { deviceSelector: { driver: "gpu.example.com" } } }),
      merge(AT, { spec: { deviceSelector: { pool: "A" } } }),
      put(AT, rule({ deviceSelector: null, taint: taint({ value: "w" }) })),
      put(AT, { metadata: { name: "{ns}", resourceVersion: "1" }, spec: { taint: taint() } }),
      get(AT),
      remove(AT),
      get(AT),
    ],
    cleanup: [remove(AT)],
  },
  {
    name: "what is told of rules that taint devices",
    probes: [
      post(RULES, rule({ taint: taint({ timeAdded: EARLY }) })),
      status({ conditions: [condition({ type: "a b" })] }),
      status({ conditions: [condition({ status: "Maybe" })] }),
      status({ conditions: [condition({ reason: "" })] }),
      status({ conditions: [condition({ lastTransitionTime: null })] }),
      status({ conditions: [condition({ observedGeneration: -1 })] }),
      status({ conditions: [condition({ message: "m".repeat(32_769) })] }),
      status({ conditions: [condition(), condition()] }),
      status({ conditions: Array.from({ length: 9 }, (_, i) => condition({ type: `T${i}` })) }),
      status({ conditions: Array.from({ length: 8 }, (_, i) => condition({ type: `T${i}` })) }),
      merge(`${AT}/status`, { metadata: { labels: { c: "d" } }, spec: { taint: { effect: "None" } } }),
      status({ conditions: [condition({ observedGeneration: 1 })] }),
      status({ conditions: null }),
    ],
    cleanup: [remove(AT)],
  },
];
