import { assertEquals } from "@std/assert";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { ENDPOINTS, type Endpoints, type Service } from "../../../../src/api/mod.ts";
import { SupersededVersions } from "../../../../src/controllers/endpoints/superseded_versions.ts";
import { statusError } from "../status_errors.ts";
import { address, endpoints, HTTP, pod, service, setUp } from "./fixtures.ts";

const OF_P = [{ addresses: [address("p")], ports: [HTTP] }];

Deno.test("EndpointsController deletes the Endpoints of a Service that is deleted, seen or missed", async () => {
  for (const deleted of [service(), new DeletedFinalStateUnknown<Service>("a/s", undefined)]) {
    const { client, services, writes, end } = setUp({
      services: [service()],
      pods: [pod("p")],
      endpoints: [endpoints(OF_P)],
    });
    assertEquals(await writes(), []);
    services.delete(deleted);
    assertEquals(await writes(), ["delete endpoints a/s"]);
    assertEquals(client.all(ENDPOINTS), []);
    await end();
  }
});

Deno.test("EndpointsController is content if the Endpoints are gone, and tries again if they cannot be deleted", async () => {
  const { client, services, writes, end } = setUp({
    services: [service()],
    pods: [pod("p")],
    endpoints: [endpoints(OF_P)],
  });
  await writes();
  client.fail("delete endpoints", statusError(500, "InternalError"), { times: 1 });
  services.delete(service());
  assertEquals(await writes(100), ["delete endpoints a/s", "delete endpoints a/s"]);
  services.add(service());
  services.delete(service());
  client.fail("delete endpoints", statusError(404, "NotFound"));
  assertEquals(await writes(60_000), ["delete endpoints a/s"]);
  await end();
});

Deno.test("EndpointsController makes Endpoints anew that somebody has deleted", async () => {
  const deletions = [endpoints(OF_P), new DeletedFinalStateUnknown<Endpoints>("a/s", undefined)];
  for (const deleted of deletions) {
    const { client, endpoints: informer, writes, end } = setUp({
      services: [service()],
      pods: [pod("p")],
      endpoints: [endpoints(OF_P)],
    });
    await writes();
    await client.delete(ENDPOINTS, { namespace: "a", name: "s" });
    client.calls.length = 0;
    informer.delete(deleted);
    assertEquals(await writes(), ["create endpoints s"]);
    await end();
  }
});

Deno.test("EndpointsController deletes Endpoints at its start whose Service is gone, but no one's lock", async () => {
  const annotations = { "control-plane.alpha.kubernetes.io/leader": "" };
  const { writes, end } = setUp({
    endpoints: [endpoints([], { name: "lock", annotations }), endpoints([], { name: "left" })],
  });
  assertEquals(await writes(), ["delete endpoints a/left"]);
  await end();
});

Deno.test("EndpointsController leaves Endpoints alone that come without a Service later", async () => {
  const { endpoints: informer, writes, end } = setUp();
  await writes();
  informer.add(endpoints([], { name: "mine" }));
  informer.update(endpoints(OF_P, { name: "mine" }));
  assertEquals(await writes(60_000), []);
  await end();
});

Deno.test("EndpointsController waits for the batch period after changes of pods, and writes once", async () => {
  const { pods, writes, catchUp, end } = setUp({
    services: [service()],
    pods: [pod("p")],
    endpoints: [endpoints(OF_P)],
    batchPeriodMs: 1_000,
  });
  await writes();
  for (let i = 0; i < 3; i++) {
    pods.update(pod("p", { ips: [`10.1.0.${i + 2}`], version: String(10 + i) }));
    assertEquals(await writes(100), []);
  }
  assertEquals(await writes(1_000), ["put endpoints a/s"]);
  catchUp();
  assertEquals(await writes(10_000), []);
  await end();
});

Deno.test("SupersededVersions: a version that was replaced is superseded until another one is, or the key is forgotten", () => {
  const versions = new SupersededVersions();
  const [first, second] = ["1", "2"].map((resourceVersion) => endpoints([], { resourceVersion }));
  assertEquals(versions.isSuperseded(first), false);
  versions.replaced(first);
  assertEquals([versions.isSuperseded(first), versions.isSuperseded(second)], [true, false]);
  versions.replaced(second);
  assertEquals([versions.isSuperseded(first), versions.isSuperseded(second)], [false, true]);
  versions.replaced(endpoints([], { name: "other" }));
  assertEquals(versions.size, 2);
  versions.forget("a/s");
  assertEquals([versions.isSuperseded(second), versions.size], [false, 1]);
});
