import { assertEquals } from "@std/assert";
import { podTemplateHash } from "../../../../../../src/rules/mod.ts";
import { CONFIG_MAPS, DEPLOYMENTS, Harness, JOBS, type Loose, pod, PODS, template } from "../../harness.ts";

/** Templates as a v1.36 server stores them, field for field, with what a user writes for them and their hash. */
const TEMPLATES: ReadonlyArray<{ readonly hash: string; readonly written: Loose; readonly stored: Loose }> = [
  {
    hash: "7f8fbb96d",
    written: { metadata: { labels: { app: "nginx" } }, spec: { containers: [{ image: "nginx", name: "nginx" }] } },
    stored: {
      metadata: { labels: { app: "nginx" } },
      spec: {
        containers: [{
          name: "nginx",
          image: "nginx",
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "Always",
        }],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      },
    },
  },
  {
    hash: "fd9498df9",
    written: {
      metadata: { labels: { app: "a" }, creationTimestamp: null },
      spec: {
        terminationGracePeriodSeconds: 1,
        hostNetwork: false,
        nodeSelector: {},
        containers: [{
          name: "c",
          image: "nginx:1",
          stdin: false,
          command: [],
          resources: { requests: { cpu: 0.25 }, limits: { memory: "65536Ki", cpu: "500m" } },
        }],
      },
    },
    stored: {
      metadata: { labels: { app: "a" } },
      spec: {
        containers: [{
          name: "c",
          image: "nginx:1",
          resources: { limits: { cpu: "500m", memory: "64Mi" }, requests: { cpu: "250m" } },
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "IfNotPresent",
        }],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 1,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      },
    },
  },
  {
    hash: "d865b4868",
    written: {
      metadata: { labels: { app: "a" } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "c", image: "nginx:1", ports: [{ containerPort: 8080, name: "web" }] }],
      },
    },
    stored: {
      metadata: { labels: { app: "a" } },
      spec: {
        containers: [{
          name: "c",
          image: "nginx:1",
          ports: [{ name: "web", containerPort: 8080, protocol: "TCP" }],
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "IfNotPresent",
        }],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 1,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      },
    },
  },
];

for (const { hash, written, stored } of TEMPLATES) {
  Deno.test(`ApiServer stores a pod template byte for byte as upstream does, so that its hash is ${hash}`, async () => {
    using api = new Harness();
    const spec = { selector: { matchLabels: written.metadata.labels }, template: written };
    const { body } = await api.post(DEPLOYMENTS, { metadata: { name: "d" }, spec });
    assertEquals(JSON.stringify(body.spec.template), JSON.stringify(stored));
    assertEquals(podTemplateHash(body.spec.template), hash);
  });
}

Deno.test("ApiServer fills in what volumes, probes and environments leave out", async () => {
  using api = new Harness();
  const spec = {
    containers: [{
      name: "c",
      image: "registry:5000/x@sha256:00",
      livenessProbe: { grpc: { port: 1 }, timeoutSeconds: 9 },
      readinessProbe: { httpGet: { port: "http" } },
      env: [
        { name: "EMPTY", value: "" },
        { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      ],
    }],
    volumes: [
      { name: "none" },
      { name: "secret", secret: { secretName: "s" } },
      { name: "host", hostPath: { path: "/x" } },
      { name: "token", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
    ],
    serviceAccountName: "robot",
  };
  const { body } = await api.post(DEPLOYMENTS, {
    metadata: { name: "d" },
    spec: { selector: { matchLabels: { app: "a" } }, template: { metadata: { labels: { app: "a" } }, spec } },
  });
  const { containers: [container], volumes, serviceAccount } = body.spec.template.spec;
  assertEquals(container.imagePullPolicy, "IfNotPresent");
  assertEquals(container.livenessProbe, {
    grpc: { port: 1, service: "" },
    timeoutSeconds: 9,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  assertEquals(container.readinessProbe.httpGet, { path: "/", port: "http", scheme: "HTTP" });
  assertEquals(container.env, [
    { name: "EMPTY" },
    { name: "IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
    { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } },
  ]);
  assertEquals(volumes, [
    { name: "none", emptyDir: {} },
    { name: "secret", secret: { secretName: "s", defaultMode: 420 } },
    { name: "host", hostPath: { path: "/x", type: "" } },
    {
      name: "token",
      projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: "t" } }], defaultMode: 420 },
    },
  ]);
  assertEquals(serviceAccount, "robot");
});

Deno.test("ApiServer keeps 64-bit integers exactly", async () => {
  using api = new Harness();
  await api.account("default");
  const text = JSON.stringify(
    pod("p", { tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 7 }] }),
  )
    .replace('"tolerationSeconds":7', '"tolerationSeconds":9223372036854775807');
  await api.post(PODS, text);
  const response = await api.server.fetch(api.request("GET", `${PODS}/p`));
  assertEquals((await response.text()).includes('"tolerationSeconds":9223372036854775807'), true);
});

Deno.test("ApiServer gives a pod its account, token, priority, tolerations and class of service", async () => {
  using api = new Harness();
  await api.account("default");
  const resources = { limits: { cpu: "1", memory: "1Gi" } };
  const { body } = await api.post(PODS, pod("p", { containers: [{ name: "c", image: "x", resources }] }));
  const {
    serviceAccountName,
    serviceAccount,
    priority,
    preemptionPolicy,
    enableServiceLinks,
    tolerations,
    volumes,
    containers,
  } = body.spec;
  assertEquals([serviceAccountName, serviceAccount], ["default", "default"]);
  assertEquals([priority, preemptionPolicy, enableServiceLinks], [0, "PreemptLowerPriority", true]);
  assertEquals(tolerations.map(({ key }: Loose) => key), [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
  ]);
  assertEquals(containers[0].resources.requests, resources.limits);
  assertEquals(containers[0].volumeMounts, [
    { name: volumes[0].name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
  ]);
  assertEquals(volumes[0].projected.sources[0], { serviceAccountToken: { expirationSeconds: 3607, path: "token" } });
  assertEquals(body.status, { phase: "Pending", qosClass: "Guaranteed" });
});

Deno.test("ApiServer waits a little for a namespace's default account, then refuses the pod", async () => {
  using api = new Harness();
  const patient = api.post(PODS, pod("p"));
  await api.world.clock.advance(150);
  await api.account("default");
  await api.world.clock.advance(200);
  assertEquals((await patient).status, 201);
  await api.post("/api/v1/namespaces", { metadata: { name: "bare" } });
  const refused = api.post("/api/v1/namespaces/bare/pods", pod("p"));
  await api.world.clock.advance(2000);
  const { status, body } = await refused;
  assertEquals([status, body.message], [
    403,
    'pods "p" is forbidden: error looking up service account bare/default: serviceaccount "default" not found',
  ]);
});

Deno.test("ApiServer resolves priority classes, and refuses unknown ones", async () => {
  using api = new Harness();
  await api.account("default");
  const critical = await api.post(PODS, pod("p", { priorityClassName: "system-node-critical" }));
  assertEquals(critical.body.spec.priority, 2000001000);
  const unknown = await api.post(PODS, pod("q", { priorityClassName: "nope" }));
  assertEquals([unknown.status, unknown.body.message], [
    403,
    'pods "q" is forbidden: no PriorityClass with name nope was found',
  ]);
});

Deno.test("ApiServer generates a Job's labels and selector, and keeps its template", async () => {
  using api = new Harness();
  const job = { metadata: { name: "j" }, spec: { template: { spec: { ...template().spec, restartPolicy: "Never" } } } };
  const { body } = await api.post(JOBS, job);
  const { uid } = body.metadata;
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": "j",
    "controller-uid": uid,
    "job-name": "j",
  };
  assertEquals(body.spec.template.metadata.labels, labels);
  assertEquals(body.metadata.labels, labels);
  assertEquals(body.spec.selector, { matchLabels: { "batch.kubernetes.io/controller-uid": uid } });
  assertEquals([body.spec.completions, body.spec.parallelism, body.spec.backoffLimit], [1, 1, 6]);
  const containers = [{ name: "c", image: "other" }];
  const changed = await api.patch(`${JOBS}/j`, { spec: { template: { spec: { containers } } } });
  assertEquals([changed.status, changed.body.details.causes[0].field], [422, "spec.template"]);
  const own = await api.post(JOBS, {
    ...job,
    metadata: { name: "k" },
    spec: { ...job.spec, selector: { matchLabels: { a: "b" } } },
  });
  assertEquals(own.status, 422);
});

Deno.test("ApiServer marks namespaces, fills Secrets from text, and gives Services addresses", async () => {
  using api = new Harness();
  const namespace = (await api.post("/api/v1/namespaces", { metadata: { name: "n" } })).body;
  assertEquals(namespace.metadata.labels, { "kubernetes.io/metadata.name": "n" });
  assertEquals([namespace.spec, namespace.status], [{ finalizers: ["kubernetes"] }, { phase: "Active" }]);
  const secret = await api.post("/api/v1/namespaces/n/secrets", { metadata: { name: "s" }, stringData: { a: "b" } });
  assertEquals([secret.body.type, secret.body.data, secret.body.stringData], ["Opaque", { a: "Yg==" }, undefined]);
  const services = "/api/v1/namespaces/n/services";
  const service = await api.post(services, {
    metadata: { name: "svc" },
    spec: { type: "NodePort", ports: [{ port: 80 }] },
  });
  assertEquals(service.body.spec.ports, [{ protocol: "TCP", port: 80, targetPort: 80, nodePort: 30000 }]);
  assertEquals([service.body.spec.clusterIP, service.body.spec.clusterIPs], ["10.96.0.2", ["10.96.0.2"]]);
  const taken = await api.post(services, {
    metadata: { name: "x" },
    spec: { clusterIP: "10.96.0.2", ports: [{ port: 80 }] },
  });
  assertEquals(taken.status, 422);
  const revision = api.server.revision;
  assertEquals((await api.get(CONFIG_MAPS)).body.metadata.resourceVersion, String(revision));
});
