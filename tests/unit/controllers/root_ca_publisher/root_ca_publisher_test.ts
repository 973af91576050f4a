import { assertEquals } from "@std/assert";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { type ConfigMap, CONFIGMAPS, type Namespace, NAMESPACES } from "../../../../src/api/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { ROOT_CA_PUBLISHER_CONTROLLER } from "../../../../src/controllers/root_ca_publisher/mod.ts";
import { fakeContext } from "../context.ts";
import { RecordedClient } from "../recorded_client.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";

const CA = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n\n";
const DESCRIPTION =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the " +
  "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes " +
  "clusters.";
const ANNOTATIONS = { "kubernetes.io/description": DESCRIPTION };
const NAMESPACE: Namespace = { metadata: { name: "ns" }, status: { phase: "Active" } };

function published(more: Partial<ConfigMap> = {}, annotations?: Record<string, string>): ConfigMap {
  const metadata = { name: "kube-root-ca.crt", namespace: "ns", annotations: annotations ?? ANNOTATIONS };
  return { metadata, data: { "ca.crt": CA }, ...more };
}

function setUp({ cached, rootCaText = CA }: { cached?: ConfigMap; rootCaText?: string } = {}) {
  const world = new FakeWorld();
  const metrics = new MetricsRegistry();
  const client = new RecordedClient(world);
  client.store(NAMESPACES, NAMESPACE);
  const namespaces = new FakeInformer<Namespace>({ hasSynced: false });
  const configMaps = new FakeInformer<ConfigMap>();
  if (cached) configMaps.add(client.store(CONFIGMAPS, cached)[0]);
  const informers = [[NAMESPACES, namespaces], [CONFIGMAPS, configMaps]] as const;
  const context = fakeContext({ world, metrics, client, informers, files: { "root-ca-file": rootCaText } });
  const publisher = ROOT_CA_PUBLISHER_CONTROLLER.build(context, {}) as Controller;
  const stop = new AbortController();
  const running = publisher.run(stop.signal);
  const syncs = (code: string) =>
    metrics.counter({ name: "root_ca_cert_publisher_sync_total", help: "" }).value([code]);
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  const writes = async () => {
    await world.clock.advance(1);
    return client.lines.map((call) => call.split(" ").slice(0, 3).join(" "));
  };
  return { world, metrics, client, namespaces, configMaps, syncs, writes, end };
}

Deno.test("RootCaPublisher creates the ConfigMap in a namespace that is added, whatever its phase", async () => {
  for (const phase of ["Active", "Terminating", undefined]) {
    const { client, namespaces, writes, end } = setUp();
    namespaces.add({ ...NAMESPACE, status: { phase } });
    await writes();
    const body = {
      metadata: { name: "kube-root-ca.crt", namespace: "ns", annotations: ANNOTATIONS },
      data: { "ca.crt": CA },
    };
    assertEquals(client.lines, [`create configmaps ns/kube-root-ca.crt ${JSON.stringify(body)}`]);
    await end();
  }
});

Deno.test("RootCaPublisher publishes an empty text too", async () => {
  const { client, namespaces, writes, end } = setUp({ rootCaText: "" });
  namespaces.add(NAMESPACE);
  await writes();
  assertEquals(client.lines[0].endsWith('"data":{"ca.crt":""}}'), true);
  await end();
});

Deno.test("RootCaPublisher does not wait for namespaces, which it never reads", async () => {
  const { configMaps, writes, end } = setUp({ cached: published({ data: {} }) });
  configMaps.update(published({ data: {} }));
  assertEquals(await writes(), ["put configmaps ns/kube-root-ca.crt"]);
  await end();
});

Deno.test("RootCaPublisher creates the ConfigMap again when it was deleted, seen or missed", async () => {
  for (const deleted of [published(), new DeletedFinalStateUnknown<ConfigMap>("ns/kube-root-ca.crt", undefined)]) {
    const { client, configMaps, writes, end } = setUp({ cached: published() });
    client.remove(CONFIGMAPS, "ns/kube-root-ca.crt");
    configMaps.delete(deleted);
    assertEquals(await writes(), ["create configmaps ns/kube-root-ca.crt"]);
    await end();
  }
});

Deno.test("RootCaPublisher ignores other ConfigMaps and additions", async () => {
  const { configMaps, writes, end } = setUp({ cached: published() });
  const other: ConfigMap = { metadata: { name: "other", namespace: "ns" } };
  configMaps.add(other);
  configMaps.update({ ...other, data: { "ca.crt": "x" } });
  configMaps.delete(other);
  configMaps.add({ metadata: { name: "kube-root-ca.crt", namespace: "other" } });
  assertEquals(await writes(), []);
  await end();
});

const UPDATES = [
  { title: "an extra key", wrong: published({ data: { "ca.crt": CA, extra: "x" } }) },
  { title: "another CA", wrong: published({ data: { "ca.crt": CA.trim() } }) },
  { title: "no data", wrong: published({ data: undefined }) },
  { title: "no annotation", wrong: published({}, {}) },
];

for (const { title, wrong } of UPDATES) {
  Deno.test(`RootCaPublisher corrects a ConfigMap with ${title} and keeps everything else`, async () => {
    const binaryData = { b: "AA==" };
    const { client, configMaps, writes, end } = setUp({ cached: wrong });
    configMaps.update({
      ...wrong,
      metadata: { ...wrong.metadata, resourceVersion: "101", labels: { l: "1" } },
      binaryData,
    });
    assertEquals(await writes(), ["put configmaps ns/kube-root-ca.crt"]);
    const body = JSON.parse(client.lines[0].slice(client.lines[0].indexOf("{")));
    assertEquals([body.data, body.binaryData], [{ "ca.crt": CA }, binaryData]);
    assertEquals(body.metadata.annotations, ANNOTATIONS);
    assertEquals([body.metadata.resourceVersion, body.metadata.labels], ["101", { l: "1" }]);
    await end();
  });
}

Deno.test("RootCaPublisher leaves a right ConfigMap alone, whatever its description says", async () => {
  for (const description of [DESCRIPTION, "different"]) {
    const right = published({}, { "kubernetes.io/description": description });
    const { configMaps, syncs, writes, end } = setUp({ cached: right });
    configMaps.update(right);
    assertEquals(await writes(), []);
    assertEquals(syncs("200"), 1);
    await end();
  }
});

Deno.test("RootCaPublisher looks at an updated namespace only if it is Active", async () => {
  for (const [phase, expected] of [["Active", 1], ["Terminating", 0]] as const) {
    const { client, namespaces, writes, end } = setUp();
    namespaces.add(NAMESPACE);
    await writes();
    client.remove(CONFIGMAPS, "ns/kube-root-ca.crt");
    client.calls.length = 0;
    namespaces.update({ ...NAMESPACE, status: { phase } });
    assertEquals((await writes()).length, expected);
    await end();
  }
});

Deno.test("RootCaPublisher is content when the namespace is gone or going", async () => {
  const going = namespaceTerminating();
  for (const error of [going, statusError(404, "NotFound")]) {
    const { world, client, namespaces, syncs, end } = setUp();
    client.fail("create", error);
    namespaces.add(NAMESPACE);
    await world.clock.advance(60_000);
    assertEquals([client.calls.length, syncs("200")], [1, 1]);
    await end();
  }
});

Deno.test("RootCaPublisher retries any other failure and counts it by its code", async () => {
  const cases = [
    [statusError(409, "AlreadyExists"), "409"],
    [statusError(403, "Forbidden"), "403"],
    [statusError(0, ""), "500"],
    [new TypeError("connection reset"), "500"],
    [new Error("cannot get a token", { cause: statusError(404, "NotFound") }), "500"],
  ] as const;
  for (const [error, code] of cases) {
    const { world, client, namespaces, metrics, syncs, end } = setUp();
    client.fail("create", error, { times: 2 });
    namespaces.add(NAMESPACE);
    await world.clock.advance(5 + 10);
    assertEquals([client.calls.length, syncs(code), syncs("200")], [3, 2, 1]);
    const duration = metrics.histogram({ name: "root_ca_cert_publisher_sync_duration_seconds", help: "", buckets: [] });
    assertEquals(duration.totals([code]).count, 2);
    await end();
  }
});
