import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { NOTHING, parseLabelSelector, type Resource } from "../../../../src/api/mod.ts";
import { Client, NoMatchError } from "../../../../src/client/mod.ts";
import {
  CustomMetricsVersion,
  type MetricsApi,
  metricsApi,
} from "../../../../src/controllers/horizontal_pod_autoscaler/metrics_api/mod.ts";
import { NOW_MS } from "../fake_times.ts";

/** What the metrics APIs are asked, and how answers are read. */

const SELECTOR = parseLabelSelector("app=x");
const TIME = "2026-01-01T00:00:00Z";
const V2 = "custom.metrics.k8s.io/v1beta2";
const CUSTOM = {
  name: "custom.metrics.k8s.io",
  versions: [{ groupVersion: V2 }],
  preferredVersion: { groupVersion: V2 },
};
const SERVICE = { apiVersion: "v1", kind: "Service", name: "s" };

/** A server that gives these answers by path, and says what it was asked. */
function server(answers: Readonly<Record<string, unknown>>) {
  const world = new FakeWorld();
  const asked: string[] = [];
  const transport = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(decodeURIComponent(pathname + search));
    const answer = answers[pathname];
    if (answer === undefined) return Promise.resolve(new Response("404 page not found\n", { status: 404 }));
    return Promise.resolve(Response.json(answer));
  };
  const client = new Client({ world, transport, server: "http://x", userAgent: "test" });
  const resources: Record<string, Resource> = {
    Pod: { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true },
    Service: { group: "", version: "v1", plural: "services", kind: "Service", namespaced: true },
    Ingress: { group: "networking.k8s.io", version: "v1", plural: "ingresses", kind: "Ingress", namespaced: true },
  };
  const mapper = {
    resourceFor: (query: { group: string; kind: string }) =>
      resources[query.kind]
        ? Promise.resolve({ ...resources[query.kind], verbs: [], subresources: [] })
        : Promise.reject(new NoMatchError(query)),
  };
  return { world, asked, api: metricsApi({ clock: world.clock, client, mapper, versionPeriodMs: 15_000 }) };
}

function resourceOf(items: unknown[], container?: string) {
  const { api } = server({ "/apis/metrics.k8s.io/v1beta1/namespaces/a/pods": { items } });
  return api.resourceMetrics({ resource: "cpu", namespace: "a", selector: SELECTOR, container });
}

const usage = (name: string, cpu?: string) => ({ name, usage: cpu === undefined ? {} : { cpu } });
const item = (name: string, ...containers: unknown[]) => ({
  metadata: { name },
  timestamp: TIME,
  window: "30s",
  containers,
});

Deno.test("resourceMetrics adds up the containers of pods of which all are known", async () => {
  const items = [
    item("p", usage("c", "100m"), usage("d", "1")),
    item("q", usage("c", "1500u"), usage("d")),
    item("r"),
    item("s", usage("c", "1500u")),
  ];
  const metric = (value: bigint) => ({ value, timestampMs: NOW_MS, windowMs: 30_000 });
  assertEquals([...await resourceOf(items)], [["p", metric(1100n)], ["s", metric(2n)]]);
  assertEquals([...await resourceOf(items, "d")], [["p", metric(1000n)]]);
});

Deno.test("resourceMetrics knows no amount of a resource that is called like what objects inherit", async () => {
  const { api } = server({ "/apis/metrics.k8s.io/v1beta1/namespaces/a/pods": { items: [item("p", usage("c", "1"))] } });
  assertEquals([...await api.resourceMetrics({ resource: "constructor", namespace: "a", selector: SELECTOR })], []);
});

Deno.test("resourceMetrics fails in upstream's words", async () => {
  await assertRejects(() => resourceOf([]), Error, "no metrics returned from resource metrics API");
  const { api, asked } = server({});
  await assertRejects(
    () => api.resourceMetrics({ resource: "cpu", namespace: "a", selector: SELECTOR }),
    Error,
    "unable to fetch metrics from resource metrics API: " +
      "the server could not find the requested resource (get pods.metrics.k8s.io)",
  );
  assertEquals(asked, ["/apis/metrics.k8s.io/v1beta1/namespaces/a/pods?labelSelector=app=x"]);
});

const pods = (api: MetricsApi) =>
  api.podsMetrics({ metric: "qps", namespace: "a", selector: SELECTOR, metricSelector: parseLabelSelector("k=v") });

Deno.test("podsMetrics asks in the version that the server prefers, and looks it up once a period", async () => {
  const path = `/apis/${V2}/namespaces/a/pods/*/qps`;
  const items = [
    { describedObject: { name: "p" }, timestamp: TIME, windowSeconds: 20, value: "15" },
    { describedObject: { name: "q" }, timestamp: TIME, window: 10, value: "1500m" },
    { describedObject: { name: "r" }, timestamp: TIME, value: "0" },
  ];
  const { api, asked, world } = server({ "/apis": { groups: [CUSTOM] }, [path]: { items } });
  assertEquals([...await pods(api)].map(([name, { value, windowMs }]) => [name, value, windowMs]), [
    ["p", 15_000n, 20_000],
    ["q", 1500n, 10_000],
    ["r", 0n, 60_000],
  ]);
  await pods(api);
  await world.clock.advance(15_000);
  await pods(api);
  const question = `${path}?labelSelector=app=x&metricLabelSelector=k=v`;
  assertEquals(asked, ["/apis", question, question, "/apis", question]);
});

Deno.test("CustomMetricsVersion: the server is asked when the version is first needed, and not again for a period", async () => {
  const clock = new FakeWorld().clock;
  let asked = 0;
  const request = <T>() => {
    asked++;
    return Promise.resolve({ groups: [CUSTOM] } as T);
  };
  const version = new CustomMetricsVersion({ clock, client: { request }, periodMs: 15_000 });
  const counts: number[] = [];
  for (const waitMs of [20_000, 0, 14_999, 1]) {
    await clock.advance(waitMs);
    assertEquals(await version.current(), V2);
    counts.push(asked);
  }
  assertEquals(counts, [1, 1, 1, 2]);
});

Deno.test("CustomMetricsVersion: it is the one that the server prefers, if we know it, else the first that we know; CustomMetricsVersion: a failure is not kept", async () => {
  const chosen = async (versions: string[], preferred: string) => {
    const groupVersion = (version: string) => ({ groupVersion: `custom.metrics.k8s.io/${version}` });
    const group = {
      name: CUSTOM.name,
      versions: versions.map(groupVersion),
      preferredVersion: groupVersion(preferred),
    };
    const { api, asked } = server({ "/apis": { groups: [group] } });
    const error = await assertRejects(() => pods(api), Error);
    return asked[1]?.split("/")[3] ?? error.message;
  };
  assertEquals(await chosen(["v1beta2", "v1beta1"], "v1beta1"), "v1beta1");
  assertEquals(await chosen(["v2", "v1beta1", "v1beta2"], "v2"), "v1beta1");
  const failed = "unable to fetch metrics from custom metrics API: ";
  assertEquals(await chosen(["v2"], "v2"), `${failed}no known available metric versions found`);
  const { api, asked } = server({ "/apis": { groups: [] } });
  const message = `${failed}no custom metrics API (custom.metrics.k8s.io) registered`;
  await assertRejects(() => pods(api), Error, message);
  await assertRejects(() => pods(api), Error, message);
  assertEquals(asked, ["/apis", "/apis"]);
});

Deno.test("objectMetric asks for one object, by its kind's resource", async () => {
  const one = { items: [{ value: "2500m" }] };
  const base = `/apis/${V2}/namespaces/a`;
  const { api } = server({
    "/apis": { groups: [CUSTOM] },
    [`${base}/services/s/hits`]: one,
    [`${base}/ingresses.networking.k8s.io/s/hits`]: one,
    [`${base}/metrics/hits`]: one,
    [`${base}/services/two/hits`]: { items: [...one.items, ...one.items] },
  });
  const ask = (object: { apiVersion?: string; kind: string; name: string }) =>
    api.objectMetric({ metric: "hits", namespace: "a", object, metricSelector: NOTHING });
  assertEquals(await ask(SERVICE), 2500n);
  assertEquals(await ask({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "s" }), 2500n);
  assertEquals(await ask({ apiVersion: "v1", kind: "Namespace", name: "other" }), 2500n);
  const failed = "unable to fetch metrics from custom metrics API: ";
  const rejects = (object: typeof SERVICE, why: string) => assertRejects(() => ask(object), Error, failed + why);
  await rejects(
    { ...SERVICE, name: "two" },
    "the custom metrics API server returned 2 results when we asked for exactly one",
  );
  await rejects(
    { ...SERVICE, name: "no" },
    "the server could not find the requested resource (get services.custom.metrics.k8s.io no)",
  );
  await rejects(
    { apiVersion: "x.io/v1", kind: "X", name: "s" },
    'unable to map kind X.x.io to resource: no matches for kind "X" in group "x.io"',
  );
});

Deno.test("externalMetrics gives every series", async () => {
  const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/a/";
  const { api, asked } = server({
    [`${path}depth`]: { items: [{ value: "1" }, { value: "1500m" }] },
    [`${path}none`]: {},
  });
  const ask = (metric: string) => api.externalMetrics({ metric, namespace: "a", metricSelector: SELECTOR });
  assertEquals(await ask("depth"), [1000n, 1500n]);
  assertEquals(asked, [`${path}depth?labelSelector=app=x`]);
  await assertRejects(() => ask("none"), Error, "no metrics returned from external metrics API");
  await assertRejects(
    () => ask("a|b"),
    Error,
    "unable to fetch metrics from external metrics API: " +
      "the server could not find the requested resource (get a|b.external.metrics.k8s.io)",
  );
});
