/** Fields that a kind does not have, that come twice, or whose value is of another type. */
import { CONFIG_MAPS, configMap, deployment, DEPLOYMENTS, pod, PODS } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, post } from "../requests.ts";

const SECRETS = "/api/v1/namespaces/{ns}/secrets";
const SERVICES = "/api/v1/namespaces/{ns}/services";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";

const TWICE = '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","name":"b","labels":{"x":"1","x":"2"}},' +
  '"spec":{"containers":[{"name":"c","image":"i","image":"j"}],"containers":[{"name":"d","image":"i","foo":1}]},"kind":"Pod"}';
const YAML = "kind: Pod\napiVersion: v1\nmetadata:\n  name: a\n  name: b\nspec:\n  foo: 1\n  containers:\n" +
  "  - name: c\n    image: d\n    image: e\n    bar: 1\n";

/** Bodies that say too much, sent with a level of strictness. */
function strange(level: string): Probe[] {
  const path = `${PODS}?dryRun=All&fieldValidation=${level}`;
  return [
    post(path, { ...pod("a"), foo: 1, bar: {} }),
    post(path, pod("a", { foo: 1 }, { bar: 1 })),
    post(
      path,
      pod("a", { volumes: [{ name: "v", emptyDir: { foo: 1 } }] }, {
        ports: [{ containerPort: 2, "a b": 1, 'q"x': 2 }],
      }),
    ),
    post(path, TWICE),
    post(path, { ...pod("a"), metadata: { name: "a", Labels: { x: "y" } } }),
    post(path, YAML, { type: "application/yaml" }),
  ];
}

const inPod = (spec: Fields, container: Fields = {}): Probe => post(PODS, pod("a", spec, container));
const inMetadata = (metadata: Fields): Probe => post(PODS, { ...pod("a"), metadata: { name: "a", ...metadata } });
const port = (fields: Fields): Probe => inPod({}, { ports: [fields] });
const cpu = (amount: unknown): Probe => inPod({}, { resources: { requests: { cpu: amount } } });
const probed = (port: unknown): Probe => inPod({}, { livenessProbe: { httpGet: { port } } });
const deployed = (spec: Fields): Probe => post(DEPLOYMENTS, deployment("a", spec));
const secret = (data: Fields): Probe => post(SECRETS, { metadata: { name: "s" }, data });
const service = (spec: Fields): Probe => post(SERVICES, { metadata: { name: "s" }, spec });

export const CASES: readonly DifferentialCase[] = [
  ...["Strict", "Warn", "Ignore"].map((level) => ({
    name: `${level} about fields that are unknown or repeated`,
    probes: strange(level),
  })),
  {
    name: "how strict a write is",
    probes: [
      ...["", "strict"].map((level) => post(`${PODS}?dryRun=All&fieldValidation=${level}`, { ...pod("a"), foo: 1 })),
      post(`${PODS}?dryRun=All&fieldValidation=Strict&fieldValidation=Ignore`, { ...pod("a"), foo: 1 }),
      post(`${PODS}?dryRun=All&fieldValidation=Strict`, {
        ...pod("a"),
        ...Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, 1])),
      }),
      post(`${PODS}?dryRun=All&fieldValidation=Warn`, { ...pod("a"), ["x".repeat(3000)]: 1, "with\u0001control": 1 }),
    ],
  },
  {
    name: "scalars of another type",
    probes: [
      inPod({ terminationGracePeriodSeconds: "x" }),
      inPod({ hostNetwork: 1 }),
      inPod({ restartPolicy: 1 }),
      inPod({ securityContext: { runAsUser: "root" } }),
      inPod({ tolerations: [{ tolerationSeconds: "1" }] }),
      port({ containerPort: "80" }),
      port({ containerPort: 1.5 }),
      port({ containerPort: 3_000_000_000 }),
      port({ containerPort: 80, protocol: 7 }),
      inPod({}, { env: [{ name: "A", value: 5 }] }),
      inPod({}, { env: [{ name: "A", value: true }] }),
      deployed({ replicas: "3" }),
      deployed({ replicas: 1.5 }),
      deployed({ replicas: "3", paused: "x", template: { metadata: { creationTimestamp: "bad" } } }),
      service({ ports: [{ port: "http" }] }),
      service({ selector: { a: 1 } }),
      post(LEASES, { metadata: { name: "l" }, spec: { leaseDurationSeconds: 2_147_483_648 } }),
      post("/apis/batch/v1/namespaces/{ns}/jobs", { metadata: { name: "j" }, spec: { backoffLimit: "1" } }),
      post(CONFIG_MAPS, { ...configMap(), immutable: "yes" }),
      post(CONFIG_MAPS, configMap({ x: 1 })),
    ],
  },
  {
    name: "objects and lists of another type",
    probes: [
      inPod({ containers: {} }),
      inPod({ containers: ["x"] }),
      inPod({ nodeSelector: "x" }),
      inPod({ volumes: [{ name: "v", secret: "x" }] }),
      inPod({ dnsConfig: { nameservers: "1.1.1.1" } }),
      inPod({}, { command: "sleep" }),
      inPod({}, { env: { A: "b" } }),
      inPod({}, { resources: { requests: [] } }),
      post(PODS, { ...pod("a"), metadata: "x" }),
      post(PODS, { ...pod("a"), spec: [] }),
      deployed({ template: [] }),
      deployed({ template: { spec: { containers: [{ name: 1 }] } } }),
      service({ ports: { port: 80 } }),
      post(CONFIG_MAPS, { ...configMap(), data: ["x"] }),
    ],
  },
  {
    name: "quantities, times, ports and bytes that cannot be read",
    probes: [
      ...["abc", {}, true, ""].map(cpu),
      ...[true, {}, 1.5, 99_999_999_999].map(probed),
      deployed({ strategy: { rollingUpdate: { maxSurge: [] } } }),
      inMetadata({ creationTimestamp: 5 }),
      inMetadata({ creationTimestamp: "2020-01-01" }),
      post(LEASES, { metadata: { name: "l" }, spec: { renewTime: "nope" } }),
      ...["not base64!", "YQ", "YQ=", "Y===", 1].map((value) => secret({ a: value })),
      post(CONFIG_MAPS, { ...configMap(), binaryData: { x: "!!" } }),
    ],
  },
  {
    name: "metadata of another type",
    probes: [
      inMetadata({ labels: { x: 1 } }),
      inMetadata({ labels: ["x"] }),
      inMetadata({ ownerReferences: [{ uid: 5 }] }),
      inMetadata({ finalizers: "x" }),
      inMetadata({ finalizers: [1] }),
      inMetadata({ generation: "1" }),
    ],
  },
];
