/** Subresources of all kinds but those that are pods' alone: scale, binding, eviction, approval, tokens. */
import { apply, deployment, DEPLOYMENTS, get, jsonPatch, pod, PODS, put, setup, strategic } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";

const D = `${DEPLOYMENTS}/d`;
const BINDINGS = "/api/v1/namespaces/{ns}/bindings";
const CONTROLLERS = "/api/v1/namespaces/{ns}/replicationcontrollers";
const BUDGETS = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const SIGNING = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const ACCOUNTS = "/api/v1/namespaces/{ns}/serviceaccounts";

/** A signing request for `CN=x` with an RSA key that is known to nobody any more. */
const PEM = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIICUTCCATkCAQAwDDEKMAgGA1UEAwwBeDCCASIwDQYJKoZIhvcNAQEBBQADggEP",
  "ADCCAQoCggEBALTVxf38fF5xyiEduJ7NxfCEilnVjVGM/2mDHtKxH71/Q9Qp9grz",
  "SE4dLtz5en9uXWwEBXTnS/JSEcwLIl2fvbdYFOpqlTbm3pP4ZXw0o26/9KHuBUUY",
  "JlK0hVdwMdgQtGsK1v1Dybnunk2krzzYZzx3ABnf1oyFV0JSzhM7jYEDZA0wcIRd",
  "6vNfuyll81cC/CWKrq47HucUqxLwcLPLlnPbcRdEyw3tFz/kjcVaZwIWclRSVVpX",
  "zcU8+T1wOxAWINH0uGi1DWL4TxblIvvAynTrzz2ca1L6sYkKTXMoFAs0o9hZ+jly",
  "4Fbfy+6/zcktEqEqdmH7j9te1oDwiGnFXlsCAwEAAaAAMA0GCSqGSIb3DQEBCwUA",
  "A4IBAQBZRNKTVdD0DzYW5NeFy5dJcDGcd5M1ZxyitQ9icvyyWgib1HiGWvkiIv/3",
  "z2OsMMfgHjLSRMJu1oXWN895SWlDlP7RrNV6XY4lFPtrsjJvW+lzAo6lMjTuWQdS",
  "8X767BEySH4VhkBLlXaEcT8FA+gqYmS3Vk05xDP9V8CmbpGthrGg34QylFJLWF1F",
  "esAFggWbpJqR7stF8ehI/yMCgTsQT2V2InZMe884NhFgLFvMPNsiSJP+r9IQCGLF",
  "xPDiyghyOoerIJSXqBXK6F7LOaOIOtXAm81asBd1qI429pwsxIBQ8mrt0wkFH3nJ",
  "kWJhpHq245riDlRK7rSdGuTEds6i",
  "-----END CERTIFICATE REQUEST-----",
  "",
].join("\n");

const scale = (metadata: Fields = {}, spec: Fields = { replicas: 2 }) => ({
  metadata: { name: "d", namespace: "{ns}", ...metadata },
  spec,
});
const labelled = (name: string, spec: Fields = {}) => ({ ...pod(name, spec), metadata: { name, labels: { a: "b" } } });
const running = (name: string): Probe =>
  setup(strategic(`${PODS}/${name}/status`, {
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }));
const evict = (name: string, more: Fields = {}, query = ""): Probe =>
  post(`${PODS}/${name}/eviction${query}`, { metadata: { name }, ...more });
const bind = (body: unknown, name = "p"): Probe => post(`${PODS}/${name}/binding`, body);
const budgetStatus = (status: Fields): Probe => setup(merge(`${BUDGETS}/b/status`, { status }));
const approve = (...conditions: Fields[]): Probe => merge(`${SIGNING}/{ns}-a/approval`, { status: { conditions } });
const APPROVED = { type: "Approved", status: "True", reason: "r", message: "m" };
const DENIED = { type: "Denied", status: "True", reason: "r" };
const request = (spec: Fields = {}) => ({
  metadata: { name: "{ns}-a" },
  spec: { request: btoa(PEM), signerName: "a.b/c", usages: ["client auth"], ...spec },
});

/** Who asks is called otherwise by each server. */
function byAnyone(probe: Probe): Probe {
  return {
    ...probe,
    ignore: {
      fields: ["spec.username", "spec.uid", "spec.groups", "spec.extra"],
      because: "each has users of its own",
    },
  };
}

export const CASES: readonly DifferentialCase[] = [
  {
    name: "scale that cannot be",
    probes: [
      setup(post(DEPLOYMENTS, deployment("d"))),
      ...[
        "{",
        {},
        scale({}, { replicas: -1 }),
        scale({}, { replicas: "x" }),
        scale({ name: "e" }),
        scale({ name: "" }),
        scale({ namespace: "zz" }),
        scale({ resourceVersion: "1" }),
        scale({ uid: "zz" }),
        { ...scale(), foo: 1 },
        { ...scale(), kind: "Deployment", apiVersion: "apps/v1" },
        { ...scale(), kind: "Scale", apiVersion: "autoscaling/v2" },
        { ...scale(), kind: "Foo" },
      ].map((body) => put(`${D}/scale`, body)),
      put(`${D}/scale?fieldValidation=Strict`, { ...scale(), foo: 1 }),
      put(`${DEPLOYMENTS}/none/scale`, scale({ name: "none" })),
      get(`${DEPLOYMENTS}/none/scale`),
      merge(`${DEPLOYMENTS}/none/scale`, {}),
      merge(`${D}/scale`, { spec: { replicas: -1 } }),
      merge(`${D}/scale`, { spec: { replicas: "x" } }),
      merge(`${D}/scale`, { metadata: { resourceVersion: "1" } }),
      merge(`${D}/scale`, { foo: 1 }),
    ],
  },
  {
    name: "scale",
    probes: [
      setup(post(DEPLOYMENTS, deployment("d"))),
      put(`${D}/scale`, scale()),
      put(`${D}/scale`, scale({}, {})),
      strategic(`${D}/scale`, { spec: { replicas: 4 } }),
      jsonPatch(`${D}/scale`, [{ op: "replace", path: "/spec/replicas", value: 5 }]),
      merge(`${D}/scale`, { metadata: { labels: { a: "b" } } }),
      merge(`${D}/scale?dryRun=All`, { spec: { replicas: 9 } }),
      get(`${D}/scale`),
      get(`${D}/scale`, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
      get(D),
      post(CONTROLLERS, {
        metadata: { name: "r" },
        spec: {
          selector: { a: "b" },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x" }] } },
        },
      }),
      get(`${CONTROLLERS}/r/scale`),
      merge(`${CONTROLLERS}/r/scale`, { spec: { replicas: 3 } }),
      get(`${CONTROLLERS}/r`),
    ],
  },
  {
    name: "binding",
    probes: [
      setup(post(PODS, pod("p"))),
      setup(post(PODS, pod("gated", { schedulingGates: [{ name: "a.b/c" }] }))),
      setup(post(PODS, pod("q"))),
      ...[
        "{",
        {},
        { metadata: { name: "p" } },
        { metadata: { name: "x" }, target: { name: "n1" } },
        { metadata: { name: "p" }, target: { kind: "Foo", name: "n1" } },
        { metadata: { name: "p" }, target: { name: "bad name" } },
        { target: { name: "n1" } },
        { metadata: { name: "p", uid: "zz" }, target: { name: "n1" } },
        { metadata: { name: "p", namespace: "zz" }, target: { name: "n1" } },
        { kind: "Pod", apiVersion: "v1", metadata: { name: "p" } },
        { metadata: { name: "p", annotations: { a: "1" }, labels: { l: "1" } }, target: { kind: "Node", name: "n1" } },
        { metadata: { name: "p" }, target: { name: "n1" } },
      ].map((body) => bind(body)),
      get(`${PODS}/p`),
      bind({ metadata: { name: "gated" }, target: { name: "n1" } }, "gated"),
      bind({ metadata: { name: "none" }, target: { name: "n1" } }, "none"),
      post(BINDINGS, { metadata: { name: "none" }, target: { name: "n1" } }),
      post(`${BINDINGS}?dryRun=All`, { metadata: { name: "q" }, target: { name: "n1" } }),
      post(BINDINGS, { metadata: { name: "q" }, target: { name: "n1" } }),
      get(BINDINGS),
      get(`${PODS}/q/binding`),
    ],
  },
  {
    name: "eviction",
    probes: [
      setup(post(PODS, pod("p", { nodeName: "n1" }))),
      ...["{", {}, { metadata: { name: "x" } }, { kind: "Pod", apiVersion: "v1" }]
        .map((body) => post(`${PODS}/p/eviction`, body)),
      ...["v1", "v1beta1"].map((version) =>
        evict("p", { apiVersion: `policy/${version}`, kind: "Eviction", deleteOptions: { dryRun: ["All"] } })
      ),
      evict("p", { deleteOptions: { propagationPolicy: "Foo" } }),
      evict("p", { deleteOptions: { gracePeriodSeconds: "x" } }),
      evict("p", {}, "?dryRun=All"),
      evict("p"),
      get(`${PODS}/p`),
      evict("none"),
    ],
  },
  {
    name: "eviction spends the disruption budget",
    probes: [
      setup(post(PODS, labelled("r", { nodeName: "n1" }))),
      running("r"),
      setup(
        post(BUDGETS, { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } }),
      ),
      evict("r"),
      budgetStatus({
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      }),
      evict("r"),
      budgetStatus({ disruptionsAllowed: 1 }),
      evict("r", {}, "?dryRun=All"),
      get(`${BUDGETS}/b`),
      evict("r"),
      get(`${BUDGETS}/b`),
      get(`${PODS}/r`),
      setup(post(PODS, labelled("s", { nodeName: "n1" }))),
      running("s"),
      setup(post(BUDGETS, { metadata: { name: "c" }, spec: { selector: {}, maxUnavailable: 1 } })),
      evict("s"),
    ],
  },
  {
    name: "approval of signing requests",
    probes: [
      byAnyone(post(SIGNING, request())),
      byAnyone(get(`${SIGNING}/{ns}-a/approval`)),
      byAnyone(put(`${SIGNING}/{ns}-a/approval`, { metadata: { name: "{ns}-a" }, status: { conditions: [APPROVED] } })),
      byAnyone(approve(APPROVED)),
      approve(),
      approve(APPROVED, DENIED),
      approve(APPROVED, APPROVED),
      approve(APPROVED, { type: "", status: "True" }),
      approve(APPROVED, { type: "Foo", status: "Bar" }),
      approve({ ...APPROVED, status: "False" }),
      byAnyone(merge(`${SIGNING}/{ns}-a/approval`, {
        metadata: { labels: { a: "b" } },
        spec: { signerName: "z" },
        status: { conditions: [APPROVED, { type: "Foo", status: "True" }] },
      })),
      byAnyone(apply("app", `${SIGNING}/{ns}-a/approval`, {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name: "{ns}-a" },
        status: { conditions: [{ type: "Bar", status: "True" }] },
      })),
      put(`${SIGNING}/none/approval`, { metadata: { name: "none" } }),
      get(`${SIGNING}/none/approval`),
    ],
    cleanup: [remove(`${SIGNING}/{ns}-a`)],
  },
  {
    name: "tokens that nobody gets",
    probes: [
      post(`${ACCOUNTS}/none/token`, {}),
      post(`${ACCOUNTS}/default/token`, "{"),
      post(`${ACCOUNTS}/default/token`, { kind: "Pod", apiVersion: "v1" }),
      post(`${ACCOUNTS}/default/token`, { spec: { expirationSeconds: 5 } }),
    ],
  },
];
