/** Claims of devices that groups of pods share: how groups and workloads ask for them, and what is told of them. */
import { get, put } from "../bodies.ts";
import type { DifferentialCase } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";

const GROUP = "/apis/scheduling.k8s.io/v1alpha2/namespaces/{ns}";
const GROUPS = `${GROUP}/podgroups`;
const WORKLOADS = `${GROUP}/workloads`;
const AT = `${GROUPS}/a`;

const USERS = { name: "x", resourceClaimName: "c" };
const FROM_TEMPLATE = { name: "y", resourceClaimTemplateName: "t" };
const group = (resourceClaims: unknown, more: Fields = {}) => ({
  metadata: { name: "a" },
  spec: { schedulingPolicy: { basic: {} }, resourceClaims, ...more },
});
const tried = (resourceClaims: unknown, more: Fields = {}) => post(`${GROUPS}?dryRun=All`, group(resourceClaims, more));
const workload = (resourceClaims: unknown) => ({
  metadata: { name: "w" },
  spec: { podGroupTemplates: [{ name: "g", schedulingPolicy: { gang: { minCount: 2 } }, resourceClaims }] },
});
/** A group as it is made from a template. */
const made = (workloadName: string, podGroupTemplateName: string) =>
  group([USERS], { podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } } });
const status = (resourceClaimStatuses: unknown) => merge(`${AT}/status`, { status: { resourceClaimStatuses } });

const ODD: readonly unknown[] = [
  null,
  [],
  [{}],
  [{ name: "x" }],
  [{ name: "" }],
  [{ ...USERS, name: "X x" }],
  [{ ...USERS, name: "x".repeat(64) }],
  [{ ...USERS, resourceClaimTemplateName: "t" }],
  [{ ...USERS, resourceClaimName: "" }],
  [{ ...USERS, resourceClaimName: "C c" }],
  [{ ...FROM_TEMPLATE, resourceClaimTemplateName: "T t" }],
  [{ ...FROM_TEMPLATE, resourceClaimTemplateName: "" }],
  [USERS, USERS],
  [USERS, { ...FROM_TEMPLATE, name: "x" }],
  [USERS, { ...USERS, name: "z" }],
  Array.from({ length: 5 }, (_, i) => ({ ...USERS, name: `x${i}` })),
  [USERS, FROM_TEMPLATE],
];

export const CASES: readonly DifferentialCase[] = [
  { name: "groups that ask for claims oddly", probes: ODD.map((claims) => tried(claims)) },
  {
    name: "workloads whose groups ask for claims oddly",
    probes: ODD.map((claims) => post(`${WORKLOADS}?dryRun=All`, workload(claims))),
  },
  {
    name: "groups that are scheduled oddly",
    probes: [
      { schedulingPolicy: null },
      { schedulingPolicy: {} },
      { schedulingPolicy: { basic: {}, gang: { minCount: 1 } } },
      { schedulingPolicy: { gang: {} } },
      { schedulingPolicy: { gang: { minCount: 0 } } },
      { schedulingPolicy: { gang: { minCount: 1 } } },
      { podGroupTemplateRef: { workload: { workloadName: "w", podGroupTemplateName: "g" } } },
      { schedulingPolicy: { gang: { minCount: -1 } } },
    ].map((more) => tried([USERS], more)),
  },
  {
    name: "groups keep the claims they ask for",
    probes: [
      post(GROUPS, group([USERS, FROM_TEMPLATE])),
      merge(AT, { spec: { resourceClaims: [USERS] } }),
      merge(AT, { spec: { resourceClaims: [FROM_TEMPLATE, USERS] } }),
      merge(AT, { spec: { resourceClaims: null } }),
      merge(AT, { metadata: { labels: { a: "b" } } }),
      merge(AT, { status: { resourceClaimStatuses: [{ name: "x", resourceClaimName: "c" }] } }),
      put(AT, group([USERS, FROM_TEMPLATE])),
      get(AT),
      post(WORKLOADS, workload([USERS])),
      merge(`${WORKLOADS}/w`, { spec: { podGroupTemplates: workload([FROM_TEMPLATE]).spec.podGroupTemplates } }),
    ],
  },
  {
    name: "what is told of groups' claims",
    probes: [
      post(GROUPS, { ...group([USERS, FROM_TEMPLATE]), status: { resourceClaimStatuses: [{ name: "x" }] } }),
      status([{ name: "X x" }]),
      status([{ name: "" }]),
      status([{ name: "x", resourceClaimName: "C c" }]),
      status([{ name: "x", resourceClaimName: "" }]),
      status([{ name: "x" }, { name: "x" }]),
      status(Array.from({ length: 5 }, (_, i) => ({ name: `x${i}` }))),
      status([{ name: "nobody", resourceClaimName: "c" }]),
      status([{ name: "y", resourceClaimName: "a-y-1" }]),
      status([{ name: "y", resourceClaimName: "a-y-2" }, { name: "x" }]),
      merge(`${AT}/status`, { metadata: { labels: { c: "d" } }, spec: { resourceClaims: [USERS] } }),
      status(null),
    ],
  },
  {
    name: "groups name the template that they are made from",
    probes: [
      post(WORKLOADS, workload([USERS])),
      ...["", "g", "h"].map((name) => post(GROUPS, made("w", name))),
      merge(`${WORKLOADS}/w`, { metadata: { finalizers: ["example.com/x"] } }),
      remove(`${WORKLOADS}/w`),
      // Meanwhile kube-apiserver's admission, which looks into a cache, hears of that.
      merge(AT, { spec: made("w", "h").spec }),
      tried(null, made("", "g").spec),
      tried(null, { podGroupTemplateRef: {} }),
      tried(null, made("v", "g").spec),
      tried(null, made("w", "g").spec),
    ],
  },
  {
    name: "groups are kept until nobody uses them",
    probes: [
      post(GROUPS, group([USERS])),
      remove(AT),
      get(AT),
      merge(AT, { metadata: { finalizers: null } }),
      get(AT),
    ],
  },
];
