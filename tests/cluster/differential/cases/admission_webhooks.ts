/** Admission webhooks: what they are told, and what comes of their answers; and policies, which are not enforced here. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, has, isRefused, merge, post, remove, waitFor } from "../requests.ts";
import { CA_BUNDLE, WEBHOOK_ORIGIN } from "../webhook_server.ts";

const CORE = "/api/v1/namespaces/{ns}";
const MAPS = `${CORE}/configmaps`;
const APPS = "/apis/apps/v1/namespaces/{ns}/deployments";
const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";

type Kind = "mutating" | "validating";

const NOBODY_LISTENS = "https://127.0.0.1:1";

/** A webhook for the case's namespace, called at `path`. */
function webhook(path: string, more: Fields = {}): Fields {
  return {
    name: `${path.slice(1)}.example.com`,
    clientConfig: { url: `${WEBHOOK_ORIGIN}${path}`, caBundle: CA_BUNDLE },
    rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["configmaps"] }],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
}

const configurations = (kind: Kind) => `${REGISTRATION}/${kind}webhookconfigurations`;

function configure(kind: Kind, webhooks: readonly Fields[], name = "{ns}"): Probe {
  return post(configurations(kind), { metadata: { name }, webhooks }, { isSetup: true });
}

const map = (name: string, data: Fields = {}) => ({ metadata: { name }, data });
const cleanup = [remove(`${configurations("validating")}/{ns}`), remove(`${configurations("mutating")}/{ns}`)];

/** A case in which one webhook is asked about the creation of a ConfigMap. */
function answer(kind: Kind, path: string, effect: string, more: Fields = {}): DifferentialCase {
  return {
    name: `a ${kind} webhook that answers ${path}${Object.keys(more).length > 0 ? `: ${JSON.stringify(more)}` : ""}`,
    probes: [
      configure(kind, [webhook(path, more)]),
      waitFor(MAPS, map("w"), has(effect)),
      post(MAPS, map("a", { x: "y" }), worded(path)),
      { method: "GET", path: `${MAPS}/a` },
    ],
    cleanup,
  };
}

/** Everything of the namespace, subresources included. */
const EVERYTHING = {
  rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
};
const POD = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
const DEPLOYMENT = {
  metadata: { name: "d" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: POD.spec },
  },
};
const setup = (probe: Probe): Probe => ({ ...probe, isSetup: true });
const FAILED = "failed calling webhook";

const WORDED = ["/missing-path", "/misfit", "/odd-patch"];

/** Words of Go's libraries. */
function worded(path: string): Partial<Probe> {
  const because = "what does not fit is told in plain words";
  return WORDED.includes(path) ? { differs: { in: ["message", "details"], because } } : {};
}

const rule = (more: Fields): Fields => ({
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], ...more }],
});
const url = (text: string): Fields => ({ clientConfig: { url: text } });
const service = (more: Fields): Fields => ({ clientConfig: { service: { namespace: "n", name: "s", ...more } } });
const selector = { matchExpressions: [{ key: "a b", operator: "In" }, { key: "a", operator: "Odd" }] };

/** Webhooks, most of which could not be called. */
const MALFORMED: readonly Fields[] = [
  {},
  { name: "" },
  { name: "two.labels" },
  { name: "A.example.com" },
  { failurePolicy: "Odd", matchPolicy: "Odd", sideEffects: "Some", timeoutSeconds: 0 },
  { sideEffects: undefined, timeoutSeconds: 31 },
  { admissionReviewVersions: [] },
  { admissionReviewVersions: ["v1", "v1"] },
  { admissionReviewVersions: ["v2", "V1"] },
  { namespaceSelector: selector, objectSelector: selector },
  { clientConfig: {} },
  { clientConfig: { url: "https://a.b", service: { namespace: "n", name: "s" } } },
  ...["http://a.b", "https:///x", "https://u:p@a.b", "https://a.b/x?y=z", "https://a.b#c", "a.b"].map(url),
  ...[{ name: "" }, { namespace: "" }, { port: 70_000 }, { path: "x" }, { path: "//" }, { path: "/a//b" }, {
    path: "/A_",
  }].map(service),
  ...[
    { operations: [] },
    { operations: ["*", "CREATE"] },
    { operations: ["READ"] },
    { apiGroups: [] },
    { apiGroups: ["*", ""] },
    { apiVersions: ["", "*"] },
    { resources: [] },
    { resources: ["", "pods"] },
    { resources: ["*", "pods"] },
    { resources: ["*/*", "pods"] },
    { resources: ["pods/*", "pods/log"] },
    { resources: ["*/scale", "deployments/scale"] },
    { scope: "Odd" },
  ].map(rule),
];

export const CASES: readonly DifferentialCase[] = [
  {
    name: "what webhooks are refused",
    probes: [
      ...(["validating", "mutating"] as const).flatMap((kind) =>
        MALFORMED.map((more) =>
          post(`${configurations(kind)}?dryRun=All`, {
            metadata: { name: "{ns}" },
            webhooks: [webhook("/allow", more)],
          })
        )
      ),
      post(`${configurations("mutating")}?dryRun=All`, {
        metadata: { name: "{ns}" },
        webhooks: [webhook("/allow", { reinvocationPolicy: "Odd" }), webhook("/allow")],
      }),
    ],
  },
  {
    name: "a validating webhook is told all about a write",
    probes: [
      setup(post(MAPS, map("old", { a: "1" }))),
      setup(post(APPS, DEPLOYMENT)),
      setup(post(`${CORE}/pods`, POD)),
      configure("validating", [webhook("/tell", EVERYTHING)]),
      waitFor(MAPS, map("w"), has("denied the request")),
      post(MAPS, map("new")),
      post(`${MAPS}?fieldManager=me&fieldValidation=Strict&dryRun=All`, { metadata: { generateName: "g-" } }, {
        differs: { in: ["message"], because: "names are generated" },
      }),
      { method: "PUT", path: `${MAPS}/old`, body: map("old", { a: "2" }) },
      merge(`${MAPS}/old?fieldManager=me`, { data: { b: "3" } }),
      {
        method: "PATCH",
        path: `${MAPS}/old?fieldManager=me&force=true`,
        type: "application/apply-patch+yaml",
        body: { apiVersion: "v1", kind: "ConfigMap", ...map("old", { a: "4" }) },
      },
      { method: "DELETE", path: `${MAPS}/old`, body: { propagationPolicy: "Background" } },
      { method: "DELETE", path: `${MAPS}/old?gracePeriodSeconds=0` },
      { method: "DELETE", path: `${MAPS}/none` },
      merge(`${APPS}/d`, { spec: { replicas: 2 } }),
      merge(`${APPS}/d/scale`, { spec: { replicas: 3 } }),
      merge(`${APPS}/d/status`, { status: { replicas: 4 } }),
      post(`${CORE}/pods/p/binding`, { metadata: { name: "p" }, target: { kind: "Node", name: "n" } }, {
        differs: { in: ["message"], because: "nobody comes to own the fields of a binding" },
      }),
      post(`${CORE}/pods/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }),
      post(`${CORE}/serviceaccounts/default/token`, { spec: { audiences: ["a"] } }, {
        differs: { in: ["message"], because: "a token's request is shown as it was sent" },
      }),
      post("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", {
        metadata: { name: "h" },
        spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
      }),
    ],
    cleanup,
  },
  {
    name: "a webhook is shown the version that its rules name",
    probes: [
      configure("validating", [
        webhook("/tell", {
          rules: [{
            operations: ["CREATE"],
            apiGroups: ["autoscaling"],
            apiVersions: ["v1"],
            resources: ["horizontalpodautoscalers"],
          }],
        }),
      ]),
      ...["w", "h"].map((name): Probe => {
        const path = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers";
        const target = { type: "Utilization", averageUtilization: 50 };
        const body = {
          metadata: { name },
          spec: {
            maxReplicas: 2,
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
            metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
          },
        };
        return name === "w" ? waitFor(path, body, has("denied the request")) : post(path, body);
      }),
    ],
    cleanup,
  },
  {
    name: "mutating webhooks change an object one after the other",
    probes: [
      configure("mutating", [webhook("/label"), webhook("/tell-in-label")]),
      waitFor(MAPS, map("w"), has("webhook")),
      post(MAPS, map("a")),
      merge(`${MAPS}/a`, { data: { b: "1" } }),
      { method: "GET", path: `${MAPS}/a` },
    ],
    cleanup,
  },
  {
    name: "what a mutating webhook adds to a pod is filled in",
    probes: [
      configure("mutating", [
        webhook("/container", {
          rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
        }),
      ]),
      setup(post(`${CORE}/limitranges`, {
        metadata: { name: "l" },
        spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
      })),
      waitFor(`${CORE}/pods`, POD, (body) => has("side")(body) && has('"limits"')(body)),
      post(`${CORE}/pods`, POD),
    ],
    cleanup,
  },
  {
    name: "objects and namespaces that a webhook does not select",
    probes: [
      configure("validating", [
        webhook("/deny", { objectSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] } }),
      ]),
      waitFor(MAPS, { metadata: { name: "w", labels: { a: "b" } } }, has("denied the request")),
      post(MAPS, map("plain")),
      post(MAPS, { metadata: { name: "labelled", labels: { a: "b" } } }),
      merge(`${MAPS}/plain`, { metadata: { labels: { a: "b" } } }),
    ],
    cleanup,
  },
  answer("validating", "/deny", "denied the request"),
  answer("validating", "/deny-with-message", "denied the request"),
  answer("validating", "/deny-with-reason", "denied the request"),
  answer("mutating", "/deny", "denied the request"),
  answer("validating", "/wrong-uid", FAILED),
  answer("validating", "/absent", FAILED),
  answer("validating", "/label", FAILED),
  answer("validating", "/type-without-patch", FAILED),
  ...["/500", "/503", "/403", "/400", "/404"].map((path) => answer("validating", path, FAILED)),
  answer("validating", "/hang", FAILED, { timeoutSeconds: 1 }),
  answer("validating", "/refused", FAILED, {
    clientConfig: { url: `${NOBODY_LISTENS}/refused`, caBundle: CA_BUNDLE },
  }),
  answer("validating", "/service", FAILED, {
    clientConfig: { service: { namespace: "{ns}", name: "none", path: "/x" }, caBundle: CA_BUNDLE },
  }),
  ...["/bad-label", "/rename", "/move", "/unknown-field", "/misfit", "/missing-path"].map((path) =>
    ({
      name: `a mutating webhook that answers ${path}`,
      probes: [
        setup(post(MAPS, map("old"))),
        configure("mutating", [webhook("/label"), webhook(path)]),
        waitFor(MAPS, map("w"), (body) => isRefused(body) || !has('"data"')(body) || has("webhook")(body)),
        post(MAPS, map("a"), worded(path)),
        merge(`${MAPS}/old`, { data: { b: "1" } }, worded(path)),
      ],
      cleanup,
    }) satisfies DifferentialCase
  ),
  ...["/patch-without-type", "/odd-type", "/odd-patch"].map((path) => answer("mutating", path, FAILED)),
  {
    name: "webhooks that fail where that is ignored, and one that only warns",
    probes: [
      configure("validating", [
        ...["/500", "/absent"].map((path) => webhook(path, { failurePolicy: "Ignore" })),
        webhook("/warn"),
        webhook("/deny", {
          rules: [{ operations: ["DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        }),
      ]),
      setup(post(MAPS, map("w"))),
      { method: "DELETE", path: `${MAPS}/w?dryRun=All`, isSetup: true, until: has("denied the request") },
      post(MAPS, map("a")),
      { method: "DELETE", path: `${MAPS}/a` },
      { method: "DELETE", path: MAPS },
    ],
    cleanup,
  },
  {
    name: "policies are stored, here with a warning",
    probes: [
      ...(["Validating", "Mutating"] as const).map((kind): Probe =>
        post(
          `${REGISTRATION}/${kind.toLowerCase()}admissionpolicybindings?dryRun=All`,
          {
            metadata: { name: "{ns}" },
            spec: { policyName: "p", ...kind === "Validating" ? { validationActions: ["Deny"] } : {} },
          },
          { differs: { in: ["warnings"], because: "policies are not enforced here, and who writes one is told so" } },
        )
      ),
    ],
  },
];
