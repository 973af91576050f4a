import { assertEquals, assertRejects } from "@std/assert";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import { node, pod, pods, service, ServiceRig, slice } from "./service_rig.ts";

const ENDING = "2026-01-01T00:00:00Z";

function failure(code: number, reason: string, cause?: string): Response {
  const details = cause ? { causes: [{ reason: cause }] } : undefined;
  return Response.json({ apiVersion: "v1", kind: "Status", status: "Failure", code, reason, message: "no", details }, {
    status: code,
  });
}

Deno.test("an endpoint says what its pod is", async () => {
  const rig = new ServiceRig();
  const all = [
    pod(0),
    pod(1, { ready: false }),
    pod(2, { deleting: true }),
    pod(3, { deleting: true, ready: false }),
    pod(4, { phase: "Failed" }),
    pod(5, { ips: [] }),
    pod(6, { ips: ["nonsense"] }),
  ];
  const conditions = async (publishNotReadyAddresses: boolean) => {
    rig.show(service({ publishNotReadyAddresses }), all);
    await rig.sync();
    return Object.fromEntries(
      rig.stored[0].endpoints!.map((
        { targetRef, conditions },
      ) => [targetRef!.name, [conditions!.ready, conditions!.serving, conditions!.terminating]]),
    );
  };
  assertEquals(await conditions(false), {
    p0: [true, true, false],
    p1: [false, false, false],
    p2: [false, true, true],
    p3: [false, false, true],
  });
  assertEquals(await conditions(true), {
    p0: [true, true, false],
    p1: [true, false, false],
    p2: [true, true, true],
    p3: [true, false, true],
  });
});

Deno.test("a pod whose node is unknown is left out, which is an error; one that is wanted ready or not is in", async () => {
  const rig = new ServiceRig();
  const all = [pod(0), pod(1, { node: "lost" })];
  rig.show(service(), all);
  await assertRejects(() => rig.sync(), Error, "skipping Pod p1 for Service a/web: Node lost Not Found");
  assertEquals(rig.recorder.lines, [
    "Warning FailedToUpdateEndpointSlices a/web Error updating Endpoint Slices for Service a/web: " +
    "skipping Pod p1 for Service a/web: Node lost Not Found",
  ]);
  assertEquals(rig.sizes, "1");
  rig.catchUp();
  rig.show(service({ publishNotReadyAddresses: true }), all);
  await rig.sync();
  assertEquals(rig.sizes, "2");
  rig.nodes.indexer.replace([], "1");
  rig.show(service(), all);
  await assertRejects(
    () => rig.sync(),
    AggregateError,
    "[skipping Pod p0 for Service a/web: Node n0 Not Found, skipping",
  );
  assertEquals([rig.sizes, rig.stored[0].ports ?? []], ["0", []], "what could be done was done");
});

Deno.test("Services that do not concern it are left alone", async () => {
  const rig = new ServiceRig();
  for (const spec of [{ selector: undefined }, { type: "ExternalName" }]) {
    rig.show(service(spec), pods(2));
    assertEquals(await rig.sync(), []);
  }
});

Deno.test("a cache that does not show what was written is an error without an event, and without a request", async () => {
  const rig = new ServiceRig();
  rig.show(service(), pods(1));
  await rig.sync();
  rig.slices.indexer.replace([], "1");
  await assertRejects(() => rig.sync(), StaleCacheError, "EndpointSlice informer cache is out of date");
  assertEquals([rig.written(), rig.recorder.lines], [[], []]);
  const syncs = rig.metrics.counter({ name: "endpoint_slice_controller_syncs", help: "", labels: ["result"] });
  assertEquals(["success", "stale", "error"].map((result) => syncs.value([result])), [1, 1, 0]);
});

Deno.test("slices of a Service that had the name before, or of another family, go", async () => {
  const rig = new ServiceRig();
  const former = service({ metadata: { uid: "former" } });
  rig.given(
    slice("former", former, { endpoints: [{ addresses: ["10.1.0.0"] }] }),
    slice("names", service(), { addressType: "FQDN" }),
    slice("six", service(), { addressType: "IPv6" }),
  );
  rig.show(service(), pods(1));
  assertEquals((await rig.sync()).join(), "POST,DELETE former,DELETE names,DELETE six");
  assertEquals(await rig.sync(), []);
});

Deno.test("an empty slice of a Service that had the name before is not kept", async () => {
  const rig = new ServiceRig();
  rig.given(slice("former", service({ metadata: { uid: "former" } }), { ports: [] }));
  rig.show(service());
  assertEquals(await rig.sync(), ["POST", "DELETE former"]);
});

Deno.test("a Service that is being deleted gets no new slices, but its slices are written and deleted", async () => {
  const rig = new ServiceRig();
  await rig.takeOver(service(), pods(4), [2, 2]);
  const ending = service({ metadata: { deletionTimestamp: ENDING } });
  rig.show(ending, pods(150));
  assertEquals((await rig.sync()).filter((write) => write === "POST"), []);
  const otherPort = {
    ...ending,
    spec: { ...ending.spec, ports: [{ name: "x", port: 1, targetPort: 1, protocol: "TCP" }] },
  };
  rig.show(otherPort, pods(4));
  assertEquals(await rig.sync(), ["PUT web-0", "DELETE web-1"]);
});

Deno.test("both families have slices, and one that goes takes its slices with it", async () => {
  const rig = new ServiceRig();
  const both = pods(2, {}).map((_, i) => pod(i, { ips: [`10.1.0.${i}`, `FD00::${i}`] }));
  rig.show(service({ ipFamilies: ["IPv4", "IPv6"] }), [...both, pod(7)]);
  assertEquals(await rig.sync(), ["POST", "POST"]);
  const addresses = () =>
    rig.stored.map(({ addressType, endpoints }) => `${addressType} ${endpoints!.flatMap((one) => one.addresses)}`)
      .sort();
  assertEquals(addresses(), ["IPv4 10.1.0.0,10.1.0.1,10.1.0.7", "IPv6 fd00::,fd00::1"]);
  const [six] = rig.stored.filter(({ addressType }) => addressType === "IPv6");
  rig.show(service({ ipFamilies: ["IPv4"] }));
  assertEquals(await rig.sync(), [`DELETE ${six.metadata?.name}`]);
  rig.show(service({ ipFamilies: undefined, clusterIP: "fd00::9" }));
  await rig.sync();
  assertEquals(addresses(), ["IPv6 fd00::,fd00::1"]);
  rig.show(service({ ipFamilies: undefined, clusterIP: "None" }));
  await rig.sync();
  assertEquals(addresses().length, 2);
});

Deno.test("labels are the Service's, but for those that are the slices' own", async () => {
  const rig = new ServiceRig();
  const headless = "service.kubernetes.io/headless";
  rig.show(service({ metadata: { labels: { tier: "front", [headless]: "x" } } }), pods(1));
  await rig.sync();
  const labels = () => rig.stored[0].metadata?.labels;
  const own = {
    "kubernetes.io/service-name": "web",
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
  };
  assertEquals(labels(), { ...own, tier: "front" });
  rig.show(service({ metadata: { labels: { tier: "front", [headless]: "y" } } }));
  assertEquals(await rig.sync(), [], "only a reserved one changed");
  rig.show(service({ metadata: { labels: { tier: "back" } }, clusterIP: "None" }));
  await rig.sync();
  assertEquals(labels(), { ...own, tier: "back", [headless]: "" });
});

Deno.test("what is written carries the time of the change, if there was one", async () => {
  const rig = new ServiceRig();
  const time = () => rig.stored[0].metadata?.annotations?.["endpoints.kubernetes.io/last-change-trigger-time"];
  rig.show(service(), pods(1));
  await rig.sync();
  assertEquals(time(), "2026-01-01T00:00:00Z");
  rig.show(service(), [pod(0, { ready: false, since: "2026-01-01T00:00:05Z" })]);
  await rig.sync();
  assertEquals(time(), "2026-01-01T00:00:05Z");
  rig.show(service({ metadata: { labels: { x: "y" } } }));
  await rig.sync();
  assertEquals(time(), undefined);
});

Deno.test("a headless Service without ports is written once", async () => {
  const rig = new ServiceRig();
  rig.show(service({ clusterIP: "None", ports: undefined }), pods(1));
  assertEquals(await rig.sync(), ["POST"]);
  assertEquals([rig.sizes, rig.stored[0].ports ?? []], ["1", []]);
  assertEquals(await rig.sync(), []);
});

Deno.test("in a namespace that is being deleted nothing is written, and that is not an error", async () => {
  const rig = new ServiceRig();
  await rig.takeOver(service(), pods(2), [2]);
  rig.refuse = (write) => write === "POST" ? failure(403, "Forbidden", "NamespaceTerminating") : undefined;
  rig.show(
    service(),
    pods(2).map((_, i) => pod(i, { ready: false })).concat(Array.from({ length: 200 }, (_, i) => pod(i + 2))),
  );
  assertEquals(await rig.sync(), ["POST"]);
});

Deno.test("the first request that fails ends the writes of a family, not those of the other", async () => {
  const rig = new ServiceRig();
  const spec = { ipFamilies: ["IPv4", "IPv6"] };
  rig.show(service(spec), [pod(0, { ips: ["10.1.0.1", "fd00::1"] })]);
  rig.refuse = () => rig.writes.length === 1 ? failure(500, "InternalError") : undefined;
  await assertRejects(() => rig.sync(), Error, "failed to create EndpointSlice for Service a/web: no");
  assertEquals([rig.written(), rig.stored.length], [["POST", "POST"], 1]);
  rig.refuse = () => undefined;
  rig.catchUp();
  assertEquals(await rig.sync(), ["POST"]);
});

Deno.test("a Service that is gone leaves nothing behind in memory", async () => {
  const rig = new ServiceRig();
  rig.show(service({ metadata: { annotations: { "service.kubernetes.io/topology-mode": "Auto" } } }), pods(6));
  await rig.sync();
  const { written, triggerTimes, hints, counts } = rig.context;
  assertEquals([written.size, triggerTimes.size, hints.size, counts.size], [1, 1, 1, 1]);
  rig.services.indexer.replace([], "1");
  assertEquals(await rig.sync(), []);
  assertEquals([written.size, triggerTimes.size, hints.size, counts.size], [0, 0, 0, 0]);
});

Deno.test("metrics say how many slices were changed, and whose traffic is distributed", async () => {
  const rig = new ServiceRig();
  rig.nodes.indexer.replace([node(0), node(1), node(2)], "1");
  rig.show(service({ trafficDistribution: "PreferSameZone" }), pods(150));
  await rig.sync();
  const text = rig.metrics.render();
  for (
    const line of [
      'endpoint_slice_controller_changes{operation="create"} 2',
      "endpoint_slice_controller_desired_endpoint_slices 2",
      "endpoint_slice_controller_endpoints_added_per_sync_sum 150",
      "endpoint_slice_controller_endpoints_desired 150",
      'endpoint_slice_controller_endpointslices_changed_per_sync_sum{topology="Disabled",traffic_distribution="PreferSameZone"} 2',
      "endpoint_slice_controller_num_endpoint_slices 2",
      'endpoint_slice_controller_services_count_by_traffic_distribution{traffic_distribution="PreferSameZone"} 1',
      'endpoint_slice_controller_syncs{result="success"} 1',
    ]
  ) {
    assertEquals(text.split("\n").includes(line), true, line);
  }
});
