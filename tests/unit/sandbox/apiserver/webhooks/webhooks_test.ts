/** Admission webhooks: who is asked about what, and what becomes of the answers. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { VALIDATINGWEBHOOKCONFIGURATIONS } from "../../../../../src/api/mod.ts";
import type { WebhookHandler } from "../../../../../src/sandbox/mod.ts";
import { CONFIG_MAPS, Harness, JSON_PATCH, type Loose, pod, PODS } from "../harness.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1";
const URL_OF_HOOK = "https://hooks.example.com/check";

interface Rule {
  readonly resources?: string[];
  readonly operations?: string[];
  readonly apiGroups?: string[];
  readonly apiVersions?: string[];
  readonly scope?: string;
}

class Rig implements Disposable {
  readonly api = new Harness();
  /** What webhooks were asked: the `request` of each review. */
  readonly asked: Loose[] = [];

  /** Registers a webhook; `answer` says what its response is. */
  async hook(
    kind: "mutating" | "validating",
    name: string,
    answer: (request: Loose) => Loose | Promise<Loose>,
    { rule = {}, ...webhook }: { rule?: Rule } & Loose = {},
  ): Promise<void> {
    const host = `${name.replaceAll(".", "-")}.example.com`;
    this.serve(`https://${host}`, async (request) => {
      const { request: review, kind, apiVersion } = await request.json();
      this.asked.push(review);
      return Response.json({ kind, apiVersion, response: { uid: review.uid, ...await answer(review) } });
    });
    await this.configure(kind, name, { clientConfig: { url: `https://${host}/check` }, rule, ...webhook });
  }

  serve(origin: string, handler: WebhookHandler): void {
    this.api.server.addWebhook(origin, handler);
  }

  async configure(
    kind: "mutating" | "validating",
    name: string,
    { rule = {}, ...webhook }: { rule?: Rule } & Loose = {},
  ): Promise<Loose> {
    const answer = await this.api.post(`${CONFIGURATIONS}/${kind}webhookconfigurations`, {
      metadata: { name },
      webhooks: [{
        name: `${name}.example.com`,
        clientConfig: { url: URL_OF_HOOK },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["configmaps"], ...rule }],
        ...webhook,
      }],
    });
    assertEquals(answer.status, 201, JSON.stringify(answer.body));
    return answer;
  }

  [Symbol.dispose](): void {
    this.api[Symbol.dispose]();
  }
}

const allow = () => ({ allowed: true });
const patch = (...operations: Loose[]) => () => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: btoa(JSON.stringify(operations)),
});
const label = (key: string, value: string) => ({ op: "add", path: "/metadata/labels", value: { [key]: value } });

Deno.test("ApiServer refuses what a validating webhook denies, with its words, code and reason", async () => {
  using rig = new Rig();
  const status = { code: 422, reason: "Invalid", message: "no color", details: { name: "a" } };
  await rig.hook("validating", "v", ({ object }) => ({ allowed: object.data?.color !== undefined, status }));
  const denied = await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  assertEquals(denied.status, 422);
  assertEquals(denied.body, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Invalid",
    message: 'admission webhook "v.example.com" denied the request: no color',
    details: { name: "a" },
    code: 422,
  });
  assertEquals((await rig.api.get(`${CONFIG_MAPS}/a`)).status, 404);
  assertEquals((await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { color: "red" } })).status, 201);
});

Deno.test("ApiServer tells webhooks about a write what kube-apiserver tells them", async () => {
  using rig = new Rig();
  await rig.hook("validating", "v", allow);
  await rig.api.post(`${CONFIG_MAPS}?fieldManager=me&fieldValidation=Strict`, { metadata: { name: "a" } });
  const [{ uid, object, ...request }] = rig.asked;
  assertEquals(uid.length, 36);
  assertEquals([object.apiVersion, object.kind, object.metadata.name, object.metadata.uid.length], [
    "v1",
    "ConfigMap",
    "a",
    36,
  ]);
  assertEquals(request, {
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    resource: { group: "", version: "v1", resource: "configmaps" },
    requestKind: { group: "", version: "v1", kind: "ConfigMap" },
    requestResource: { group: "", version: "v1", resource: "configmaps" },
    name: "a",
    namespace: "default",
    operation: "CREATE",
    userInfo: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
    oldObject: null,
    dryRun: false,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me", fieldValidation: "Strict" },
  });
  await rig.api.patch(`${CONFIG_MAPS}/a`, { data: { b: "1" } });
  await rig.api.delete(`${CONFIG_MAPS}/a`, { propagationPolicy: "Background" });
  const [, updated, deleted] = rig.asked;
  assertEquals([updated.operation, updated.object.data, updated.oldObject.data], ["UPDATE", { b: "1" }, undefined]);
  assertEquals([deleted.operation, deleted.object, deleted.oldObject.data], ["DELETE", null, { b: "1" }]);
  assertEquals(deleted.options, {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    propagationPolicy: "Background",
  });
});

Deno.test("ApiServer stores what mutating webhooks make of an object, in the order of their configurations", async () => {
  using rig = new Rig();
  await rig.hook("mutating", "b", ({ object }) => patch(label("by", `${object.metadata.labels.by}b`))());
  await rig.hook("mutating", "a", patch(label("by", "a")));
  const { body } = await rig.api.post(CONFIG_MAPS, { metadata: { name: "x" } });
  assertEquals(body.metadata.labels, { by: "ab" });
  assertEquals(rig.asked[0].object.metadata.uid, undefined, "an object that is not yet made has no uid");
  assertEquals((await rig.api.get(`${CONFIG_MAPS}/x`)).body.metadata.uid, body.metadata.uid);
});

Deno.test("withWebhooks: webhooks are called once for the same object, however often the write is made; time and randomness are the same each time, so that a new object keeps its name and its uid", async () => {
  using rig = new Rig();
  await rig.hook("mutating", "m", patch(label("by", "m")));
  await rig.hook("validating", "v", allow);
  const { status, body } = await rig.api.post(CONFIG_MAPS, { metadata: { generateName: "x-" } });
  assertEquals([status, rig.asked.length], [201, 2]);
  const { resourceVersion: _, ...metadata } = body.metadata;
  assertEquals(rig.asked[1].object.metadata, metadata);
});

Deno.test("ApiServer asks again, about the newest object, when that changes while a webhook thinks", async () => {
  using rig = new Rig();
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { n: "0" } });
  await rig.hook("validating", "v", async ({ object }) => {
    // A write of somebody else's that no webhook is asked about, since it is under way already.
    if (rig.asked.length === 1) {
      rig.api.server.storeUnchecked({
        group: "",
        version: "v1",
        plural: "configmaps",
        kind: "ConfigMap",
        namespaced: true,
      }, {
        ...object,
        data: { n: "1" },
      });
      await Promise.resolve();
    }
    return { allowed: true };
  });
  const { body } = await rig.api.patch(`${CONFIG_MAPS}/a`, { data: { own: "x" } });
  assertEquals(body.data, { n: "1", own: "x" });
  assertEquals(rig.asked.map(({ object }) => object.data), [{ n: "0", own: "x" }, { n: "1", own: "x" }]);
});

Deno.test("ApiServer asks a mutating webhook once more that wants it, if another changed the object after it", async () => {
  using rig = new Rig();
  const counted = (name: string) => () => {
    counts[name]++;
    return name === "b" ? patch(label("by", "b"))() : { allowed: true };
  };
  const counts: Record<string, number> = { a: 0, b: 0, c: 0 };
  await rig.hook("mutating", "a", counted("a"), { reinvocationPolicy: "IfNeeded" });
  await rig.hook("mutating", "b", counted("b"), { reinvocationPolicy: "IfNeeded" });
  await rig.hook("mutating", "c", counted("c"));
  assertEquals((await rig.api.post(CONFIG_MAPS, { metadata: { name: "x" } })).status, 201);
  assertEquals(counts, { a: 2, b: 1, c: 1 });
});

Deno.test("ApiServer fills in once more what webhooks have added to a pod", async () => {
  using rig = new Rig();
  await rig.api.account("default");
  await rig.api.post("/api/v1/namespaces/default/limitranges", {
    metadata: { name: "l" },
    spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
  });
  const container = { name: "side", image: "i:1" };
  await rig.hook("mutating", "m", patch({ op: "add", path: "/spec/containers/-", value: container }), {
    rule: { resources: ["pods"] },
  });
  const { status, body } = await rig.api.post(PODS, pod("p"));
  assertEquals(status, 201, JSON.stringify(body));
  assertEquals(body.spec.containers[1].resources.limits, { cpu: "1" });
  assertEquals(body.spec.containers[1].terminationMessagePath, "/dev/termination-log");
});

Deno.test("ApiServer validates what webhooks have made of an object", async () => {
  using rig = new Rig();
  await rig.hook("mutating", "m", patch(label("not a label!", "x")));
  const { status, body } = await rig.api.post(CONFIG_MAPS, { metadata: { name: "x" } });
  assertEquals([status, body.reason], [422, "Invalid"]);
});

Deno.test("ApiServer does not let a webhook move an object to another name or namespace", async () => {
  using rig = new Rig();
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const replace = (path: string) => patch({ op: "replace", path, value: "kube-system" });
  let answer = replace("/metadata/name");
  await rig.hook("mutating", "m", () => answer());
  const renamed = await rig.api.patch(`${CONFIG_MAPS}/a`, { data: { b: "1" } });
  assertEquals(renamed.status, 422);
  assertStringIncludes(renamed.body.message, "field is immutable");
  answer = replace("/metadata/namespace");
  for (const sent of [rig.api.patch(`${CONFIG_MAPS}/a`, {}), rig.api.post(CONFIG_MAPS, { metadata: { name: "b" } })]) {
    const { status, body } = await sent;
    assertEquals([status, body.message], [
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
  }
});

Deno.test("ApiServer asks a webhook only about what its rules name", async () => {
  const cases: readonly (readonly [rule: Rule, asked: number])[] = [
    [{}, 3],
    [{ operations: ["CREATE"] }, 1],
    [{ operations: ["UPDATE", "DELETE"] }, 2],
    [{ resources: ["*"] }, 3],
    [{ resources: ["*/*"] }, 3],
    [{ resources: ["configmaps/status"] }, 0],
    [{ resources: ["secrets"] }, 0],
    [{ apiGroups: ["apps"] }, 0],
    [{ apiVersions: ["v2"] }, 0],
    [{ scope: "Namespaced" }, 3],
    [{ scope: "Cluster" }, 0],
  ];
  for (const [rule, asked] of cases) {
    using rig = new Rig();
    await rig.hook("validating", "v", allow, { rule });
    await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
    await rig.api.patch(`${CONFIG_MAPS}/a`, { data: { b: "1" } });
    await rig.api.delete(`${CONFIG_MAPS}/a`);
    assertEquals(rig.asked.length, asked, JSON.stringify(rule));
  }
});

Deno.test("ApiServer asks a webhook only about objects and namespaces that it selects", async () => {
  using rig = new Rig();
  const selected = { matchLabels: { checked: "yes" } };
  await rig.hook("validating", "o", allow, { objectSelector: selected });
  await rig.hook("validating", "n", allow, { namespaceSelector: selected });
  const names = () => rig.asked.splice(0).map(({ object, oldObject }) => (object ?? oldObject).metadata.name);
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "plain" } });
  assertEquals(names(), []);
  await rig.api.post(CONFIG_MAPS, { metadata: { name: "labelled", labels: { checked: "yes" } } });
  assertEquals(names(), ["labelled"]);
  await rig.api.patch(`${CONFIG_MAPS}/labelled`, { metadata: { labels: { checked: null } } });
  assertEquals(names(), ["labelled"], "what it was counts too");
  await rig.api.patch("/api/v1/namespaces/default", { metadata: { labels: { checked: "yes" } } });
  await rig.api.delete(`${CONFIG_MAPS}/plain`);
  assertEquals(names(), ["plain"]);
});

Deno.test("ApiServer asks no webhook about webhooks and policies, so that they can be repaired", async () => {
  using rig = new Rig();
  await rig.hook("validating", "v", () => ({ allowed: false }), { rule: { resources: ["*"] } });
  await rig.configure("mutating", "m");
  const path = `${CONFIGURATIONS}/validatingwebhookconfigurations/v`;
  assertEquals((await rig.api.delete(path)).status, 200);
  assertEquals(rig.asked, []);
});

Deno.test("ApiServer shows a webhook the version that it asks for", async () => {
  using rig = new Rig();
  const rule = { resources: ["horizontalpodautoscalers"], apiGroups: ["autoscaling"], apiVersions: ["v1"] };
  await rig.hook("mutating", "m", patch({ op: "replace", path: "/spec/targetCPUUtilizationPercentage", value: 70 }), {
    rule,
  });
  const metrics = [{
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
  }];
  const { status, body } = await rig.api.post("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", {
    metadata: { name: "h" },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, metrics },
  });
  assertEquals(status, 201, JSON.stringify(body));
  const [{ kind, requestKind, object }] = rig.asked;
  assertEquals([kind.version, requestKind.version, object.apiVersion], ["v1", "v2", "autoscaling/v1"]);
  assertEquals(object.spec.targetCPUUtilizationPercentage, 50);
  assertEquals(body.spec.metrics[0].resource.target.averageUtilization, 70);
});

Deno.test("ApiServer asks no webhook for an equivalent version whose match policy is Exact", async () => {
  using rig = new Rig();
  const rule = { resources: ["events"], apiGroups: ["events.k8s.io"] };
  await rig.hook("validating", "v", allow, { rule, matchPolicy: "Exact" });
  const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
  await rig.api.post("/api/v1/namespaces/default/events", { metadata: { name: "e" }, involvedObject });
  assertEquals(rig.asked, []);
});

Deno.test("ApiServer shows webhooks a Scale as what is changed through scale", async () => {
  using rig = new Rig();
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const labels = { app: "a" };
  await rig.api.post(path, {
    metadata: { name: "d" },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod("x").spec } },
  });
  const rule = { resources: ["deployments/scale"], apiGroups: ["apps"] };
  await rig.hook("mutating", "m", patch({ op: "replace", path: "/spec/replicas", value: 4 }), { rule });
  const { status, body } = await rig.api.patch(`${path}/d/scale`, { spec: { replicas: 9 } });
  assertEquals([status, body.spec.replicas], [200, 4], JSON.stringify(body));
  const [{ kind, subResource, object, oldObject, operation }] = rig.asked;
  assertEquals([kind, subResource, operation], [
    { group: "autoscaling", version: "v1", kind: "Scale" },
    "scale",
    "UPDATE",
  ]);
  assertEquals([object.spec.replicas, oldObject.spec.replicas, object.kind], [9, 1, "Scale"]);
});

Deno.test("ApiServer asks webhooks about each of a collection that is deleted", async () => {
  using rig = new Rig();
  for (const name of ["a", "b"]) await rig.api.post(CONFIG_MAPS, { metadata: { name } });
  await rig.hook("validating", "v", ({ oldObject }) => ({ allowed: oldObject.metadata.name !== "b" }), {
    rule: { operations: ["DELETE"] },
  });
  const { status, body } = await rig.api.delete(CONFIG_MAPS);
  assertEquals([status, body.message], [
    400,
    'admission webhook "v.example.com" denied the request without explanation',
  ]);
  assertEquals([(await rig.api.get(`${CONFIG_MAPS}/a`)).status, (await rig.api.get(`${CONFIG_MAPS}/b`)).status], [
    404,
    200,
  ]);
});

Deno.test("ApiServer asks about bindings, evictions and tokens what is posted", async () => {
  using rig = new Rig();
  await rig.api.account("default");
  await rig.api.post(PODS, pod("p"));
  await rig.hook("validating", "v", allow, { rule: { resources: ["pods/*", "serviceaccounts/*"] } });
  await rig.api.post(`${PODS}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } });
  await rig.api.post("/api/v1/namespaces/default/serviceaccounts/default/token", { spec: {} });
  await rig.api.post(`${PODS}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } });
  const seen = rig.asked.map(({ operation, kind, subResource, name }) => [operation, kind.kind, subResource, name]);
  assertEquals(seen, [
    ["CREATE", "Binding", "binding", "p"],
    ["CREATE", "TokenRequest", "token", "default"],
    ["CREATE", "Eviction", "eviction", "p"],
  ]);
});

Deno.test("ApiServer passes on what webhooks warn of, also when they deny", async () => {
  using rig = new Rig();
  await rig.hook("validating", "v", ({ object }) => ({ allowed: !object.data, warnings: ["take care"] }));
  for (const data of [undefined, { a: "1" }]) {
    const { headers } = await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" }, data });
    assertEquals(headers.get("warning"), '299 - "take care"');
  }
});

Deno.test("ApiServer asks for a dry run only webhooks that take one", async () => {
  using rig = new Rig();
  await rig.hook("validating", "v", allow);
  const { body: { metadata, webhooks } } = await rig.api.get(`${CONFIGURATIONS}/validatingwebhookconfigurations/v`);
  // As an older server may have left it behind: it is not taken any more.
  rig.api.server.storeUnchecked(VALIDATINGWEBHOOKCONFIGURATIONS, {
    metadata,
    webhooks: [{ ...webhooks[0], sideEffects: "Some" }],
  });
  const { status, body } = await rig.api.post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: "a" } });
  assertEquals([status, body.message], [400, 'admission webhook "v.example.com" does not support dry run']);
  assertEquals(rig.asked, []);
});

Deno.test("ApiServer refuses webhooks that could not be called", async () => {
  using rig = new Rig();
  const complaints = async (webhook: Loose) => {
    const { body } = await rig.api.post(`${CONFIGURATIONS}/validatingwebhookconfigurations?dryRun=All`, {
      metadata: { name: "v" },
      webhooks: [{
        name: "v.example.com",
        clientConfig: { url: URL_OF_HOOK },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        ...webhook,
      }],
    });
    return (body.details?.causes ?? []).map(({ field, message }: Loose) => `${field}: ${message}`);
  };
  assertEquals(await complaints({}), []);
  const form = "must be https://host[/path], without user, query or fragment";
  for (const url of ["http://h/x", "https:///x", "https://u:p@h/x", "https://h/x?a=b", "https://h/x#c"]) {
    assertEquals(await complaints({ clientConfig: { url } }), [
      `webhooks[0].clientConfig.url: Invalid value: "${url}": ${form}`,
    ]);
  }
  assertEquals(await complaints({ clientConfig: {}, timeoutSeconds: 31, admissionReviewVersions: ["v9"] }), [
    "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
    "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
    'webhooks[0].admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
  ]);
});

Deno.test("ApiServer takes what does not answer as the failure policy says", async () => {
  const base = 'Internal error occurred: failed calling webhook "v.example.com": ';
  const post = `failed to call webhook: Post "${URL_OF_HOOK}?timeout=10s": `;
  const uid = "received invalid webhook response: ";
  const review = (response: Loose) => async (request: Request) =>
    Response.json({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: (await request.json()).request.uid, ...response },
    });
  const cases: readonly (readonly [handler: WebhookHandler | undefined, why: string])[] = [
    [
      undefined,
      `${post}dial tcp hooks.example.com: this server reaches no webhooks but those that were added to it`,
    ],
    [() => Promise.reject(new Error("broken")), `${post}broken`],
    [
      () => new Response("oh no", { status: 500 }),
      'failed to call webhook: an error on the server ("oh no") has prevented the request from succeeding',
    ],
    [
      () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example.com" } }),
      "failed to call webhook: the server responded with the status code 302 but did not return more information",
    ],
    [() => new Response("null"), `${uid}webhook response was absent`],
    [() => Response.json({ response: {} }), `${uid}expected response.uid=`],
    [review({ allowed: true, patch: "W10=", patchType: "JSONPatch" }), `${uid}validating webhook may not return`],
    [() => new Response("{"), "failed to call webhook: couldn't get version/kind; json parse error: "],
  ];
  for (const [handler, why] of cases) {
    using rig = new Rig();
    if (handler) rig.serve(URL_OF_HOOK, handler);
    await rig.configure("validating", "v");
    const failed = await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
    assertEquals([failed.status, failed.body.reason], [500, "InternalError"]);
    assertStringIncludes(failed.body.message, base + why);
    await rig.api.patch(`${CONFIGURATIONS}/validatingwebhookconfigurations/v`, [
      { op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" },
    ], JSON_PATCH);
    assertEquals((await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } })).status, 201);
  }
});

Deno.test("ApiServer says why it does not reach the Service of a webhook", async () => {
  using rig = new Rig();
  const clientConfig = { service: { namespace: "default", name: "policy", path: "/x" } };
  await rig.configure("validating", "v", { clientConfig });
  const why = async () => {
    const { body } = await rig.api.post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: "a" } });
    return body.message?.split('?timeout=10s": ')[1];
  };
  assertEquals(await why(), 'service "policy" not found');
  const services = "/api/v1/namespaces/default/services";
  await rig.api.post(services, { metadata: { name: "policy" }, spec: { ports: [{ port: 80 }] } });
  assertEquals(await why(), 'no service port 443 found for service "policy"');
  await rig.api.patch(`${services}/policy`, { spec: { ports: [{ port: 443 }] } });
  assertStringIncludes(await why(), "the pods behind a Service are simulated and answer nothing; use clientConfig.url");
  rig.serve("https://policy.default.svc", async (request) => {
    assertEquals(new URL(request.url).pathname, "/x");
    const { request: { uid }, ...review } = await request.json();
    return Response.json({ ...review, response: { uid, allowed: true } });
  });
  assertEquals(await why(), undefined);
});

Deno.test("callWebhook: it ends within the webhook's timeout, whatever the webhook does", async () => {
  using rig = new Rig();
  rig.serve(URL_OF_HOOK, () => new Promise(() => {}));
  await rig.configure("validating", "v", { timeoutSeconds: 2 });
  const creation = rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  await rig.api.world.clock.advance(2000);
  const { status, body } = await creation;
  assertEquals(status, 500);
  assertStringIncludes(body.message, `Post "${URL_OF_HOOK}?timeout=2s": context deadline exceeded`);
  assertEquals(rig.api.world.clock.pendingTimers, 0);
});

Deno.test("withWebhooks: it ends after 34 seconds, whatever webhooks do", async () => {
  using rig = new Rig();
  rig.serve(URL_OF_HOOK, () => new Promise(() => {}));
  for (const name of ["a", "b", "c", "d"]) await rig.configure("mutating", name, { failurePolicy: "Ignore" });
  const creation = rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  for (let i = 0; i < 34; i++) await rig.api.world.clock.advance(1000);
  const { status, body } = await creation;
  assertEquals([status, body.reason, body.message], [
    504,
    "Timeout",
    "Timeout: request did not complete within requested timeout - context deadline exceeded",
  ]);
  assertEquals(rig.api.world.clock.pendingTimers, 0);
});

Deno.test("callWebhook: no more than 3 MiB of a response are read, and no redirect is followed", async () => {
  using rig = new Rig();
  let sent = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
  rig.serve(URL_OF_HOOK, () => new Response(body()));
  await rig.configure("validating", "v");
  const { body: { message } } = await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  assertStringIncludes(message, "it is longer than 3145728 bytes");
  assert(sent < 4 * 1024 * 1024, `${sent} bytes were sent`);
  for (const status of [301, 302, 303, 307, 308]) {
    using redirected = new Rig();
    let followed = 0;
    redirected.serve("https://elsewhere.example.com", () => (followed++, Response.json({})));
    const location = "https://elsewhere.example.com/";
    redirected.serve(URL_OF_HOOK, () => new Response(null, { status, headers: { location } }));
    await redirected.configure("validating", "v");
    const refused = await redirected.api.post(CONFIG_MAPS, { metadata: { name: "a" } });
    assertStringIncludes(refused.body.message, `the server responded with the status code ${status}`);
    assertEquals([refused.status, followed], [500, 0]);
  }
});

Deno.test("ApiServer refuses a webhook's patch that grows without end", async () => {
  using rig = new Rig();
  const double = [{ op: "copy", from: "/data", path: "/data/a" }, { op: "copy", from: "/data", path: "/data/b" }];
  await rig.hook("mutating", "m", patch(...Array.from({ length: 60 }, () => double).flat()));
  const { status, body } = await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { x: "x".repeat(1000) } });
  assertEquals(status, 500);
  assertStringIncludes(body.message, "the accumulated size increase of copy operations is");
});

Deno.test("ApiServer shows custom resources to webhooks, and takes their changes over with defaults", async () => {
  using rig = new Rig();
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { size: { type: "integer" }, color: { type: "string", default: "red" } } },
    },
  };
  const version = (name: string, storage: boolean) => ({
    name,
    storage,
    served: true,
    schema: { openAPIV3Schema: schema },
  });
  await rig.api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "bees.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "bees", kind: "Bee" },
      versions: [version("v1", true), version("v2", false)],
    },
  });
  await rig.api.world.clock.advance(1000);
  await rig.hook("mutating", "m", patch({ op: "add", path: "/spec", value: { size: 3 } }), {
    rule: { resources: ["bees"], apiVersions: ["v2"] },
  });
  const { status, body } = await rig.api.post("/apis/example.com/v1/namespaces/default/bees", {
    apiVersion: "example.com/v1",
    kind: "Bee",
    metadata: { name: "b" },
  });
  assertEquals([status, body.apiVersion, body.spec], [201, "example.com/v1", { color: "red", size: 3 }]);
  assertEquals([rig.asked[0].object.apiVersion, rig.asked[0].requestKind.version], ["example.com/v2", "v1"]);
});

Deno.test("ApiServer says that it does not enforce policies, nor evaluate match conditions", async () => {
  using rig = new Rig();
  const warning = async (path: string, body: Loose) => {
    const answer = await rig.api.post(`${CONFIGURATIONS}/${path}`, body);
    assertEquals(answer.status, 201, JSON.stringify(answer.body));
    return answer.headers.get("warning");
  };
  const metadata = { name: "p" };
  const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["*"] };
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "false" }] };
  const binding = { policyName: "p", validationActions: ["Deny"] };
  const why = (what: string, so: string) =>
    `299 - "${what} and their bindings are stored, but this server does not enforce them: ${so}"`;
  const validating = why("ValidatingAdmissionPolicies", "objects that violate them are accepted");
  const mutating = why("MutatingAdmissionPolicies", "objects stay as they are");
  assertEquals(await warning("validatingadmissionpolicies", { metadata, spec }), validating);
  assertEquals(await warning("validatingadmissionpolicybindings", { metadata, spec: binding }), validating);
  assertEquals(await warning("mutatingadmissionpolicies", { metadata, spec: { mutations: [] } }), mutating);
  assertEquals(await warning("mutatingadmissionpolicybindings", { metadata, spec: { policyName: "p" } }), mutating);
  const webhook = {
    name: "v.example.com",
    clientConfig: { url: URL_OF_HOOK },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
  };
  const conditions = { ...webhook, matchConditions: [{ name: "c", expression: "false" }] };
  assertEquals(
    await warning("validatingwebhookconfigurations", { metadata, webhooks: [conditions] }),
    '299 - "matchConditions are stored, but this server does not evaluate them: webhooks are called as if they were met"',
  );
  assertEquals(await warning("mutatingwebhookconfigurations", { metadata, webhooks: [webhook] }), null);
  const touched = await rig.api.patch(`${CONFIGURATIONS}/validatingadmissionpolicies/p`, {
    metadata: { labels: { a: "b" } },
  });
  assertEquals([touched.status, touched.headers.get("warning")], [200, null]);
});

Deno.test("ApiServer asks a thousand webhooks, sixteen at a time", async () => {
  using rig = new Rig();
  let open = 0;
  let mostOpen = 0;
  rig.serve(URL_OF_HOOK, async (request) => {
    mostOpen = Math.max(mostOpen, ++open);
    const { request: { uid }, ...review } = await request.json();
    await rig.api.world.clock.nextTurn();
    open--;
    return Response.json({ ...review, response: { uid, allowed: true } });
  });
  const webhook = {
    clientConfig: { url: URL_OF_HOOK },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["configmaps"] }],
  };
  await rig.api.post(`${CONFIGURATIONS}/validatingwebhookconfigurations`, {
    metadata: { name: "v" },
    webhooks: Array.from({ length: 1000 }, (_, i) => ({ name: `h${i}.example.com`, ...webhook })),
  });
  assertEquals((await rig.api.post(CONFIG_MAPS, { metadata: { name: "a" } })).status, 201);
  assertEquals(mostOpen, 16);
});
