/** The pod security standards: what namespaces that enforce them refuse and warn of. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, isRefused, merge, post, waitFor } from "../requests.ts";

const PODS = "/api/v1/namespaces/{ns}/pods";
const NAMESPACE = "/api/v1/namespaces/{ns}";
const LABEL = "pod-security.kubernetes.io/";

const container = (securityContext: Fields = {}, more: Fields = {}) => ({
  name: "c",
  image: "nginx:1",
  securityContext,
  ...more,
});
const pod = (name: string, spec: Fields = {}, annotations: Fields = {}) => ({
  metadata: { name, annotations },
  spec: { containers: [container()], ...spec },
});
const one = (securityContext: Fields, more: Fields = {}) => ({ containers: [container(securityContext, more)] });

/** What passes the restricted level. */
const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Labels the namespace and waits until kube-apiserver's caches know. */
function labelled(labels: Fields): Probe[] {
  const prefixed = Object.fromEntries(Object.entries(labels).map(([key, value]) => [LABEL + key, value]));
  return [
    merge(NAMESPACE, { metadata: { labels: prefixed } }),
    waitFor(PODS, pod("w", one({ privileged: true })), isRefused),
  ];
}

const BASELINE: readonly Fields[] = [
  {},
  one({ privileged: true }),
  { hostNetwork: true, hostPID: true },
  { volumes: [{ name: "v", hostPath: { path: "/" } }] },
  one({}, { ports: [{ containerPort: 80, hostPort: 8080 }] }),
  one({ capabilities: { add: ["NET_ADMIN", "CHOWN", "ALL"] } }),
  one({ seLinuxOptions: { type: "spc_t", user: "u", role: "r" } }),
  { securityContext: { seLinuxOptions: { type: "container_engine_t" } } },
  one({ seccompProfile: { type: "Unconfined" } }),
  { securityContext: { appArmorProfile: { type: "Unconfined" } } },
  {
    securityContext: {
      sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }, { name: "kernel.msgmax", value: "1" }],
    },
  },
  one({}, { livenessProbe: { httpGet: { port: 80, host: "10.1.2.3" } } }),
  {
    containers: [container({ privileged: true }), { ...container({ privileged: true }), name: "d" }],
    initContainers: [{ ...container({ privileged: true }), name: "i" }],
  },
];

const RESTRICTED: readonly Fields[] = [
  {},
  one(SAFE),
  one({ ...SAFE, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE", "CHOWN"] } }),
  one({ ...SAFE, runAsNonRoot: undefined }),
  { ...one({ ...SAFE, runAsNonRoot: undefined }), securityContext: { runAsNonRoot: true } },
  one({ ...SAFE, runAsNonRoot: false }),
  one({ ...SAFE, runAsUser: 0 }),
  {
    ...one({ ...SAFE, seccompProfile: undefined }),
    securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p" } },
  },
  { ...one(SAFE), volumes: [{ name: "v", nfs: { server: "s", path: "/" } }, { name: "w", emptyDir: {} }] },
  { ...one({ ...SAFE, runAsNonRoot: undefined }), hostUsers: false },
  { ...one({ privileged: true }), hostNetwork: true },
];

export const CASES: readonly DifferentialCase[] = [
  {
    name: "the baseline level",
    probes: [...labelled({ enforce: "baseline" }), ...BASELINE.map((spec, i) => post(PODS, pod(`p${i}`, spec)))],
  },
  {
    name: "the restricted level",
    probes: [...labelled({ enforce: "restricted" }), ...RESTRICTED.map((spec, i) => post(PODS, pod(`p${i}`, spec)))],
  },
  {
    name: "the restricted level of an older version",
    probes: [
      ...labelled({ enforce: "restricted", "enforce-version": "v1.21" }),
      post(PODS, pod("a")),
      post(PODS, pod("b", { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } })),
      post(PODS, pod("c", one({ ...SAFE, runAsUser: 0 }))),
    ],
  },
  {
    name: "warnings, also of templates, and of pods that are there already",
    probes: [
      post(PODS, pod("a", one({ privileged: true }))),
      post(PODS, pod("b", one({ privileged: true }))),
      post(PODS, pod("c", { hostNetwork: true })),
      merge(NAMESPACE, { metadata: { labels: { [`${LABEL}enforce`]: "baseline", [`${LABEL}warn`]: "restricted" } } }),
      waitFor(PODS, pod("w", one({ privileged: true })), isRefused),
      post(PODS, pod("d")),
      post("/apis/apps/v1/namespaces/{ns}/deployments", {
        metadata: { name: "d" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: pod("", one({ privileged: true })).spec },
        },
      }),
      post("/apis/batch/v1/namespaces/{ns}/cronjobs", {
        metadata: { name: "c" },
        spec: {
          schedule: "* * * * *",
          jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container(SAFE)] } } } },
        },
      }),
      merge(`${PODS}/a`, { metadata: { labels: { a: "b" } } }),
      merge(`${PODS}/a`, { spec: { containers: [{ name: "c", image: "nginx:2" }] } }, {
        type: "application/strategic-merge-patch+json",
      }),
      merge(NAMESPACE, { metadata: { labels: { [`${LABEL}enforce`]: "privileged" } } }),
    ],
  },
  {
    name: "labels that make no sense",
    probes: [
      merge(NAMESPACE, { metadata: { labels: { [`${LABEL}enforce`]: "strict" } } }),
      merge(NAMESPACE, { metadata: { labels: { [`${LABEL}warn-version`]: "1.3", [`${LABEL}audit`]: "loud" } } }),
      post("/api/v1/namespaces", { metadata: { name: "{ns}-b", labels: { [`${LABEL}warn`]: "" } } }),
    ],
  },
];
