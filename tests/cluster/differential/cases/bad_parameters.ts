/** Parameters that say nothing sensible: of writes, lists and watches. */
import { CONFIG_MAPS, configMap, get, put } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { merge, post } from "../requests.ts";

const LONG = "x".repeat(129);
const WRITES = [
  "dryRun=Foo",
  "dryRun=",
  "dryRun=all",
  "dryRun=All&dryRun=Foo",
  `fieldManager=${LONG}`,
  "fieldManager=a%01b",
  "fieldValidation=strict",
  `dryRun=Foo&fieldManager=${LONG}&fieldValidation=x`,
];
const LABELS = [
  "a b",
  "a=b=",
  "=b",
  "a in",
  "a in ()",
  "a in (b",
  "a in b",
  "!",
  "a=b c",
  "a>x",
  ",",
  "a,",
  "a=b,,c",
  "-a",
  "a/b/c",
  "a=b_",
  "a in (-b)",
  "(a)",
  "x".repeat(64),
  `a=${"x".repeat(64)}`,
  "!a=b",
];
const FIELDS = [
  "metadata.name",
  "foo=bar",
  "=a",
  "metadata.name=a=b",
  "metadata.name in (a)",
  "metadata.name=a\\",
  "metadata.name=a\\b",
];
const LISTS = [
  "limit=abc",
  "limit=1.5",
  "limit=99999999999999999999",
  "timeoutSeconds=x",
  "resourceVersion=abc",
  "resourceVersion=-1",
  "resourceVersionMatch=Foo",
  "resourceVersionMatch=Exact",
  "resourceVersionMatch=Exact&resourceVersion=0",
  "continue=x",
  "continue=e30",
  "continue=x&resourceVersion=1",
  "sendInitialEvents=true",
  "watch=1&resourceVersion=abc&timeoutSeconds=1",
  "watch=1&resourceVersionMatch=NotOlderThan&timeoutSeconds=1",
  "watch=1&labelSelector=!!",
  "watch=1&fieldSelector=foo%3Dbar",
  "watch=1&timeoutSeconds=x",
];

const asked = (name: string, value: string): Probe => get(`${CONFIG_MAPS}?${name}=${encodeURIComponent(value)}`);
const agent = (name: string, userAgent: string): Probe =>
  post(CONFIG_MAPS, configMap({ a: "b" }, { name }), { headers: { "user-agent": userAgent } });

export const CASES: readonly DifferentialCase[] = [
  {
    name: "parameters of writes",
    probes: [
      ...WRITES.flatMap((query) => [
        post(`${CONFIG_MAPS}?${query}`, { metadata: { name: "p" } }),
        put(`${CONFIG_MAPS}/zz?${query}`, { metadata: { name: "zz" } }),
        merge(`${CONFIG_MAPS}/zz?${query}`, {}),
      ]),
      merge(`${CONFIG_MAPS}/zz?force=true`, {}),
      { method: "PATCH", path: `${CONFIG_MAPS}/zz?force=true`, body: "{}", type: "application/apply-patch+yaml" },
    ],
  },
  {
    name: "who writes is called after its program",
    probes: [
      agent("u1", `${"x".repeat(200)}/1`),
      agent("u2", "a\u00e9b\t c/1 x/y"),
      agent("u3", "kubectl/v1.36 (linux)"),
    ],
  },
  { name: "label selectors", probes: LABELS.map((selector) => asked("labelSelector", selector)) },
  { name: "field selectors", probes: FIELDS.map((selector) => asked("fieldSelector", selector)) },
  {
    name: "fields that kinds can be selected by",
    probes: [
      "/api/v1/namespaces/{ns}/pods?fieldSelector=spec.foo%3D1",
      "/api/v1/nodes?fieldSelector=metadata.namespace%3Dx",
      "/api/v1/namespaces/{ns}/events?fieldSelector=foo%3Dbar",
      "/apis/batch/v1/namespaces/{ns}/jobs?fieldSelector=foo%3Dbar",
      "/apis/apps/v1/namespaces/{ns}/replicasets?fieldSelector=status.replicas%3D1",
    ].map((path) => get(path)),
  },
  { name: "parameters of lists and watches", probes: LISTS.map((query) => get(`${CONFIG_MAPS}?${query}`)) },
];
