/** What admission fills in and refuses: limit ranges, accounts, priorities, classes, nodes, certificates. */
import type { DifferentialCase } from "../probe.ts";
import { type Fields, has, isRefused, merge, post, remove, waitFor } from "../requests.ts";

const CORE = "/api/v1/namespaces/{ns}";
const PODS = `${CORE}/pods`;
const CLAIMS = `${CORE}/persistentvolumeclaims`;

const container = (resources: Fields = {}, name = "c") => ({ name, image: "nginx:1", resources });
const pod = (name: string, spec: Fields = {}, metadata: Fields = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [container()], ...spec },
});
const claim = (name: string, storage: string, spec: Fields = {}) => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec },
});
const limitRange = (...limits: Fields[]) => post(`${CORE}/limitranges`, { metadata: { name: "lr" }, spec: { limits } });

export const CASES: readonly DifferentialCase[] = [
  {
    name: "limit ranges give containers what they leave open",
    probes: [
      limitRange({ type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "100m" } }),
      waitFor(PODS, pod("w"), has("limit-ranger")),
      post(PODS, pod("none")),
      post(PODS, pod("some", { containers: [container({ limits: { cpu: "2" } }), container({}, "d")] })),
      post(PODS, pod("all", { containers: [container({ limits: { cpu: "1", memory: "1Gi" } })] })),
      post(PODS, pod("init", { initContainers: [container({ requests: { cpu: "1m" } }, "i")] })),
      merge(`${PODS}/none`, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "limit ranges keep containers within limits",
    probes: [
      limitRange({ type: "Container", min: { cpu: "100m" }, max: { cpu: "1" }, maxLimitRequestRatio: { cpu: "2" } }),
      waitFor(PODS, pod("w", { containers: [container({ limits: { cpu: "3" } })] }), isRefused),
      post(PODS, pod("fits", { containers: [container({ requests: { cpu: "500m" }, limits: { cpu: "1" } })] })),
      post(PODS, pod("most", { containers: [container({ requests: { cpu: "1" }, limits: { cpu: "2" } })] })),
      post(PODS, pod("least", { containers: [container({ requests: { cpu: "50m" }, limits: { cpu: "100m" } })] })),
      post(PODS, pod("ratio", { containers: [container({ requests: { cpu: "300m" }, limits: { cpu: "1" } })] })),
      post(PODS, pod("both", { containers: [container({ requests: { cpu: "10m" }, limits: { cpu: "2" } })] })),
      post(
        PODS,
        pod("two", { containers: [container({ limits: { cpu: "2" } }), container({ limits: { cpu: "3" } }, "d")] }),
      ),
      post(PODS, pod("init", { initContainers: [container({ limits: { cpu: "5" } }, "i")] })),
      post(PODS, pod("default")),
      post(PODS, { ...pod("x"), metadata: { generateName: "gen-" } }, { ignore: { fields: ["*"], because: "random" } }),
    ],
  },
  {
    name: "limit ranges without defaults want to be told",
    probes: [
      limitRange({ type: "Pod", max: { memory: "1Gi" }, min: { cpu: "200m" } }),
      waitFor(PODS, pod("w"), isRefused),
      post(PODS, pod("none")),
      post(PODS, pod("request", { containers: [container({ requests: { cpu: "1", memory: "1Mi" } })] })),
      post(PODS, pod("over", { containers: [container({ limits: { cpu: "1", memory: "2Gi" } })] })),
      post(PODS, pod("under", { containers: [container({ limits: { cpu: "0.1", memory: "1Mi" } })] })),
      post(
        PODS,
        pod("sum", {
          containers: ["a", "b"].map((name) => container({ limits: { cpu: "0.1", memory: "1Mi" } }, name)),
        }),
      ),
      post(
        PODS,
        pod("init", {
          containers: [container({ limits: { cpu: "200m", memory: "1Mi" } })],
          initContainers: [container({ limits: { cpu: "200m", memory: "2Gi" } }, "i")],
        }),
      ),
      post(PODS, pod("level", { resources: { requests: { cpu: "300m" }, limits: { memory: "1Mi" } } })),
    ],
  },
  {
    name: "limit ranges keep claims within limits",
    probes: [
      limitRange({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }),
      waitFor(CLAIMS, claim("w", "5Gi", { storageClassName: "" }), isRefused),
      post(CLAIMS, claim("small", "1Mi", { storageClassName: "" })),
      post(CLAIMS, claim("large", "3Gi", { storageClassName: "" })),
      post(CLAIMS, claim("fits", "1536Mi", { storageClassName: "" })),
      merge(`${CLAIMS}/fits`, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "limit ranges hold for resizes",
    probes: [
      post(PODS, pod("web", { containers: [container({ requests: { cpu: "1" }, limits: { cpu: "1" } })] })),
      limitRange({ type: "Container", max: { cpu: "2" } }),
      waitFor(PODS, pod("w", { containers: [container({ limits: { cpu: "3" } })] }), isRefused),
      merge(`${PODS}/web/resize`, {
        spec: { containers: [container({ requests: { cpu: "4" }, limits: { cpu: "4" } })] },
      }),
      merge(`${PODS}/web/resize`, {
        spec: { containers: [container({ requests: { cpu: "2" }, limits: { cpu: "2" } })] },
      }),
    ],
  },
  {
    name: "pods run as service accounts that exist",
    probes: [
      post(PODS, pod("a", { serviceAccountName: "nobody" })),
      post(`${CORE}/serviceaccounts`, {
        metadata: { name: "builder" },
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: "registry" }],
      }),
      waitFor(PODS, pod("w", { serviceAccountName: "builder" }), has("registry")),
      post(PODS, pod("b", { serviceAccountName: "builder" })),
      post(PODS, pod("c", { serviceAccountName: "builder", automountServiceAccountToken: true })),
      post(PODS, pod("d", { serviceAccountName: "builder", imagePullSecrets: [{ name: "own" }] })),
      post(PODS, pod("e", { automountServiceAccountToken: false })),
      post(
        PODS,
        pod("f", {
          containers: [{
            ...container(),
            volumeMounts: [{ name: "own", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
          }, container({}, "d")],
          initContainers: [container({}, "i")],
          volumes: [{ name: "own", emptyDir: {} }],
        }),
      ),
      post(PODS, pod("g", { volumes: [{ name: "kube-api-access-mine1", emptyDir: {} }] })),
    ],
  },
  {
    name: "mirror pods have nothing of the cluster",
    probes: [
      ["service account", { serviceAccountName: "default" }],
      ["secret", { volumes: [{ name: "s", secret: { secretName: "x" } }] }],
      ["pull secret", { imagePullSecrets: [{ name: "x" }] }],
      ["environment", {
        containers: [{ ...container(), env: [{ name: "A", valueFrom: { secretKeyRef: { name: "x", key: "k" } } }] }],
      }],
      ["token", { volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] }],
      ["nothing", {}],
    ].map(([, spec], i) =>
      post(
        PODS,
        pod(`m${i}`, { nodeName: "n", ...spec as Fields }, { annotations: { "kubernetes.io/config.mirror": "x" } }),
      )
    ),
  },
  {
    name: "priority classes decide",
    probes: [
      post("/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "{ns}-high" },
        value: 1000,
        preemptionPolicy: "Never",
      }),
      waitFor(PODS, pod("w", { priorityClassName: "{ns}-high" }), has("1000")),
      post(PODS, pod("a", { priorityClassName: "{ns}-high" })),
      post(PODS, pod("b", { priorityClassName: "{ns}-none" })),
      post(PODS, pod("c", { priorityClassName: "{ns}-high", priority: 7 })),
      post(PODS, pod("d", { priorityClassName: "{ns}-high", priority: 1000 })),
      post(PODS, pod("e", { priorityClassName: "{ns}-high", preemptionPolicy: "PreemptLowerPriority" })),
      post(PODS, pod("f", { priority: 5 })),
      post(PODS, pod("g", { priorityClassName: "system-node-critical" })),
      merge(`${PODS}/a`, { spec: { priority: null, preemptionPolicy: null } }),
      post("/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "{ns}-default" },
        value: 1,
        globalDefault: true,
      }),
      waitFor("/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "{ns}-w" },
        value: 2,
        globalDefault: true,
      }, isRefused),
      post("/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "{ns}-other" },
        value: 2,
        globalDefault: true,
      }),
      merge("/apis/scheduling.k8s.io/v1/priorityclasses/{ns}-high", { globalDefault: true }),
      merge("/apis/scheduling.k8s.io/v1/priorityclasses/{ns}-default", { description: "still" }),
      post(PODS, pod("h")),
    ],
    cleanup: ["high", "default", "other"].map((name) =>
      remove(`/apis/scheduling.k8s.io/v1/priorityclasses/{ns}-${name}`)
    ),
  },
  {
    name: "pods tolerate troubled nodes for a while",
    probes: [
      post(
        PODS,
        pod("a", { tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }] }),
      ),
      post(PODS, pod("b", { tolerations: [{ operator: "Exists" }] })),
      post(
        PODS,
        pod("c", {
          tolerations: [{ key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoSchedule" }],
        }),
      ),
      merge(`${PODS}/a`, { spec: { tolerations: [{ key: "mine", operator: "Exists" }] } }),
      merge(`${PODS}/a`, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "runtime classes say what a pod needs besides",
    probes: [
      post("/apis/node.k8s.io/v1/runtimeclasses", {
        metadata: { name: "{ns}-vm" },
        handler: "vm",
        overhead: { podFixed: { cpu: "100m" } },
        scheduling: { nodeSelector: { vm: "yes" }, tolerations: [{ key: "vm", operator: "Exists" }] },
      }),
      post("/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "{ns}-plain" }, handler: "plain" }),
      waitFor(PODS, pod("w", { runtimeClassName: "{ns}-plain" }), (body) => !isRefused(body)),
      post(PODS, pod("a", { runtimeClassName: "{ns}-vm" })),
      post(PODS, pod("b", { runtimeClassName: "{ns}-none" })),
      post(PODS, pod("c", { runtimeClassName: "{ns}-vm", nodeSelector: { vm: "no" } })),
      post(PODS, pod("d", { runtimeClassName: "{ns}-vm", nodeSelector: { a: "b" }, overhead: { cpu: "0.1" } })),
      post(PODS, pod("e", { runtimeClassName: "{ns}-vm", overhead: { cpu: "1" } })),
      post(PODS, pod("f", { runtimeClassName: "{ns}-plain", overhead: { cpu: "1" } })),
      post(PODS, pod("g", { overhead: { cpu: "1" } })),
      post(
        PODS,
        pod("h", {
          runtimeClassName: "{ns}-vm",
          tolerations: [{ key: "vm", operator: "Equal", value: "1" }, {
            key: "vm",
            operator: "Exists",
            effect: "NoSchedule",
          }],
        }),
      ),
    ],
    cleanup: ["vm", "plain"].map((name) => remove(`/apis/node.k8s.io/v1/runtimeclasses/{ns}-${name}`)),
  },
];
