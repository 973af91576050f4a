import { assertEquals } from "@std/assert";
import { ENDPOINTS, type Endpoints, type Service } from "../../../../src/api/mod.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";
import { address, CREATED, endpoints, HTTP, MANAGED, OVER_CAPACITY, pod, service, setUp, TRIGGER } from "./fixtures.ts";

const OF_P = [{ addresses: [address("p")], ports: [HTTP] }];

Deno.test("EndpointsController writes nothing for Services whose Endpoints are not its business", async () => {
  for (const spec of [{ selector: undefined }, { type: "ExternalName" }, { type: "ExternalName", ports: [] }]) {
    const { writes, end } = setUp({
      services: [service(spec)],
      pods: [pod("p")],
      endpoints: [endpoints([], { labels: {} })],
    });
    assertEquals(await writes(), []);
    await end();
  }
});

Deno.test("EndpointsController creates Endpoints without pods, too, with the time of the Service", async () => {
  const { client, writes, end } = setUp({ services: [service({}, { labels: { x: "1" } })] });
  assertEquals(await writes(), ["create endpoints s"]);
  assertEquals(client.all(ENDPOINTS)[0].metadata?.labels, { x: "1", ...MANAGED });
  assertEquals(client.all(ENDPOINTS)[0].metadata?.annotations, { [TRIGGER]: CREATED });
  assertEquals(client.all(ENDPOINTS)[0].subsets, undefined);
  await end();
});

/** Endpoints that are as good as what would be written for the pod `p`. */
const RIGHT: readonly (readonly [title: string, Endpoints, Service?])[] = [
  ["the same", endpoints(OF_P)],
  [
    "another version of the pod",
    endpoints([{
      addresses: [{ ...address("p"), targetRef: { ...address("p").targetRef, resourceVersion: "1" } }],
      ports: [HTTP],
    }]),
  ],
  ["one subset twice", endpoints([...OF_P, ...OF_P])],
  [
    "a label that Services without an address have",
    endpoints(OF_P, {
      labels: { ...MANAGED, "service.kubernetes.io/headless": "" },
    }),
  ],
  ["annotations of others", endpoints(OF_P, { annotations: { mine: "yes", [TRIGGER]: "2020-01-01T00:00:00Z" } })],
  ["the Service's labels", endpoints(OF_P, { labels: { ...MANAGED, x: "1" } }), service({}, { labels: { x: "1" } })],
];

for (const [title, right, of = service()] of RIGHT) {
  Deno.test(`EndpointsController leaves Endpoints alone that have ${title}`, async () => {
    const { writes, end } = setUp({ services: [of], pods: [pod("p")], endpoints: [right] });
    assertEquals(await writes(), []);
    await end();
  });
}

/** Endpoints that are not. */
const WRONG: readonly (readonly [title: string, Endpoints, Service?])[] = [
  ["nothing in them", endpoints([])],
  ["another pod", endpoints([{ addresses: [address("q")], ports: [HTTP] }])],
  ["a pod that is not ready", endpoints([{ notReadyAddresses: [address("p")], ports: [HTTP] }])],
  ["another port", endpoints([{ addresses: [address("p")], ports: [{ ...HTTP, port: 81 }] }])],
  ["no manager", endpoints(OF_P, { labels: {} })],
  ["another manager", endpoints(OF_P, { labels: { "endpoints.kubernetes.io/managed-by": "me" } })],
  ["a label too many", endpoints(OF_P, { labels: { ...MANAGED, x: "1" } })],
  ["a label too few", endpoints(OF_P), service({}, { labels: { x: "1" } })],
  [
    "another value of a label",
    endpoints(OF_P, { labels: { ...MANAGED, x: "2" } }),
    service({}, { labels: { x: "1" } }),
  ],
  ["an inherited name for a label", endpoints(OF_P, { labels: { ...MANAGED, constructor: "1" } })],
  ["an annotation that there are too many", endpoints(OF_P, { annotations: { [OVER_CAPACITY]: "warning" } })],
];

for (const [title, wrong, of = service()] of WRONG) {
  Deno.test(`EndpointsController writes Endpoints anew that have ${title}`, async () => {
    const { stored, writes, end } = setUp({ services: [of], pods: [pod("p")], endpoints: [wrong] });
    assertEquals(await writes(), ["put endpoints a/s"]);
    const { metadata, subsets } = stored();
    assertEquals([subsets, metadata?.labels], [OF_P, { ...of.metadata?.labels, ...MANAGED }]);
    assertEquals(metadata?.annotations, { [TRIGGER]: CREATED });
    await end();
  });
}

Deno.test("EndpointsController keeps what others have put into the metadata", async () => {
  const more = { annotations: { mine: "yes" }, finalizers: ["x/y"], ownerReferences: [] };
  const { stored, writes, end } = setUp({ services: [service()], pods: [pod("p")], endpoints: [endpoints([], more)] });
  assertEquals(await writes(), ["put endpoints a/s"]);
  assertEquals(stored().metadata?.annotations, { mine: "yes", [TRIGGER]: CREATED });
  assertEquals(stored().metadata?.finalizers, ["x/y"]);
  await end();
});

Deno.test("EndpointsController marks Endpoints of Services without an address", async () => {
  for (const clusterIP of ["None", "", undefined]) {
    const { stored, writes, end } = setUp({
      services: [service({ clusterIP, ports: undefined })],
      pods: [pod("p")],
      endpoints: [endpoints([{ addresses: [address("q")] }])],
    });
    assertEquals(await writes(), ["put endpoints a/s"]);
    assertEquals(stored().metadata?.labels, { ...MANAGED, "service.kubernetes.io/headless": "" });
    assertEquals(stored().subsets, clusterIP === "None" ? [{ addresses: [address("p")] }] : undefined);
    await end();
  }
});

Deno.test("EndpointsController takes a Service's own mark off that has an address, and is never content", async () => {
  const labels = { "service.kubernetes.io/headless": "x" };
  const { stored, writes, catchUp, services, end } = setUp({
    services: [service({}, { labels })],
    endpoints: [endpoints([])],
  });
  assertEquals(await writes(), ["put endpoints a/s"]);
  assertEquals(stored().metadata?.labels, MANAGED);
  catchUp();
  services.update(service({}, { labels }));
  assertEquals(await writes(), ["put endpoints a/s"]);
  await end();
});

function crowd(ready: number, notReady: number) {
  const one = (i: number, isReady: boolean) => pod(`p${i}`, { ips: [`10.${i >> 8}.${i & 255}.1`], ready: isReady });
  return Array.from({ length: ready + notReady }, (_, i) => one(i, i < ready));
}

Deno.test("EndpointsController writes at most 1,000 addresses, and says so", async () => {
  for (const [ready, notReady, left] of [[997, 4, [997, 3]], [1000, 10, [1000, 0]], [1200, 5, [1000, 0]]] as const) {
    const { stored, writes, end } = setUp({
      services: [service()],
      pods: crowd(ready, notReady),
      endpoints: [endpoints([])],
    });
    assertEquals(await writes(100), ["put endpoints a/s"]);
    const { metadata, subsets: [{ addresses = [], notReadyAddresses = [] }] = [] } = stored();
    assertEquals([addresses.length, notReadyAddresses.length], [...left]);
    assertEquals(metadata?.annotations?.[OVER_CAPACITY], "truncated");
    await end();
  }
});

Deno.test("EndpointsController takes back that there are too many once there are not", async () => {
  const annotations = { [OVER_CAPACITY]: "truncated" };
  const { stored, writes, end } = setUp({
    services: [service()],
    pods: crowd(1000, 0),
    endpoints: [endpoints([], { annotations })],
  });
  assertEquals(await writes(100), ["put endpoints a/s"]);
  assertEquals(stored().metadata?.annotations, { [TRIGGER]: CREATED });
  await end();
});

Deno.test("EndpointsController tells the time of the change it writes for, and none if there is none", async () => {
  const { stored, writes, catchUp, pods, services, end } = setUp({ services: [service()], endpoints: [endpoints([])] });
  await writes();
  pods.add(pod("p", { since: "2026-01-01T00:01:00Z" }));
  assertEquals(await writes(), ["put endpoints a/s"]);
  assertEquals(stored().metadata?.annotations, { [TRIGGER]: "2026-01-01T00:01:00Z" });
  catchUp();
  services.update(service({}, { labels: { x: "1" } }));
  assertEquals(await writes(), ["put endpoints a/s"]);
  assertEquals(stored().metadata?.annotations, undefined);
  await end();
});

Deno.test("EndpointsController waits for a cache that is behind its own write, and writes nothing meanwhile", async () => {
  const { world, recorder, writes, catchUp, services, pods, end } = setUp({
    services: [service()],
    endpoints: [endpoints([])],
    pods: [pod("p")],
  });
  assertEquals(await writes(), ["put endpoints a/s"]);
  pods.add(pod("q", { ips: ["10.1.0.2"] }));
  services.update(service());
  assertEquals(await writes(5_000), []);
  catchUp();
  await world.clock.advance(10_000);
  assertEquals([await writes(), recorder.lines], [["put endpoints a/s"], []]);
  await end();
});

Deno.test("EndpointsController does not wait after a write that has changed nothing", async () => {
  const bare = endpoints([], { labels: {} });
  const { client, writes, services, end } = setUp({ services: [service()], endpoints: [bare] });
  const written: Endpoints[] = [];
  client.update = (_resource, object) => {
    written.push(object);
    return Promise.resolve(object); // with the version that it had
  };
  for (const count of [1, 2, 3]) {
    services.update(service());
    await writes();
    assertEquals(written.map(({ metadata }) => metadata?.labels), Array(count).fill(MANAGED));
  }
  await end();
});

Deno.test("EndpointsController tells of a write that failed, and tries again", async () => {
  const making = setUp({ services: [service()] });
  making.client.fail("create endpoints", statusError(403, "Forbidden"), { times: 1 });
  assertEquals((await making.writes(100)).length, 2);
  assertEquals(making.recorder.lines, [
    "Warning FailedToCreateEndpoint s Failed to create endpoint for service a/s: Forbidden",
  ]);
  await making.end();
  const replacing = setUp({ services: [service()], pods: [pod("p")], endpoints: [endpoints([])] });
  replacing.client.fail("put endpoints", statusError(409, "Conflict"), { times: 1 });
  assertEquals(await replacing.writes(100), ["put endpoints a/s", "put endpoints a/s"]);
  assertEquals(replacing.recorder.lines, [
    "Warning FailedToUpdateEndpoint a/s Failed to update endpoint a/s: Conflict",
  ]);
  await replacing.end();
});

Deno.test("EndpointsController gives up a Service after 15 retries, until something happens to it", async () => {
  const { client, services, writes, end } = setUp({ services: [service()] });
  client.fail("create endpoints", statusError(500, "InternalError"));
  assertEquals((await writes(600_000)).length, 16);
  services.update(service());
  assertEquals((await writes(1)).length, 1);
  await end();
});

Deno.test("EndpointsController needs no Endpoints in a namespace that is going", async () => {
  const { client, recorder, writes, end } = setUp({ services: [service()] });
  client.fail("create endpoints", namespaceTerminating());
  assertEquals([(await writes(60_000)).length, recorder.lines], [1, []]);
  await end();
});

Deno.test("EndpointsController selects all pods of the namespace with an empty selector, and none with one that none can match", async () => {
  for (const [selector, count] of [[{}, 1], [{ "not a key!": "x" }, 0], [{ constructor: "x" }, 0]] as const) {
    const { client, writes, end } = setUp({ services: [service({ selector })], pods: [pod("p")] });
    assertEquals((await writes())[0], "create endpoints s");
    assertEquals(client.all(ENDPOINTS)[0].subsets?.length ?? 0, count);
    await end();
  }
});

Deno.test("EndpointsController takes pods of its own namespace only", async () => {
  const other = pod("p");
  const { client, writes, end } = setUp({
    services: [service()],
    pods: [{ ...other, metadata: { ...other.metadata, namespace: "b" } }],
  });
  await writes();
  assertEquals(client.all(ENDPOINTS)[0].subsets, undefined);
  await end();
});
