/** Bodies that are no JSON or YAML, or no object of the kind; and paths and methods that lead nowhere. */
import { apply, CONFIG_MAPS, configMap, deployment, DEPLOYMENTS, get, PODS, put } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { post } from "../requests.ts";

const YAML = "application/yaml";

const yaml = (body: string, query = ""): Probe => post(CONFIG_MAPS + query, body, { type: YAML });
const typed = (type: string): Probe => post(CONFIG_MAPS, configMap(), { type });
const kind = (apiVersion: string, kind: string): Probe =>
  post(CONFIG_MAPS, { kind, apiVersion, metadata: { name: "a" } });

const NO_JSON = [
  "{",
  "",
  "[]",
  "null",
  '"x"',
  "{}",
  "{a}",
  "hello world",
  "tru",
  "true",
  "1",
  "   ",
  "[1,",
  "}",
  "{'a':1}",
  '{"a" 1}',
  '{"a":1 "b":2}',
  '{"a":[1 2]}',
  '{"a":-}',
  '{"a":1.}',
  '{"a":1ex}',
  '{"a":"\\u12G4"}',
  '{"a":"unfinished',
  '{"kind":"ConfigMap"',
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},}',
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}} x',
  '{"metadata":{"name":"n"},"data":{"a":"\\x"}}',
  '{"metadata":{"name":"n"},"data":{"a":"b\n"}}',
  '{"metadata":{"name":"n"},"data":{"a":01}}',
  '{"metadata":{"name":"n"},"data":nul}',
];

const NO_YAML = [
  "a: [",
  "a:\n\t- b",
  "just text",
  "",
  "- a\n- b",
  "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: y\ndata:\n  a: 1\n",
  "a: .inf",
  'a: "unfinished',
  "a: *nowhere",
  "a: b: c",
];

export const CASES: readonly DifferentialCase[] = [
  { name: "what is no JSON is refused in Go's words", probes: NO_JSON.map((body) => post(CONFIG_MAPS, body)) },
  {
    name: "what is no YAML is refused in Go's words",
    probes: [
      ...NO_YAML.map((body) => yaml(body)),
      yaml('kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: d\ndata:\n  a: "1"\n  a: "2"\n'),
      yaml(
        'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: e\ndata:\n  a: "1"\n  a: "2"\n',
        "?fieldValidation=Strict",
      ),
      yaml(JSON.stringify(configMap({ x: "1" }, { name: "f" }))),
      ...["{", "[]", "text", "", "null", "a: [", "a: .nan"].map((body) => apply("m", `${CONFIG_MAPS}/none`, body)),
    ],
  },
  {
    name: "YAML is answered with YAML where that is asked for",
    probes: [
      {
        ...yaml(
          "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: text\ndata:\n  a: |\n    x\n    y\n  b: \"true\"\n  c: '#x'\n",
        ),
        headers: { accept: YAML },
      },
      get(`${CONFIG_MAPS}/text`, YAML),
      get(`${CONFIG_MAPS}/none`, YAML),
      get(CONFIG_MAPS, "application/json;q=0.5,application/yaml;q=0.9"),
      get(CONFIG_MAPS, "application/yaml;q=0.5,application/json;q=0.9"),
    ],
  },
  {
    name: "bodies come in the types that are read",
    probes: [
      ...["text/plain", "application/xml", "application/cbor", ";;;", "application/merge-patch+json"].map(typed),
      typed("application/json; charset=utf-8"),
    ],
  },
  {
    name: "answers come in the types that are written",
    probes: [
      post(CONFIG_MAPS, configMap()),
      ...[
        "text/plain",
        "application/xml,text/html",
        "text/html,application/xml;q=0.9,*/*;q=0.8",
        "application/*",
        "application/json;as=Table;v=v2;g=meta.k8s.io",
        "application/json;as=Foo;v=v1;g=meta.k8s.io",
        "application/json;as=Foo;v=v1;g=meta.k8s.io,application/json",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
      ].map((accept) => get(CONFIG_MAPS, accept)),
      get(`${CONFIG_MAPS}/a`, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
      get(`${CONFIG_MAPS}/a`, "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io"),
      get(`${CONFIG_MAPS}/a`, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
      get(`${CONFIG_MAPS}/a`, "application/json;stream=watch"),
      get(`${PODS}/none/log`, "text/plain"),
    ],
  },
  {
    name: "a body is of the kind that its path names",
    probes: [
      post(CONFIG_MAPS, { metadata: { name: "nothing" } }),
      post(CONFIG_MAPS, { kind: "ConfigMap", metadata: { name: "no-version" } }),
      post(CONFIG_MAPS, { apiVersion: "v1", metadata: { name: "no-kind" } }),
      kind("v1", "Secret"),
      kind("v2", "ConfigMap"),
      kind("apps/v1", "ConfigMap"),
      kind("v1", "Foo"),
      kind("apps/v1", "Deployment"),
      kind("a/b/c", "ConfigMap"),
      kind("v1", "List"),
      kind("v1", "DeleteOptions"),
      post(CONFIG_MAPS, '{"kind":1,"apiVersion":"v1"}'),
      post(DEPLOYMENTS, { ...deployment("x"), apiVersion: "apps/v1beta1" }, {
        differs: { in: ["message"], because: "versions that are served no more are not known here" },
      }),
      post(DEPLOYMENTS, { ...deployment("x"), apiVersion: "v1" }),
      post(DEPLOYMENTS, { ...deployment("x"), kind: "ReplicaSet" }),
    ],
  },
  {
    name: "an object has the name, namespace, uid and version of what it replaces",
    probes: [
      post(CONFIG_MAPS, configMap({}, { namespace: "other" })),
      post(CONFIG_MAPS, configMap({}, { name: undefined })),
      post(CONFIG_MAPS, configMap({}, { resourceVersion: "5" })),
      post(CONFIG_MAPS, configMap()),
      post(CONFIG_MAPS, configMap()),
      post("/api/v1/namespaces/none-such/configmaps", configMap()),
      put(`${CONFIG_MAPS}/b`, configMap()),
      put(`${CONFIG_MAPS}/a`, configMap({}, { name: undefined })),
      put(`${CONFIG_MAPS}/a`, configMap({}, { namespace: "other" })),
      put(`${CONFIG_MAPS}/a`, configMap({}, { resourceVersion: "1" })),
      put(`${CONFIG_MAPS}/a`, configMap({}, { resourceVersion: "abc" })),
      put(`${CONFIG_MAPS}/a`, configMap({}, { uid: "other" })),
      put(`${CONFIG_MAPS}/a`, configMap({}, { creationTimestamp: "2001-01-01T00:00:00Z", generation: 5 })),
      put(`${CONFIG_MAPS}/none`, configMap({}, { name: "none" })),
      put(`${CONFIG_MAPS}/none`, configMap({}, { name: "none", resourceVersion: "5" })),
      put(`${CONFIG_MAPS}/none`, configMap({}, { name: "none", uid: "u" })),
      put(`${DEPLOYMENTS}/none`, deployment("none")),
    ],
  },
  {
    name: "paths and methods that are served nowhere",
    probes: [
      ...[
        "/api/v2",
        "/apis/nope",
        "/apis/apps/v9",
        "/apis/apps/v1/nopes",
        "/nope",
        "/version/nope",
        "/healthz/nope",
        "//api/v1/configmaps",
        "/api/v1//configmaps",
        "/apis//apps/v1/deployments",
        "/api/v1/configmaps/a",
        "/api/v1/namespaces/{ns}/nopes",
        "/api/v1/namespaces/{ns}/nodes",
        `${CONFIG_MAPS}//a`,
        `${CONFIG_MAPS}/a%2Fb`,
        `${CONFIG_MAPS}/a/`,
        `${CONFIG_MAPS}/a/nope`,
        `${CONFIG_MAPS}/a/status`,
        `${PODS}/a/log/x`,
        `${PODS}/a/portforward`,
        "/apis/authentication.k8s.io/v1/tokenreviews",
        "/apis/authentication.k8s.io/v1/tokenreviews/x",
      ].map((path) => get(path)),
      post("/api/v1/configmaps", configMap()),
      post("/api/v1", {}),
      post(`${CONFIG_MAPS}/a`, configMap()),
      put(CONFIG_MAPS, configMap()),
      { method: "PATCH", path: CONFIG_MAPS, body: {}, type: "application/merge-patch+json" },
      { method: "DELETE", path: "/api/v1/namespaces" },
      { method: "DELETE", path: `${PODS}/a/status` },
      { method: "OPTIONS", path: CONFIG_MAPS },
      { method: "HEAD", path: CONFIG_MAPS },
      { method: "HEAD", path: "/api/v1" },
    ],
  },
];
