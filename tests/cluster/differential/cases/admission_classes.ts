/** What admission decides by classes, nodes and signers, and by whether a namespace is still open. */
import type { DifferentialCase } from "../probe.ts";
import { type Fields, has, isRefused, merge, post, remove, waitFor } from "../requests.ts";

const CORE = "/api/v1/namespaces/{ns}";
const PODS = `${CORE}/pods`;
const CLAIMS = `${CORE}/persistentvolumeclaims`;
const STORAGE = "/apis/storage.k8s.io/v1/storageclasses";
const INGRESS_CLASSES = "/apis/networking.k8s.io/v1/ingressclasses";
const INGRESSES = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses";
const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

const claim = (name: string, storage: string, spec: Fields = {}) => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec },
});
const pod = (name: string, spec: Fields = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "nginx:1" }], ...spec },
});
const grow = (storage: string) => ({ spec: { resources: { requests: { storage } } } });
const ingress = (name: string, spec: Fields = {}, annotations: Fields = {}) => ({
  metadata: { name, annotations },
  spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, ...spec },
});
const request = (name: string, signerName: string, body: string) => ({
  metadata: { name },
  spec: { request: body, signerName, usages: ["client auth"] },
});

/** Asks for a certificate of the group `system:masters`. */
const MASTERS_REQUEST = [
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaE1JR0lBZ0VBTUNZeEZ6QVZCZ05WQkFvTURuTjVjM1Js",
  "YlRwdFlYTjBaWEp6TVFzd0NRWURWUVFEREFKdApaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEEwSUFCUFRCTWNU",
  "QTFOMEd1YnRBM2dyb0EveDZPWURzCmIzazJWdGg4THpJZlRESjJIakZ4Y3VKd3RXU05WRUVnbkVLZnpGeFRVTy91bkdOTHpS",
  "eUdjNVcxL29TZ0FEQUsKQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBeUs3VEpFdWJ1OFRuallTdkpXbjJHSXc2NXE2RXl2cTIv",
  "d2xPaVlrcwpiT1lDSUFTSFlIMFFvZkFTNm1IT0FGalNjUEQwTlRmQkVVL1B1OERWUnlMVkpvUWEKLS0tLS1FTkQgQ0VSVElG",
  "SUNBVEUgUkVRVUVTVC0tLS0tCg==",
].join("");

export const CASES: readonly DifferentialCase[] = [
  {
    name: "claims get the default storage class",
    probes: [
      post(STORAGE, {
        metadata: { name: "{ns}-old", annotations: { "storageclass.beta.kubernetes.io/is-default-class": "true" } },
        provisioner: "a/b",
      }),
      waitFor(CLAIMS, claim("w", "1Gi"), has("-old")),
      post(CLAIMS, claim("a", "1Gi")),
      post(CLAIMS, claim("b", "1Gi", { storageClassName: "" })),
      post(CLAIMS, claim("c", "1Gi", { storageClassName: "none" })),
      post(CLAIMS, {
        ...claim("d", "1Gi"),
        metadata: { name: "d", annotations: { "volume.beta.kubernetes.io/storage-class": "older" } },
      }),
    ],
    cleanup: [remove(`${STORAGE}/{ns}-old`)],
  },
  {
    name: "claims grow when they are bound and their class lets them",
    probes: [
      post(STORAGE, { metadata: { name: "{ns}-grows" }, provisioner: "a/b", allowVolumeExpansion: true }),
      post(STORAGE, { metadata: { name: "{ns}-stays" }, provisioner: "a/b" }),
      post(CLAIMS, claim("grows", "1Gi", { storageClassName: "{ns}-grows" })),
      post(CLAIMS, claim("stays", "1Gi", { storageClassName: "{ns}-stays" })),
      post(CLAIMS, claim("classless", "1Gi", { storageClassName: "" })),
      merge(`${CLAIMS}/grows`, grow("2Gi")),
      ...["grows", "stays", "classless"].map((name) =>
        merge(`${CLAIMS}/${name}/status`, { status: { phase: "Bound" } })
      ),
      merge(`${CLAIMS}/grows?dryRun=All`, grow("2Gi"), {
        isSetup: true,
        until: (body) => !isRefused(body),
      }),
      merge(`${CLAIMS}/grows`, grow("2Gi")),
      merge(`${CLAIMS}/grows`, grow("2048Mi")),
      merge(`${CLAIMS}/stays`, grow("2Gi")),
      merge(`${CLAIMS}/classless`, grow("2Gi")),
    ],
    cleanup: ["grows", "stays"].map((name) => remove(`${STORAGE}/{ns}-${name}`)),
  },
  {
    name: "ingresses get the default ingress class",
    probes: [
      post(INGRESS_CLASSES, {
        metadata: { name: "{ns}-web", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
        spec: { controller: "a/b" },
      }),
      waitFor(INGRESSES, ingress("w"), has("-web")),
      post(INGRESSES, ingress("a")),
      post(INGRESSES, ingress("b", { ingressClassName: "own" })),
      post(INGRESSES, ingress("c", {}, { "kubernetes.io/ingress.class": "older" })),
    ],
    cleanup: [remove(`${INGRESS_CLASSES}/{ns}-web`)],
  },
  {
    name: "nodes are tainted until they are ready, pods know where their node is",
    probes: [
      post("/api/v1/nodes", { metadata: { name: "{ns}-a" } }),
      post("/api/v1/nodes", {
        metadata: { name: "{ns}-b", labels: { "topology.kubernetes.io/zone": "z", "kubernetes.io/os": "linux" } },
        spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule", value: "mine" }] },
      }),
      { method: "GET", path: "/api/v1/nodes/{ns}-b", isSetup: true },
      waitFor(PODS, pod("w", { nodeName: "{ns}-b" }), has("topology.kubernetes.io/zone")),
      post(PODS, pod("a", { nodeName: "{ns}-b" })),
      post(PODS, pod("b", { nodeName: "{ns}-none" })),
    ],
    cleanup: ["a", "b"].map((name) => remove(`/api/v1/nodes/{ns}-${name}`)),
  },
  {
    name: "pods are resized within what their node can hold",
    probes: [
      post("/api/v1/nodes", { metadata: { name: "{ns}-n", labels: { "topology.kubernetes.io/zone": "z" } } }),
      merge("/api/v1/nodes/{ns}-n/status", {
        status: { capacity: { cpu: "2", memory: "1Gi" }, allocatable: { cpu: "2", memory: "1Gi" } },
      }),
      waitFor(PODS, pod("w", { nodeName: "{ns}-n" }), has("topology.kubernetes.io/zone")),
      ...["{ns}-n", "{ns}-gone"].map((nodeName, i) =>
        post(
          PODS,
          pod(`p${i}`, {
            nodeName,
            containers: [{
              name: "c",
              image: "nginx:1",
              resources: { requests: { cpu: "1", memory: "1Mi" }, limits: { cpu: "1", memory: "1Mi" } },
            }],
          }),
        )
      ),
      ...[{ cpu: "3", memory: "1Mi" }, { cpu: "3", memory: "3Gi" }, { cpu: "1", memory: "1Mi" }, {
        cpu: "2",
        memory: "1Mi",
      }].map(
        (amounts) => merge(`${PODS}/p0/resize`, resized(amounts)),
      ),
      merge(`${PODS}/p1/resize`, resized({ cpu: "2", memory: "1Mi" })),
    ],
    cleanup: [remove("/api/v1/nodes/{ns}-n")],
  },
  {
    name: "nobody becomes an administrator through a certificate",
    probes: [
      post(REQUESTS, request("{ns}-a", "kubernetes.io/kube-apiserver-client", MASTERS_REQUEST)),
      post(REQUESTS, request("{ns}-b", "example.com/own", MASTERS_REQUEST), {
        ignore: {
          fields: ["spec.username", "spec.extra", "spec.groups", "spec.uid"],
          because: "the servers know their administrator by different names",
        },
      }),
    ],
    cleanup: [remove(`${REQUESTS}/{ns}-b`)],
  },
  {
    name: "storage objects are protected from the start",
    probes: [
      post("/apis/storage.k8s.io/v1/volumeattributesclasses", {
        metadata: { name: "{ns}-vac" },
        driverName: "a.b",
        parameters: { tier: "gold" },
      }),
      post("/api/v1/persistentvolumes", {
        metadata: { name: "{ns}-pv", finalizers: ["a.b/c"] },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } },
      }),
      post(CLAIMS, claim("a", "1Gi", { storageClassName: "" })),
    ],
    cleanup: [
      merge("/apis/storage.k8s.io/v1/volumeattributesclasses/{ns}-vac", { metadata: { finalizers: null } }),
      remove("/apis/storage.k8s.io/v1/volumeattributesclasses/{ns}-vac"),
      merge("/api/v1/persistentvolumes/{ns}-pv", { metadata: { finalizers: null } }),
      remove("/api/v1/persistentvolumes/{ns}-pv"),
    ],
  },
  {
    name: "nothing new in a namespace that is missing or ends, nor without those of the system",
    probes: [
      post("/api/v1/namespaces/{ns}-none/configmaps", { metadata: { name: "a" } }),
      {
        method: "PUT",
        path: "/api/v1/namespaces/{ns}-none/limitranges/a",
        body: { metadata: { name: "a" }, spec: { limits: [] } },
      },
      { method: "DELETE", path: "/api/v1/namespaces/default" },
      { method: "DELETE", path: "/api/v1/namespaces/kube-system?dryRun=All" },
      { method: "DELETE", path: "/api/v1/namespaces/kube-public" },
      post(PODS, pod("a")),
      { method: "DELETE", path: CORE },
      waitFor(`${CORE}/configmaps`, { metadata: { name: "w" } }, has("NamespaceTerminating")),
      post(`${CORE}/configmaps`, { metadata: { name: "a" } }),
      post(`${CORE}/configmaps`, { metadata: { generateName: "a-" } }),
      post(`${PODS}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }),
      post(`${PODS}/a/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "n" } }),
      post(`${CORE}/serviceaccounts/default/token`, { spec: {} }),
      post(PODS, pod("b")),
      merge(`${PODS}/a`, { metadata: { labels: { a: "b" } } }),
      post("/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews", {
        metadata: { namespace: "{ns}" },
        spec: { user: "u", resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" } },
      }),
    ],
  },
];

function resized(amounts: Fields) {
  return { spec: { containers: [{ name: "c", image: "nginx:1", resources: { requests: amounts, limits: amounts } }] } };
}
