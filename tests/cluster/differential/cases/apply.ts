/** Server-side apply, and who owns which fields. */
import { apply, CONFIG_MAPS, configMap, deployment, DEPLOYMENTS, get, PODS, put, setup, strategic } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post } from "../requests.ts";

const CM = `${CONFIG_MAPS}/a`;
const D = `${DEPLOYMENTS}/d`;
const SCALERS = "namespaces/{ns}/horizontalpodautoscalers";

/** Applies a ConfigMap, or the text of one. */
const data = (manager: string, fields?: Fields, metadata: Fields = {}, query = ""): Probe =>
  apply(manager, CM, configMap(fields, metadata), query);
const raw = (body: unknown, query = ""): Probe => apply("one", CM, body, query);
const update = (manager: string, body: unknown, path = CM): Probe => merge(`${path}?fieldManager=${manager}`, body);
const deploy = (manager: string, spec: Fields, query = ""): Probe => apply(manager, D, deployment("d", spec), query);
const template = (spec: Fields, labels: Fields = { a: "b" }) => ({ metadata: { labels }, spec });
const status = (fields: Fields, name = "d") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  status: fields,
});
const scale = (replicas: number) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "d", namespace: "{ns}" },
  spec: { replicas },
});
const TWICE = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\n";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

export const CASES: readonly DifferentialCase[] = [
  {
    name: "several apply to one object",
    probes: [
      data("one", { x: "1", y: "1" }, { labels: { l: "1" } }),
      data("one", { x: "1", y: "1" }, { labels: { l: "1" } }),
      data("two", { x: "1" }),
      data("two", { x: "2" }),
      data("two", { x: "2", y: "2" }),
      data("two", { x: "2" }, {}, "&force=true"),
      data("one", { y: "1" }),
      data("two", {}),
      data("two"),
      update("three", { data: { z: "1", y: "9" } }),
      data("one", { y: "1" }),
      data("one", { y: "1", z: "2" }),
      data("one", { y: "1", z: "2" }, {}, "&force=true"),
      data("one", {}),
    ],
  },
  {
    name: "fields that nobody owns any more",
    probes: [
      data("one", { x: "1", y: "1" }),
      update("two", { metadata: { managedFields: [] } }),
      data("one", { y: "3" }),
      data("one", { y: null }),
      update("two", { data: null }),
      data("one", { n: "1" }, {
        annotations: { a: "b" },
        finalizers: ["a.b/c"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }],
      }),
      data("one", { n: "1" }, { finalizers: ["d.e/f"] }),
      data("one", { n: "1" }),
    ],
  },
  {
    name: "what cannot be applied",
    probes: [
      { method: "PATCH", path: CM, body: configMap({}), type: "application/apply-patch+yaml" },
      ...["{", "a: [", "[]", "text", "", "null"].map((body) => raw(body)),
      raw({ apiVersion: "v1", metadata: { name: "a" } }),
      raw({ kind: "ConfigMap", metadata: { name: "a" } }),
      raw({ ...configMap({}), apiVersion: "v2" }),
      raw({ ...configMap({}), kind: "Secret" }),
      raw({ apiVersion: "v1", kind: "ConfigMap" }),
      data("one", {}, { name: "b" }),
      data("one", {}, { namespace: "other" }),
      ...[[], [{}], null].map((managedFields) => data("one", {}, { managedFields })),
      data("one", {}, { uid: "x" }),
      data("one", {}, { resourceVersion: "1" }),
      data("one", { x: 1 }),
      raw({ ...configMap({}), foo: 1 }),
      raw({ ...configMap({}), foo: 1 }, "&fieldValidation=Strict"),
      raw(TWICE),
      raw(TWICE, "&fieldValidation=Strict"),
      raw(
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"3"}}',
        "&fieldValidation=Strict",
      ),
      data("one", {}, { labels: { "a b": "c" } }),
      apply("one", `${CONFIG_MAPS}/new`, configMap({}, { name: "new", uid: "abc" })),
      apply("one", `${CONFIG_MAPS}/new`, configMap({}, { name: "new", resourceVersion: "5" })),
      apply("one", `${CONFIG_MAPS}/dry`, configMap({ x: "1" }, { name: "dry" }), "&dryRun=All"),
      get(`${CONFIG_MAPS}/dry`),
    ],
  },
  {
    name: "what does not fit the kind's fields",
    probes: [
      deploy("one", { template: template({ containers: [{ name: "c", image: "x" }, { name: "c", image: "y" }] }) }),
      deploy("one", { template: template({ containers: [{ image: "x" }] }) }),
      deploy("one", { template: template({ containers: {} }) }),
      deploy("one", { template: template({ containers: [null] }) }),
      deploy("one", { template: template({ containers: ["x"] }) }),
      deploy("one", { template: template({ containers: [{ name: "c", image: "x", zoo: 1 }] }) }),
      deploy("one", { replicas: "x" }),
      deploy("one", { paused: "x" }),
      deploy("one", { foo: { bar: 1 } }),
      deploy("one", { selector: "x" }),
    ],
  },
  {
    name: "lists whose items have keys",
    probes: [
      deploy("one", { replicas: 3 }),
      deploy("two", { replicas: 4 }),
      deploy("two", {
        replicas: 4,
        template: template({ containers: [{ name: "c", image: "nginx:2", ports: [{ containerPort: 80 }] }] }, {
          a: "b",
          z: "1",
        }),
      }),
      deploy("two", {
        replicas: 4,
        template: template({
          containers: [
            {
              name: "c",
              image: "nginx:2",
              ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP" }],
              env: [{ name: "A", value: "1" }],
            },
            { name: "d", image: "x" },
          ],
          volumes: [{ name: "v", emptyDir: {} }],
          tolerations: [{ key: "k", operator: "Exists" }],
        }, { a: "b", z: "1" }),
      }, "&force=true"),
      deploy("two", {
        replicas: 4,
        template: template({
          containers: [{ name: "c", image: "nginx:2", ports: [{ containerPort: 81, protocol: "UDP" }] }],
        }),
      }),
      strategic(`${D}?fieldManager=three`, {
        spec: { template: { spec: { containers: [{ name: "e", image: "f" }] } } },
      }),
      get(D),
    ],
  },
  {
    name: "apply to status and scale",
    probes: [
      deploy("one", { replicas: 3 }),
      update("st", {
        metadata: { labels: { q: "1" }, annotations: { q: "1" } },
        spec: { replicas: 9 },
        status: {
          replicas: 2,
          conditions: [{
            type: "Available",
            status: "True",
            lastUpdateTime: "2020-01-01T00:00:00Z",
            lastTransitionTime: "2020-01-01T00:00:00Z",
          }],
        },
      }, `${D}/status`),
      apply("st2", `${D}/status`, status({ replicas: 3 })),
      apply(
        "st2",
        `${D}/status`,
        status({ replicas: 3, conditions: [{ type: "Progressing", status: "True" }] }),
        "&force=true",
      ),
      apply("st2", `${DEPLOYMENTS}/none/status`, status({ replicas: 3 }, "none")),
      update("sc", { spec: { replicas: 7 } }, `${D}/scale`),
      get(D),
      put(`${D}/scale?fieldManager=sc2`, scale(8)),
      get(D),
      apply("sc3", `${D}/scale`, scale(5)),
      apply("sc3", `${D}/scale`, scale(5), "&force=true"),
      get(D),
      update("four", { spec: { replicas: 6 } }, D),
    ],
  },
  {
    name: "old owners are put together",
    probes: [
      post(`${CONFIG_MAPS}?fieldManager=m0`, configMap({ a0: "0" })),
      ...Array.from({ length: 13 }, (_, i) => update(`m${i + 1}`, { data: { [`a${i + 1}`]: "1" } })),
      update("m3", { data: { a0: "1" } }),
    ],
  },
  {
    name: "what kubectl applied before the server did",
    probes: [
      post(
        `${CONFIG_MAPS}?fieldManager=kubectl-client-side-apply`,
        configMap({ x: "1", y: "1" }, {
          annotations: { [LAST_APPLIED]: JSON.stringify(configMap({ x: "1", y: "1" })) },
        }),
      ),
      data("kubectl", { x: "2" }),
      data("kubectl", { x: "3" }, { annotations: { [LAST_APPLIED]: "zzz" } }),
      data("other", { x: "4" }),
    ],
  },
  {
    name: "owners by PUT",
    probes: [
      setup(post(`${CONFIG_MAPS}?fieldManager=first`, configMap({ x: "1" }))),
      put(`${CM}?fieldManager=put`, configMap({ x: "9" })),
      put(`${CM}?fieldManager=put`, configMap({ x: "9" })),
      put(`${CM}?fieldManager=put2`, configMap({ x: "9", q: "1" })),
      put(`${CM}?fieldManager=put`, configMap({ q: "1" })),
      put(`${CM}?fieldManager=put`, configMap()),
    ],
  },
  {
    name: "owners of a pod's fields",
    probes: [
      post(PODS, {
        metadata: { name: "p", labels: { a: "b" } },
        spec: {
          containers: [{
            name: "c",
            image: "x",
            ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }],
            resources: { requests: { cpu: "1" } },
            env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            volumeMounts: [{ name: "v", mountPath: "/x" }],
          }],
          volumes: [{ name: "v", configMap: { name: "a" } }],
          tolerations: [{ key: "z", operator: "Exists" }],
          nodeSelector: { x: "y" },
          imagePullSecrets: [{ name: "s" }],
          hostAliases: [{ ip: "1.2.3.4", hostnames: ["a"] }],
        },
      }),
      strategic(`${PODS}/p/status?fieldManager=kubelet`, {
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "True" }],
          podIP: "1.2.3.4",
          podIPs: [{ ip: "1.2.3.4" }],
        },
      }),
      post(`${PODS}/p/binding`, { metadata: { name: "p" }, target: { name: "n1" } }),
      get(`${PODS}/p`),
    ],
  },
  {
    name: "owners of fields in several versions of a kind",
    probes: [
      post(`/apis/autoscaling/v1/${SCALERS}`, {
        metadata: { name: "h" },
        spec: {
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 50,
          scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
        },
      }),
      update("v2", { spec: { maxReplicas: 4 } }, `/apis/autoscaling/v2/${SCALERS}/h`),
      get(`/apis/autoscaling/v1/${SCALERS}/h`),
      apply("v2", `/apis/autoscaling/v2/${SCALERS}/h`, {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "h" },
        spec: { maxReplicas: 5, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" } },
      }),
    ],
  },
];
