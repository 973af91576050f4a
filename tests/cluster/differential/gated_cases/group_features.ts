/** What groups and workloads ask for that only features which are off have: it is dropped. */
import { get, put } from "../bodies.ts";
import type { DifferentialCase } from "../probe.ts";
import { type Fields, merge, post } from "../requests.ts";

const GROUP = "/apis/scheduling.k8s.io/v1alpha2/namespaces/{ns}";
const GROUPS = `${GROUP}/podgroups`;
const WORKLOADS = `${GROUP}/workloads`;
const AT = `${GROUPS}/a`;
const AT_WORKLOAD = `${WORKLOADS}/w`;

const DROPPED: readonly Fields[] = [
  { schedulingConstraints: { topology: [{ key: "topology.kubernetes.io/rack" }] } },
  { schedulingConstraints: { topology: [{ key: "a/b/c" }, { key: "" }] } },
  { schedulingConstraints: {} },
  { schedulingConstraints: null },
  { disruptionMode: "PodGroup" },
  { disruptionMode: "Pod" },
  { disruptionMode: "Never" },
  { disruptionMode: null },
  { priorityClassName: "high" },
  { priorityClassName: "H h" },
  { priority: 1000 },
  { priority: 2_000_000_000 },
  { priority: -1, priorityClassName: "high", disruptionMode: "PodGroup", schedulingConstraints: { topology: [] } },
];
const CLAIM = { name: "x", resourceClaimName: "c" };

const group = (more: Fields) => ({ metadata: { name: "a" }, spec: { schedulingPolicy: { basic: {} }, ...more } });
const templates = (...more: Fields[]) =>
  more.map((fields, i) => ({ name: `g${i}`, schedulingPolicy: { basic: {} }, ...fields }));
const workload = (...more: Fields[]) => ({ metadata: { name: "w" }, spec: { podGroupTemplates: templates(...more) } });

export const CASES: readonly DifferentialCase[] = [
  { name: "groups", probes: DROPPED.map((more) => post(`${GROUPS}?dryRun=All`, group(more))) },
  { name: "workloads", probes: DROPPED.map((more) => post(`${WORKLOADS}?dryRun=All`, workload({}, more))) },
  {
    name: "groups that are changed",
    probes: [
      post(GROUPS, group({ ...DROPPED.at(-1), resourceClaims: [CLAIM] })),
      ...DROPPED.map((spec) => merge(AT, { spec })),
      ...DROPPED.map((more) => put(AT, group({ resourceClaims: [CLAIM], ...more }))),
      get(AT),
    ],
  },
  {
    name: "workloads that are changed",
    probes: [
      post(WORKLOADS, workload({ ...DROPPED.at(-1), resourceClaims: [CLAIM] })),
      ...DROPPED.map((more) => put(AT_WORKLOAD, workload({ resourceClaims: [CLAIM], ...more }))),
      put(AT_WORKLOAD, workload({}, { resourceClaims: [CLAIM] })),
      get(AT_WORKLOAD),
    ],
  },
  {
    name: "what is told of groups",
    probes: [
      post(GROUPS, group({ resourceClaims: [CLAIM] })),
      merge(`${AT}/status`, { status: { resourceClaimStatuses: [{ name: "x", resourceClaimName: "c-1" }] } }),
      get(AT),
    ],
  },
];
