/** Questions about pools of devices: which are refused, and how they are answered, once. */
import { get, put } from "../bodies.ts";
import type { DifferentialCase } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";

const REQUESTS = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";
const AT = `${REQUESTS}/{ns}`;

const request = (more: Fields = {}) => ({ metadata: { name: "{ns}" }, spec: { driver: "gpu.example.com", ...more } });
const tried = (more: Fields) => post(`${REQUESTS}?dryRun=All`, request(more));
const status = (body: unknown) => merge(`${AT}/status`, { status: body });
const condition = (more: Fields = {}) => ({
  type: "Complete",
  status: "True",
  reason: "R",
  message: "m",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...more,
});
const pool = (more: Fields = {}) => ({ driver: "gpu.example.com", poolName: "p", generation: 1, ...more });
const COUNTED = { resourceSliceCount: 1, totalDevices: 3, allocatedDevices: 1, availableDevices: 2 };
const told = (...pools: Fields[]) => status({ poolCount: pools.length, pools });

const ODD_CONDITIONS = [
  [condition({ type: "a b" })],
  [condition({ status: "Maybe" })],
  [condition(), condition()],
  Array.from({ length: 11 }, (_, i) => condition({ type: `T${i}` })),
];

export const CASES: readonly DifferentialCase[] = [
  {
    name: "questions about pools that make no sense",
    probes: [
      post(`${REQUESTS}?dryRun=All`, { metadata: { name: "{ns}" } }),
      post(`${REQUESTS}?dryRun=All`, { metadata: { name: "{ns} a" }, spec: { driver: "gpu.example.com" } }),
      ...[
        {},
        { driver: "" },
        { driver: null },
        { driver: "A_b" },
        { driver: "d".repeat(64) },
        { driver: "Gpu.Example.com" },
        { driver: 1 },
        { poolName: "" },
        { poolName: "a//b" },
        { poolName: "A" },
        { poolName: "p".repeat(254) },
        { poolName: "a/b.c/d" },
        { limit: 0 },
        { limit: -1 },
        { limit: 1 },
        { limit: 1000 },
        { limit: 1001 },
        { limit: 1.5 },
        { limit: null },
        { driver: "A_b", poolName: "A", limit: 0 },
      ].map(tried),
    ],
  },
  {
    name: "questions about pools stay as they are",
    probes: [
      post(REQUESTS, { ...request(), status: { poolCount: 3 } }),
      merge(AT, { spec: { driver: "other.example.com" } }),
      merge(AT, { spec: { poolName: "p" } }),
      merge(AT, { spec: { limit: 5 } }),
      merge(AT, { spec: { limit: null } }),
      merge(AT, { metadata: { labels: { a: "b" } } }),
      merge(AT, { status: { poolCount: 1 } }),
      put(AT, request()),
      get(AT),
      remove(AT),
    ],
    cleanup: [remove(AT)],
  },
  {
    name: "answers about pools that are none",
    probes: [
      post(REQUESTS, request()),
      status({ poolCount: -1 }),
      status({ pools: [] }),
      ...[
        { driver: "" },
        { driver: "A_b" },
        { poolName: "" },
        { poolName: "A" },
        { generation: -1 },
        { generation: null },
        { nodeName: "N n" },
        { nodeName: "" },
        { ...COUNTED, resourceSliceCount: 0 },
        { ...COUNTED, totalDevices: -1 },
        { ...COUNTED, allocatedDevices: -1 },
        { ...COUNTED, availableDevices: -1 },
        { ...COUNTED, unavailableDevices: -1 },
        { validationError: "e".repeat(257) },
      ].map((more) => told(pool(more))),
      told(pool(COUNTED), pool(COUNTED)),
      told(...Array.from({ length: 1001 }, (_, i) => pool({ poolName: `p${i}` }))),
      ...ODD_CONDITIONS.map((conditions) => status({ poolCount: 0, conditions })),
      told(pool({ validationError: "" })),
      // It is answered now.
      ...ODD_CONDITIONS.map((conditions) => status({ conditions })),
      told(pool({ totalDevices: -1 })),
      told(...Array.from({ length: 1001 }, (_, i) => pool({ poolName: `p${i}` }))),
    ],
    cleanup: [remove(AT)],
  },
  {
    name: "a question about pools is answered once",
    probes: [
      post(REQUESTS, request({ poolName: "p", limit: 2 })),
      merge(`${AT}/status`, { metadata: { labels: { c: "d" } }, spec: { limit: 7 } }),
      status({
        poolCount: 2,
        pools: [pool({ ...COUNTED, nodeName: "n" }), pool({ poolName: "q", validationError: "incomplete" })],
        conditions: [condition()],
      }),
      status({ poolCount: 3 }),
      status({ conditions: [condition({ message: "n" })] }),
      status(null),
      merge(AT, { metadata: { labels: { a: "b" } } }),
      remove(AT),
      get(AT),
    ],
    cleanup: [remove(AT)],
  },
];
