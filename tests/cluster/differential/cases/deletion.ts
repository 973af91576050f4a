/** Deletion: its options, grace periods, finalizers, collections and namespaces. */
import { CONFIG_MAPS, deployment, DEPLOYMENTS, get, pod, PODS, put, removeWith, setup } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";

const JOBS = "/apis/batch/v1/namespaces/{ns}/jobs";
const OTHER = "/api/v1/namespaces/{ns}-x";

const made = (name: string, metadata: Fields = {}): Probe =>
  setup(post(CONFIG_MAPS, { metadata: { name, ...metadata } }));
const job = (name: string): Probe =>
  setup(post(JOBS, {
    metadata: { name },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "nginx:1" }] } } },
  }));
const withOptions = (body: unknown): Probe => removeWith(`${CONFIG_MAPS}/a`, body);
const withQuery = (query: string): Probe => remove(`${CONFIG_MAPS}/a?${query}`);
const finalize = (body: unknown, name = "{ns}-x"): Probe => put(`/api/v1/namespaces/${name}/finalize`, body);

export const CASES: readonly DifferentialCase[] = [
  {
    name: "options in the body that cannot be",
    probes: [
      made("a"),
      ...[
        "{",
        "[]",
        { kind: "Pod", apiVersion: "v1" },
        { kind: "Foo" },
        { gracePeriodSeconds: "x" },
        { gracePeriodSeconds: 1.5 },
        { propagationPolicy: "Foo" },
        { propagationPolicy: "" },
        { propagationPolicy: 5 },
        { propagationPolicy: "Orphan", orphanDependents: true },
        { orphanDependents: "x" },
        { dryRun: ["Foo"] },
        { dryRun: "All" },
        { preconditions: "x" },
        { preconditions: { uid: "x" } },
        { preconditions: { uid: "x", resourceVersion: "1" } },
      ].map(withOptions),
      removeWith(`${CONFIG_MAPS}/a`, {}, { type: "text/plain" }),
      removeWith(`${CONFIG_MAPS}/a`, "gracePeriodSeconds: 0\npropagationPolicy: Foo", { type: "application/yaml" }),
      removeWith(`${CONFIG_MAPS}/none`, { propagationPolicy: "Foo" }),
      remove(`${CONFIG_MAPS}/none`),
      get(`${CONFIG_MAPS}/a`),
    ],
  },
  {
    name: "options in the body that can be",
    probes: [
      "null",
      { kind: "DeleteOptions", apiVersion: "v1" },
      { kind: "DeleteOptions", apiVersion: "apps/v1" },
      { gracePeriodSeconds: -1 },
      { foo: 1 },
      { dryRun: ["All"] },
    ].flatMap((body) => [made("a"), withOptions(body)]),
  },
  {
    name: "options in the query",
    probes: [
      made("a"),
      ...[
        "gracePeriodSeconds=x",
        "gracePeriodSeconds=-1&dryRun=All",
        "propagationPolicy=Foo",
        "propagationPolicy=Orphan&orphanDependents=true",
        "orphanDependents=x&dryRun=All",
        "dryRun=Foo",
        "dryRun=All",
        "preconditions=x&dryRun=All",
      ].map(withQuery),
      removeWith(`${CONFIG_MAPS}/a?dryRun=All&propagationPolicy=Foo`, {}),
    ],
  },
  {
    name: "what becomes of dependents",
    probes: [
      setup(post(DEPLOYMENTS, deployment("d"))),
      removeWith(`${DEPLOYMENTS}/d`, { propagationPolicy: "Foreground", dryRun: ["All"] }),
      removeWith(`${DEPLOYMENTS}/d`, { propagationPolicy: "Foreground" }),
      removeWith(`${DEPLOYMENTS}/d`, { propagationPolicy: "Foreground" }),
      removeWith(`${DEPLOYMENTS}/d`, { propagationPolicy: "Orphan" }),
      remove(`${DEPLOYMENTS}/d`),
      removeWith(`${DEPLOYMENTS}/d`, { propagationPolicy: "Background" }),
      setup(post(DEPLOYMENTS, deployment("e", {}, { finalizers: ["x.y/z"] }))),
      removeWith(`${DEPLOYMENTS}/e`, { orphanDependents: false }),
      removeWith(`${DEPLOYMENTS}/e`, { orphanDependents: true }),
      post(DEPLOYMENTS, deployment("e")),
      merge(`${DEPLOYMENTS}/e`, { metadata: { finalizers: ["a.b/c", "x.y/z", "orphan"] } }),
      merge(`${DEPLOYMENTS}/e`, { metadata: { finalizers: null } }),
      get(`${DEPLOYMENTS}/e`),
    ],
  },
  {
    name: "jobs warn about their pods",
    probes: [
      job("a"),
      remove(`${JOBS}/a`),
      removeWith(`${JOBS}/a`, { propagationPolicy: "Background" }),
      job("b"),
      remove(`${JOBS}/b?propagationPolicy=Background`),
      job("c"),
      remove(JOBS),
    ],
  },
  {
    name: "finalizers keep an object until they are gone",
    probes: [
      made("f", { finalizers: ["x.y/z", "a.b/c"] }),
      removeWith(`${CONFIG_MAPS}/f`, { gracePeriodSeconds: 30 }),
      remove(`${CONFIG_MAPS}/f`),
      removeWith(`${CONFIG_MAPS}/f`, { preconditions: { uid: "x" } }),
      post(CONFIG_MAPS, { metadata: { name: "f" } }),
      put(`${CONFIG_MAPS}/f`, { metadata: { name: "f", finalizers: ["x.y/z", "new/one"] } }),
      put(`${CONFIG_MAPS}/f`, { metadata: { name: "f", finalizers: ["x.y/z"] } }),
      put(`${CONFIG_MAPS}/f`, { metadata: { name: "f" } }),
      get(`${CONFIG_MAPS}/f`),
    ],
  },
  {
    name: "pods that run nowhere go at once",
    probes: [
      setup(post(PODS, pod("p"))),
      removeWith(`${PODS}/p`, { dryRun: ["All"] }),
      remove(`${PODS}/p`),
      get(`${PODS}/p`),
    ],
  },
  {
    name: "grace periods of pods",
    probes: [
      setup(post(PODS, pod("q", { nodeName: "n1" }))),
      removeWith(`${PODS}/q`, { dryRun: ["All"] }),
      remove(`${PODS}/q`),
      remove(`${PODS}/q`),
      ...[60, 10, -5].map((gracePeriodSeconds) => removeWith(`${PODS}/q`, { gracePeriodSeconds })),
      remove(`${PODS}/q?gracePeriodSeconds=0`),
      get(`${PODS}/q`),
      setup(post(PODS, pod("r", { nodeName: "n1", terminationGracePeriodSeconds: 0 }))),
      remove(`${PODS}/r`),
      setup(post(PODS, pod("s", { nodeName: "n1" }))),
      removeWith(`${PODS}/s`, { gracePeriodSeconds: -5 }),
      removeWith(`${PODS}/s`, { gracePeriodSeconds: 0, propagationPolicy: "Foreground" }),
      removeWith(`${PODS}/s`, { gracePeriodSeconds: 0, propagationPolicy: "Background" }),
    ],
  },
  {
    name: "collections",
    probes: [
      made("a", { labels: { x: "1" } }),
      made("b", { labels: { x: "2" } }),
      made("c", { labels: { x: "1" }, finalizers: ["x.y/z"] }),
      made("d"),
      ...["labelSelector=x%3D1%3D", "fieldSelector=foo%3D1", "limit=x", "continue=x"]
        .map((query) => remove(`${CONFIG_MAPS}?${query}`)),
      removeWith(CONFIG_MAPS, { propagationPolicy: "Foo" }),
      removeWith(CONFIG_MAPS, "{"),
      removeWith(`${CONFIG_MAPS}?labelSelector=x%3D1`, { dryRun: ["All"] }),
      remove(`${CONFIG_MAPS}?labelSelector=x%3D1`),
      remove(`${CONFIG_MAPS}?labelSelector=x%3D1`),
      remove(`${CONFIG_MAPS}?limit=1`),
      removeWith(CONFIG_MAPS, { preconditions: { uid: "x" } }),
      remove(`${CONFIG_MAPS}?fieldSelector=metadata.name%3Dzzz`),
      ...["PartialObjectMetadata", "PartialObjectMetadataList"].map((kind): Probe => ({
        method: "DELETE",
        path: CONFIG_MAPS,
        headers: { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` },
      })),
      get(CONFIG_MAPS),
      remove("/api/v1/namespaces/none-such/configmaps"),
    ],
  },
  {
    name: "namespaces",
    probes: [
      remove("/api/v1/namespaces/default"),
      post("/api/v1/namespaces", { metadata: { name: "{ns}-x" } }),
      remove(`${OTHER}?dryRun=All`),
      remove(OTHER),
      remove(OTHER),
      post(`${OTHER}/configmaps`, { metadata: { name: "a" } }),
      finalize({ metadata: { name: "zz" } }),
      finalize({ metadata: { name: "{ns}-x" }, spec: { finalizers: ["foo"] } }),
      finalize({ metadata: { name: "{ns}-x", labels: { a: "b" } }, spec: { finalizers: ["foo.bar/x"] } }),
      finalize({ metadata: { name: "{ns}-x" } }),
      get(OTHER),
      get("/api/v1/namespaces/{ns}/finalize"),
      finalize({ metadata: { name: "none" } }, "none"),
    ],
    cleanup: [finalize({ metadata: { name: "{ns}-x" } })],
  },
];
