/** JSON patches, merge patches and strategic merge patches. */
import { CONFIG_MAPS, configMap, deployment, DEPLOYMENTS, jsonPatch, pod, PODS, setup, strategic } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post } from "../requests.ts";

const CM = `${CONFIG_MAPS}/a`;
const D = `${DEPLOYMENTS}/d`;
const CONTAINERS = "/spec/template/spec/containers";
const OBJECT = configMap({ x: "1", y: "2" });

const made = [setup(post(CONFIG_MAPS, OBJECT)), setup(post(DEPLOYMENTS, deployment("d")))];
const op = (op: string, path: string, more: Fields = {}): Probe => jsonPatch(CM, [{ op, path, ...more }]);
const inDeployment = (op: string, path: string, value?: unknown): Probe => jsonPatch(D, [{ op, path, value }]);
const meta = (metadata: Fields): Probe => merge(CM, { metadata });
const template = (spec: Fields): Probe => strategic(D, { spec: { template: { spec } } });

export const CASES: readonly DifferentialCase[] = [
  {
    name: "JSON patches that are none",
    probes: [
      ...made,
      ...[[], {}, "x", "", "null", [{}], [{ op: "foo", path: "/data" }], [{ op: "add" }], [{
        op: "add",
        path: "/data/z",
      }]]
        .map((body) => jsonPatch(CM, body)),
      op("add", "data/z", { value: "1" }),
      jsonPatch(CM, Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/y", value: "2" }))),
      jsonPatch(`${CONFIG_MAPS}/none`, [{ op: "test", path: "/data/y", value: "2" }]),
      jsonPatch(`${CONFIG_MAPS}/none`, "x"),
    ],
  },
  {
    name: "JSON patches of members",
    probes: [
      ...made,
      op("add", "/data/z", { value: null }),
      op("remove", "/data/none"),
      op("replace", "/data/none", { value: "x" }),
      op("test", "/data/x", { value: "2" }),
      op("test", "/data/none", { value: "2" }),
      op("test", "/data/none", { value: null }),
      op("move", "/data/w", { from: "/data/x" }),
      op("copy", "/data/x", { from: "/data/w" }),
      op("move", "/data/w", { from: "/data/none" }),
      op("copy", "/data/w", { from: "/data/none" }),
      op("add", "/metadata/labels/a", { value: "b" }),
      op("add", "/metadata/labels", { value: { "a/b": "c" } }),
      op("replace", "/metadata/labels/a~1b", { value: "d" }),
      op("replace", "", { value: {} }),
      op("replace", "", { value: [] }),
      op("add", "/", { value: {} }),
      op("remove", "/metadata"),
    ],
  },
  {
    name: "JSON patches of lists",
    probes: [
      ...made,
      inDeployment("add", `${CONTAINERS}/-`, { name: "x", image: "y" }),
      inDeployment("add", `${CONTAINERS}/0`, { name: "w", image: "y" }),
      inDeployment("add", `${CONTAINERS}/9`, { name: "x", image: "y" }),
      inDeployment("remove", `${CONTAINERS}/9`),
      inDeployment("remove", `${CONTAINERS}/-1`),
      inDeployment("replace", `${CONTAINERS}/x`, {}),
      inDeployment("remove", `${CONTAINERS}/0`),
      inDeployment("replace", "/spec/replicas", 3),
      inDeployment("remove", "/spec/selector"),
    ],
  },
  {
    name: "JSON patches whose outcome is no object of the kind",
    probes: [
      ...made,
      op("replace", "/data/x", { value: 5 }),
      op("replace", "/kind", { value: "Secret" }),
      op("replace", "/apiVersion", { value: "v2" }),
      op("remove", "/kind"),
      op("replace", "/metadata/name", { value: "b" }),
      op("replace", "/metadata/namespace", { value: "b" }),
      op("replace", "/metadata/uid", { value: "b" }),
      op("replace", "/metadata/resourceVersion", { value: "1" }),
      op("remove", "/metadata/uid"),
      op("add", "/foo", { value: "1" }),
      jsonPatch(`${CM}?fieldValidation=Strict`, [{ op: "add", path: "/foo", value: "1" }]),
      jsonPatch(CM, '[{"op":"add","op":"add","path":"/data/q","value":"1","foo":1}]'),
      jsonPatch(`${CM}?fieldValidation=Strict`, '[{"op":"add","op":"add","path":"/data/q","value":"2","foo":1}]'),
      inDeployment("replace", "/spec/replicas", "3"),
    ],
  },
  {
    name: "merge patches",
    probes: [
      ...made,
      ...[[], "x", "", "null", "1", {}, { data: { x: "1", n: null } }, { data: { x: null } }, { data: "x" }, {
        data: { x: 1 },
      }]
        .map((body) => merge(CM, body)),
      ...[{ data: ["x"] }, { kind: "Secret" }, { apiVersion: "v2" }, { kind: null }, { metadata: null }, { data: null }]
        .map((body) => merge(CM, body)),
      merge(CM, { foo: 1 }),
      merge(`${CM}?fieldValidation=Strict`, { foo: 1 }),
      merge(`${CM}?fieldValidation=Ignore`, { foo: 1 }),
      merge(CM, '{"data":{"a":"1","a":"2"}}'),
      merge(`${CM}?fieldValidation=Strict`, '{"data":{"a":"1","a":"3"}}'),
      merge(`${CONFIG_MAPS}/none`, { data: { z: "1" } }),
      merge(`${CONFIG_MAPS}/none`, "x"),
      merge(D, { spec: { template: { spec: { containers: [{ name: "c", image: "x" }] } } } }),
      merge(D, { spec: { replicas: null, paused: true } }),
    ],
  },
  {
    name: "merge patches that put null in the place of lists",
    probes: [
      setup(post(PODS, pod("null"))),
      ...["containers", "initContainers", "volumes", "tolerations", "schedulingGates"].map((list) =>
        merge(`${PODS}/null`, { spec: { [list]: null } })
      ),
      ...made,
      merge(D, { spec: { template: { spec: { containers: null } } } }),
      merge(D, { spec: { template: { spec: { volumes: null, initContainers: null } } } }),
    ],
  },
  {
    name: "merge patches of metadata",
    probes: [
      ...made,
      ...["b", null].map((name) => meta({ name })),
      ...["b", null].map((namespace) => meta({ namespace })),
      meta({ uid: "b" }),
      ...["1", "abc", null].map((resourceVersion) => meta({ resourceVersion })),
      ...["2020-01-01T00:00:00Z", null].map((creationTimestamp) => meta({ creationTimestamp })),
      meta({ generation: 5, selfLink: "x", deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 }),
      meta({ labels: { "bad key": "x" } }),
      meta({ labels: { a: "b c" }, annotations: { "a b": "c" }, finalizers: ["x"] }),
      meta({ labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["a.b/c"] }),
    ],
  },
  {
    name: "patches of owners of fields",
    probes: [
      ...made,
      meta({ managedFields: [{ manager: "x", operation: "Foo" }] }),
      meta({
        managedFields: [{
          manager: "x",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { "f:zz": {} } },
        }],
      }),
      meta({ managedFields: null }),
      meta({ managedFields: [{}] }),
      merge(`${CM}?fieldManager=after`, { data: { q: "1" } }),
      meta({ managedFields: [] }),
    ],
  },
  {
    name: "patches come in the types that their kind knows",
    probes: [
      ...made,
      ...["text/plain", "application/json", "Application/Merge-Patch+JSON", "application/json-patch"]
        .map((type): Probe => ({ method: "PATCH", path: CM, body: {}, type })),
      { method: "PATCH", path: CM, body: { data: { z: "1" } }, type: "application/merge-patch+json; charset=utf-8" },
    ],
  },
  {
    name: "strategic merge patches whose outcome is no object of the kind",
    probes: [
      ...made,
      ...[{}, [], "x", "", "null", { data: { x: 1 } }, { data: "x" }, { data: [] }, { kind: "Secret" }, {
        apiVersion: "v3",
      }]
        .map((body) => strategic(CM, body)),
      ...[{ name: "b" }, { uid: "b" }, { resourceVersion: "1" }].map((metadata) => strategic(CM, { metadata })),
      strategic(CM, { foo: 1 }),
      strategic(`${CM}?fieldValidation=Strict`, { foo: 1 }),
      strategic(CM, '{"data":{"a":"1","a":"2"}}'),
      strategic(`${CM}?fieldValidation=Strict`, '{"data":{"a":"1","a":"3"}}'),
      strategic(`${CONFIG_MAPS}/none`, {}),
      strategic(`${CONFIG_MAPS}/none`, "x"),
    ],
  },
  {
    name: "strategic merge patches with directives for maps",
    probes: [
      ...made,
      ...["foo", "delete", "replace", "merge"].map(($patch) => strategic(CM, { data: { $patch, a: "b" } })),
      strategic(CM, { data: { $patch: 1 } }),
      strategic(CM, { $patch: "foo" }),
      strategic(CM, { $retainKeys: "x" }),
      strategic(CM, { $retainKeys: [1] }),
      strategic(D, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
      strategic(D, { spec: { strategy: { $retainKeys: ["foo"], type: "Recreate" } } }),
      strategic(D, { spec: { selector: null } }),
      strategic(D, { metadata: { "$deleteFromPrimitiveList/finalizers": "x" } }),
    ],
  },
  {
    name: "strategic merge patches of lists",
    probes: [
      ...made,
      template({ containers: [{ image: "x" }] }),
      template({ containers: ["x"] }),
      template({ containers: {} }),
      template({ containers: [{ name: "c", $patch: "foo" }] }),
      template({ "$setElementOrder/containers": [{ name: "x" }], containers: [{ name: "c", image: "x" }] }),
      template({ "$setElementOrder/containers": "x" }),
      template({ containers: [{ name: "d", image: "e" }, { name: "f", image: "g" }] }),
      template({
        "$setElementOrder/containers": [{ name: "f" }, { name: "c" }, { name: "d" }],
        containers: [{ name: "f", image: "h" }],
      }),
      template({ containers: [{ name: "c", $patch: "delete" }, { name: "h", image: "i" }] }),
      template({ containers: [{ name: "h", ports: [{ containerPort: 80, protocol: "UDP" }, { containerPort: 80 }] }] }),
      template({ containers: [{ name: "h", ports: [{ containerPort: 80, name: "p" }] }] }),
      template({ containers: [{ $patch: "replace" }, { name: "z", image: "e", env: [{ name: "A", value: "1" }] }] }),
      template({ containers: [{ name: "z", env: [{ name: "B", value: "2" }, { name: "A", $patch: "delete" }] }] }),
      template({ containers: null }),
      template({ tolerations: [{ key: "a", operator: "Exists" }] }),
      template({ tolerations: [{ key: "b", operator: "Exists" }] }),
    ],
  },
  {
    name: "strategic merge patches of lists of texts",
    probes: [
      setup(post(PODS, { ...pod("p"), metadata: { name: "p", finalizers: ["a.b/c", "d.e/f", "g.h/i"] } })),
      strategic(`${PODS}/p`, { metadata: { finalizers: ["j.k/l"] } }),
      strategic(`${PODS}/p`, { metadata: { "$deleteFromPrimitiveList/finalizers": ["d.e/f", "x.y/z"] } }),
      strategic(`${PODS}/p`, {
        metadata: { "$setElementOrder/finalizers": ["j.k/l", "m.n/o", "a.b/c"], finalizers: ["m.n/o"] },
      }),
      strategic(`${PODS}/p`, { metadata: { finalizers: null } }),
    ],
  },
];
