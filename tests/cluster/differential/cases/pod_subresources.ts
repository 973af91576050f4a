/** Subresources that only pods have: status, ephemeral containers, resources, logs. */
import { apply, get, jsonPatch, pod, PODS, put, setup, strategic } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post } from "../requests.ts";

const P = `${PODS}/p`;
const SIZE = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } };
const sized = pod("p", {
  initContainers: [{ name: "i", image: "x" }, { name: "side", image: "x", restartPolicy: "Always" }],
}, { resources: SIZE });
const plain = pod("p", { initContainers: [{ name: "i", image: "x" }] });

const ephemeral = (...ephemeralContainers: Fields[]): Probe =>
  strategic(`${P}/ephemeralcontainers`, { spec: { ephemeralContainers } });
const resize = (resources: Fields, more: Fields = {}): Probe =>
  strategic(`${P}/resize`, { spec: { containers: [{ name: "c", resources, ...more }] } });
const resizeInit = (name: string, more: Fields): Probe =>
  strategic(`${P}/resize`, { spec: { initContainers: [{ name, ...more }] } });

export const CASES: readonly DifferentialCase[] = [
  {
    name: "ephemeral containers that cannot be",
    probes: [
      setup(post(PODS, plain)),
      ephemeral({ name: "e" }),
      ephemeral({ name: "c", image: "x" }),
      ephemeral({ name: "i", image: "x" }),
      ephemeral({ name: "e", image: "x", targetContainerName: "zz" }),
      ephemeral({ name: "e", image: "x", ports: [{ containerPort: 80 }] }),
      ephemeral({
        name: "e",
        image: "x",
        resources: { limits: { cpu: "1" } },
        livenessProbe: { exec: { command: ["x"] } },
      }),
      ephemeral({ name: "E_", image: " x" }),
      ephemeral({ image: "x" }),
      strategic(`${PODS}/none/ephemeralcontainers`, { spec: {} }),
      put(`${P}/ephemeralcontainers`, pod("q")),
    ],
  },
  {
    name: "ephemeral containers come and stay",
    probes: [
      setup(post(PODS, plain)),
      get(`${P}/ephemeralcontainers`),
      strategic(`${P}/ephemeralcontainers`, {
        metadata: { labels: { a: "b" } },
        spec: { hostNetwork: true, ephemeralContainers: [{ name: "e", image: "x", targetContainerName: "c" }] },
      }),
      ephemeral({ name: "e", image: "y" }),
      ephemeral(),
      merge(`${P}/ephemeralcontainers`, { spec: { ephemeralContainers: null } }),
      jsonPatch(`${P}/ephemeralcontainers`, [{ op: "remove", path: "/spec/ephemeralContainers/0" }]),
      ephemeral({ name: "f", image: "y" }),
      strategic(`${P}/ephemeralcontainers?dryRun=All`, { spec: { ephemeralContainers: [{ name: "g", image: "y" }] } }),
      apply("app", `${P}/ephemeralcontainers`, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        spec: { ephemeralContainers: [{ name: "h", image: "y" }] },
      }),
      get(P),
      put(`${P}/ephemeralcontainers`, pod("p", { ephemeralContainers: [{ name: "i9", image: "q" }] })),
      strategic(P, { spec: { ephemeralContainers: [{ name: "h", image: "x" }] } }),
    ],
  },
  {
    name: "resources that cannot change so",
    probes: [
      setup(post(PODS, sized)),
      resize({ requests: { cpu: "5" } }),
      resize({ requests: { foo: "5" } }),
      resize({ requests: { cpu: null } }),
      resize({ requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } }),
      resize({ limits: { cpu: null } }),
      resize({ requests: { cpu: "x" } }),
      resize({ requests: { cpu: "-1" } }),
      strategic(`${P}/resize`, { spec: { containers: [{ name: "d", image: "x" }] } }),
      jsonPatch(`${P}/resize`, [{ op: "replace", path: "/spec/containers/0/name", value: "zz" }]),
      jsonPatch(`${P}/resize`, [{ op: "remove", path: "/spec/initContainers/0" }]),
      resizeInit("i", { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }),
      resize({}, { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }], image: "zz" }),
      strategic(`${PODS}/none/resize`, { spec: {} }),
    ],
  },
  {
    name: "resources",
    probes: [
      setup(post(PODS, sized)),
      get(`${P}/resize`),
      resize({ requests: { cpu: "500m" } }),
      resizeInit("side", { resources: { requests: { cpu: "1" } } }),
      resizeInit("i", { resources: { requests: { cpu: "1" } } }),
      strategic(`${P}/resize`, { spec: { hostNetwork: true, resources: { requests: { cpu: "1" } } } }),
      strategic(`${P}/resize`, { metadata: { labels: { a: "b" }, annotations: { a: "b" } } }),
      get(P),
      apply("app", `${P}/resize`, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", resources: { requests: { cpu: "750m" } } }] },
      }, "&force=true"),
    ],
  },
  {
    name: "status",
    probes: [
      setup(post(PODS, plain)),
      strategic(`${P}/status`, {
        metadata: {
          labels: { zz: "2" },
          annotations: { q: "1" },
          ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "y" }],
        },
        spec: { hostNetwork: true },
        status: { phase: "Running", message: "m" },
      }),
      put(`${P}/status`, { metadata: { name: "p" }, status: { phase: "Succeeded" } }),
      put(`${P}/status`, { metadata: { name: "zz" }, status: { phase: "Succeeded" } }),
      post(`${P}/status`, {}),
      merge(P, { status: { phase: "Failed" } }),
    ],
  },
  {
    name: "logs that there are not",
    probes: [
      setup(post(PODS, pod("p", { initContainers: [{ name: "i", image: "x" }] }))),
      setup(post(PODS, pod("two", { containers: [{ name: "a", image: "x" }, { name: "b", image: "x" }] }))),
      setup(post(
        PODS,
        pod("three", {
          containers: [{ name: "a", image: "x" }, { name: "b", image: "x" }],
          initContainers: [{ name: "i", image: "x" }],
        }),
      )),
      ...[
        "container=zz",
        "tailLines=x",
        "tailLines=-1",
        "sinceSeconds=0",
        "sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z",
        "limitBytes=0",
        "stream=Foo",
      ].map((query) => get(`${P}/log?${query}`)),
      get(`${PODS}/none/log`),
      get(`${PODS}/two/log`),
      get(`${PODS}/three/log`),
      post(`${P}/log`, {}),
    ],
  },
];
