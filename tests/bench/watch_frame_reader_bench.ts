/**
 * How fast a watch's bytes become frames, next to what it would cost to parse every event: 300 pods of about 7 KB, with
 * their managedFields, as kube-apiserver v1.36 sends them. The aim is three times the throughput of JSON.parse.
 */
import { JsonFrameReader, JsonFrameScanner, ListReader, type WatchFrame } from "../../src/watch/mod.ts";

const PODS = 300;
const TIME = "2026-01-15T10:22:33Z";
const UID = "7f1c9c1e-3a5b-4c0d-9e1f-0c5a7d3b2e11";
const DIGEST = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const CONDITIONS = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/** `fields("a b")` is how managedFields name the fields a and b. */
const fields = (names: string, more: object = {}) => ({
  ...Object.fromEntries(names.split(" ").map((name) => [name === "." ? name : `f:${name}`, {}])),
  ...more,
});
const keyed = (key: object, value: object) => ({ [`k:${JSON.stringify(key)}`]: value });

const containerFields = fields("image imagePullPolicy name terminationMessagePath terminationMessagePolicy", {
  ".": {},
  "f:env": {
    ".": {},
    ...keyed({ name: "MODE" }, fields(". name value")),
    ...keyed({ name: "POD_NAME" }, fields(". name", { "f:valueFrom": fields(". fieldRef") })),
  },
  "f:livenessProbe": fields(". failureThreshold periodSeconds successThreshold timeoutSeconds", {
    "f:httpGet": fields(". path port scheme"),
  }),
  "f:ports": { ".": {}, ...keyed({ containerPort: 8080, protocol: "TCP" }, fields(". containerPort name protocol")) },
  "f:resources": { ".": {}, "f:limits": fields(". cpu memory"), "f:requests": fields(". cpu memory") },
  "f:volumeMounts": { ".": {}, ...keyed({ mountPath: "/etc/web" }, fields(". mountPath name readOnly")) },
});

const managedFields = [
  {
    manager: "kube-controller-manager",
    operation: "Update",
    apiVersion: "v1",
    time: TIME,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:metadata": fields("generateName", {
        "f:annotations": fields(
          ". example.com/config kubectl.kubernetes.io/restartedAt prometheus.io/port prometheus.io/scrape",
        ),
        "f:labels": fields(". app app.kubernetes.io/name app.kubernetes.io/part-of pod-template-hash tier"),
        "f:ownerReferences": { ".": {}, ...keyed({ uid: UID }, {}) },
      }),
      "f:spec": fields(
        "dnsPolicy enableServiceLinks restartPolicy schedulerName securityContext terminationGracePeriodSeconds",
        {
          "f:containers": keyed({ name: "web" }, containerFields),
          "f:volumes": {
            ".": {},
            ...keyed({ name: "config" }, fields(". name", { "f:configMap": fields(". defaultMode name") })),
          },
        },
      ),
    },
  },
  {
    manager: "kubelet",
    operation: "Update",
    apiVersion: "v1",
    time: TIME,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": fields("containerStatuses hostIP hostIPs observedGeneration phase podIP startTime", {
        "f:conditions": Object.assign(
          {},
          ...CONDITIONS.slice(0, 4).map((type) =>
            keyed({ type }, fields(". lastProbeTime lastTransitionTime observedGeneration status type"))
          ),
        ),
        "f:podIPs": { ".": {}, ...keyed({ ip: "10.244.3.17" }, fields(". ip")) },
      }),
    },
    subresource: "status",
  },
];

const tokenMount = {
  name: "kube-api-access-x7k2p",
  readOnly: true,
  mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
};
const configMount = { name: "config", readOnly: true, mountPath: "/etc/web" };
const resources = { limits: { cpu: "500m", memory: "512Mi" }, requests: { cpu: "100m", memory: "256Mi" } };
const toleration = (key: string) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });

const spec = {
  volumes: [{ name: "config", configMap: { name: "web-config", defaultMode: 420 } }, {
    name: "kube-api-access-x7k2p",
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    },
  }],
  containers: [{
    name: "web",
    image: `registry.example.com/shop/web:v1.42.0@${DIGEST}`,
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      { name: "MODE", value: "production" },
    ],
    resources,
    volumeMounts: [configMount, tokenMount],
    livenessProbe: {
      httpGet: { path: "/healthz", port: "http", scheme: "HTTP" },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  }],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  serviceAccountName: "default",
  serviceAccount: "default",
  nodeName: "node-17",
  securityContext: {},
  schedulerName: "default-scheduler",
  tolerations: [toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")],
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: "PreemptLowerPriority",
};

const status = {
  observedGeneration: 1,
  phase: "Running",
  conditions: CONDITIONS.map((type) => ({
    type,
    observedGeneration: 1,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: TIME,
  })),
  hostIP: "172.18.0.4",
  hostIPs: [{ ip: "172.18.0.4" }],
  podIP: "10.244.3.17",
  podIPs: [{ ip: "10.244.3.17" }],
  startTime: TIME,
  containerStatuses: [{
    name: "web",
    state: { running: { startedAt: TIME } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image: "registry.example.com/shop/web:v1.42.0",
    imageID: `registry.example.com/shop/web@${DIGEST}`,
    containerID: "containerd://5c1b2d3e4f5061728394a5b6c7d8e9f00112233445566778899aabbccddeeff0",
    started: true,
    resources,
    volumeMounts: [configMount, tokenMount].map((mount) => ({ ...mount, recursiveReadOnly: "Disabled" })),
  }],
  qosClass: "Burstable",
};

const pod = (i: number) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: {
    name: `web-7d4b9c6f5d-${(i * 7919).toString(36).padStart(5, "x")}`,
    generateName: "web-7d4b9c6f5d-",
    namespace: "shop",
    uid: UID.slice(0, -4) + String(i).padStart(4, "0"),
    resourceVersion: String(1_000_000 + i),
    generation: 1,
    creationTimestamp: TIME,
    labels: {
      app: "web",
      "app.kubernetes.io/name": "web",
      "app.kubernetes.io/part-of": "shop",
      "pod-template-hash": "7d4b9c6f5d",
      tier: "frontend",
    },
    annotations: {
      "example.com/config": '{"a":1,"b":"two"}',
      "kubectl.kubernetes.io/restartedAt": TIME,
      "prometheus.io/port": "9102",
      "prometheus.io/scrape": "true",
    },
    ownerReferences: [{
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "web-7d4b9c6f5d",
      uid: UID,
      controller: true,
      blockOwnerDeletion: true,
    }],
    managedFields,
  },
  spec,
  status,
});

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const objects = Array.from({ length: PODS }, (_, i) => pod(i));
const events = objects.map((object) => encoder.encode(JSON.stringify({ type: "MODIFIED", object }) + "\n"));
const watch = encoder.encode(events.map((event) => decoder.decode(event)).join(""));
const items = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item);
const list = encoder.encode(
  JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9" }, items }),
);

function* chunksOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function expect(count: number) {
  if (count !== PODS) throw new Error(`read ${count} pods instead of ${PODS}`);
}

const group = `${PODS} pods, ${(watch.length / PODS / 1000).toFixed(1)} KB each`;

Deno.bench({
  name: "JSON.parse",
  group,
  baseline: true,
  fn() {
    let count = 0;
    for (const event of events) if (JSON.parse(decoder.decode(event))) count++;
    expect(count);
  },
});

for (const size of [4, 16, 64, 1024]) {
  Deno.bench({
    name: `JsonFrameScanner, chunks of ${size} KiB`,
    group,
    fn() {
      const scanner = new JsonFrameScanner({ resource: "pods" });
      const frames: WatchFrame[] = [];
      for (const chunk of chunksOf(watch, size * 1024)) scanner.push(chunk, frames);
      expect(frames.length);
    },
  });
}

Deno.bench({
  name: "JsonFrameReader, chunks of 64 KiB",
  group,
  async fn() {
    let count = 0;
    const body = ReadableStream.from(chunksOf(watch, 64 * 1024));
    for await (const frames of body.pipeThrough(new JsonFrameReader({ resource: "pods" }))) count += frames.length;
    expect(count);
  },
});

Deno.bench({
  name: "ListReader, chunks of 64 KiB",
  group,
  fn() {
    const reader = new ListReader({ resource: "pods" });
    const frames: WatchFrame[] = [];
    for (const chunk of chunksOf(list, 64 * 1024)) reader.push(chunk, frames);
    reader.end();
    expect(frames.length);
  },
});

Deno.bench({
  name: "JSON.parse of the whole list",
  group,
  fn() {
    expect(JSON.parse(decoder.decode(list)).items.length);
  },
});
