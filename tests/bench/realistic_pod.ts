import { frames } from "../unit/cache/fixtures.ts";
import type { WatchFrame } from "../../src/watch/mod.ts";

/** A pod of a Deployment as a cluster has it: about 3.8 KB, and 1.4 KB more of managedFields. Its parts differ as real ones do. */
export function realisticPod(i: number): Record<string, unknown> {
  const app = `app-${i % 500}`;
  const hash = (i % 500 + 0x5f3759d).toString(36);
  const name = `${app}-${hash}-${(i + 0xabcde).toString(36)}`;
  const uid = `1c2d3e4f-0000-4000-8000-${String(i).padStart(12, "0")}`;
  const started = `2026-01-0${i % 9 + 1}T0${i % 9}:${10 + i % 50}:00Z`;
  const volume = `kube-api-access-${(i * 7919).toString(36)}`;
  const condition = (type: string) => ({
    type,
    status: "True",
    observedGeneration: 1,
    lastProbeTime: null,
    lastTransitionTime: started,
  });
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name,
      generateName: `${app}-${hash}-`,
      namespace: `team-${i % 50}`,
      uid,
      resourceVersion: String(1_000_000 + i),
      generation: 1,
      creationTimestamp: started,
      labels: {
        "app.kubernetes.io/name": app,
        "app.kubernetes.io/instance": `${app}-production`,
        "app.kubernetes.io/managed-by": "Helm",
        "pod-template-hash": hash,
      },
      annotations: { "checksum/config": uid.replaceAll("-", "").repeat(2), "prometheus.io/scrape": "true" },
      ownerReferences: [{
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: `${app}-${hash}`,
        uid: `9a8b7c6d-0000-4000-8000-${String(i % 500).padStart(12, "0")}`,
        controller: true,
        blockOwnerDeletion: true,
      }],
      managedFields: managedFields(uid, started),
    },
    spec: {
      volumes: [{ name: "config", configMap: { name: `${app}-config`, defaultMode: 420 } }, {
        name: volume,
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
        name: "server",
        image: `registry.example.com/team/${app}:v1.${i % 20}.0`,
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        env: [{ name: "LOG_LEVEL", value: "info" }, {
          name: "POD_NAME",
          valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } },
        }],
        resources: { limits: { memory: "512Mi" }, requests: { cpu: "250m", memory: "256Mi" } },
        volumeMounts: [{ name: "config", mountPath: "/etc/app" }, {
          name: volume,
          readOnly: true,
          mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
        }],
        readinessProbe: {
          httpGet: { path: "/ready", port: "http", scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        securityContext: { allowPrivilegeEscalation: false },
      }],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      serviceAccountName: app,
      serviceAccount: app,
      nodeName: `node-${i % 1000}.example.com`,
      securityContext: {},
      schedulerName: "default-scheduler",
      tolerations: ["not-ready", "unreachable"].map((taint) => ({
        key: `node.kubernetes.io/${taint}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
    },
    status: {
      observedGeneration: 1,
      phase: "Running",
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        condition,
      ),
      hostIP: `10.1.${i % 250}.7`,
      hostIPs: [{ ip: `10.1.${i % 250}.7` }],
      podIP: `10.2.${i % 250}.${i % 200}`,
      podIPs: [{ ip: `10.2.${i % 250}.${i % 200}` }],
      startTime: started,
      containerStatuses: [{
        name: "server",
        state: { running: { startedAt: started } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example.com/team/${app}:v1.${i % 20}.0`,
        imageID: `registry.example.com/team/${app}@sha256:${uid.replaceAll("-", "").repeat(2)}`,
        containerID: `containerd://${uid.replaceAll("-", "").repeat(2)}`,
        started: true,
      }],
      qosClass: "Burstable",
    },
  };
}

function managedFields(uid: string, time: string): unknown[] {
  const leaf = (...names: string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  const spec = leaf(
    "dnsPolicy",
    "enableServiceLinks",
    "restartPolicy",
    "schedulerName",
    "terminationGracePeriodSeconds",
  );
  const container = leaf("image", "imagePullPolicy", "name", "resources", "terminationMessagePath", "env", "ports");
  const type = (name: string) => ({
    [`k:{"type":"${name}"}`]: { ".": {}, ...leaf("lastProbeTime", "status", "type") },
  });
  return [{
    manager: "kube-controller-manager",
    operation: "Update",
    apiVersion: "v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:metadata": {
        "f:annotations": { ".": {}, ...leaf("checksum/config", "prometheus.io/scrape") },
        "f:generateName": {},
        "f:labels": { ".": {}, ...leaf("app.kubernetes.io/name", "app.kubernetes.io/instance", "pod-template-hash") },
        "f:ownerReferences": { ".": {}, [`k:{"uid":"${uid}"}`]: {} },
      },
      "f:spec": { "f:containers": { 'k:{"name":"server"}': { ".": {}, ...container } }, ...spec },
    },
  }, {
    manager: "kubelet",
    operation: "Update",
    apiVersion: "v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": {
          ...type("ContainersReady"),
          ...type("Initialized"),
          ...type("Ready"),
          ...type("PodScheduled"),
        },
        ...leaf("containerStatuses", "hostIP", "hostIPs", "phase", "podIP", "podIPs", "startTime"),
      },
    },
    subresource: "status",
  }];
}

/** Watch frames of `count` pods as a server sends them, managedFields included; `from` is the number of the first pod. */
export function podFrames(count: number, { type = "ADDED", from = 0 } = {}): WatchFrame[] {
  return frames(...Array.from({ length: count }, (_, i) => JSON.stringify({ type, object: realisticPod(from + i) })));
}
