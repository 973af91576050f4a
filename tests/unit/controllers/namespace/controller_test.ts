import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { CONFIGMAPS, type Namespace, NAMESPACES, NODES, PODS } from "../../../../src/api/mod.ts";
import { NAMESPACE_CONTROLLER } from "../../../../src/controllers/namespace/mod.ts";
import { fakeContext } from "../context.ts";
import { RecordedClient } from "../recorded_client.ts";
import { FakeDiscovery } from "../garbage_collector/fake_discovery.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { statusError } from "../status_errors.ts";

const RESOURCES = [PODS, CONFIGMAPS];

function terminating(name = "ns"): Namespace {
  return {
    metadata: { name, uid: name, deletionTimestamp: "2026-01-01T00:00:00Z" },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Terminating" },
  };
}

async function setUp() {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  const namespaces = new FakeInformer<Namespace>();
  const controller = await NAMESPACE_CONTROLLER.build(
    fakeContext({
      world,
      client,
      discovery: new FakeDiscovery(RESOURCES),
      informers: [[NAMESPACES, namespaces]],
    }),
    { syncPeriodMs: 300_000, workers: 10 },
  );
  const stop = new AbortController();
  const running = controller!.run(stop.signal);
  const gets = () => client.lines.filter((call) => call === "get namespaces ns").length;
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  return { world, client, namespaces, gets, end };
}

Deno.test("NamespaceController looks at a namespace five seconds after it is seen in deletion", async () => {
  for (const event of ["add", "update"] as const) {
    const { world, client, namespaces, end } = await setUp();
    client.store(NAMESPACES, terminating());
    if (event === "update") namespaces.add({ metadata: { name: "ns" } });
    namespaces[event](terminating());
    await world.clock.advance(4999);
    assertEquals(client.lines, []);
    await world.clock.advance(1);
    assertEquals(client.lines.at(-1)?.startsWith("put namespaces/finalize ns"), true);
    await end();
  }
});

Deno.test("NamespaceController ignores namespaces that are not being deleted, and deletions", async () => {
  const { world, client, namespaces, end } = await setUp();
  namespaces.add({ metadata: { name: "ns" } });
  namespaces.update({ metadata: { name: "ns", resourceVersion: "2" } });
  namespaces.delete(terminating());
  await world.clock.advance(60_000);
  assertEquals(client.lines, []);
  assertEquals(namespaces.handlerOptions, [{ resyncPeriodMs: 300_000 }]);
  await end();
});

Deno.test("NamespaceController does nothing for a namespace that left the cache meanwhile", async () => {
  const { world, client, namespaces, end } = await setUp();
  namespaces.add(terminating());
  namespaces.delete(terminating());
  await world.clock.advance(60_000);
  assertEquals(client.lines, []);
  await end();
});

Deno.test("NamespaceController comes back after 8 s where finalizers remain, without counting it as a failure", async () => {
  const { world, client, namespaces, gets, end } = await setUp();
  client.store(NAMESPACES, terminating());
  client.store(CONFIGMAPS, { metadata: { name: "c", namespace: "ns", finalizers: ["example.com/hold"] } });
  namespaces.add(terminating());
  await world.clock.advance(5000);
  assertEquals(gets(), 1);
  await world.clock.advance(7999);
  assertEquals(gets(), 1);
  await world.clock.advance(1);
  assertEquals(gets(), 2);
  assertEquals(world.log.lines.some(({ severity }) => severity === "error"), false);
  client.fail("deletecollection configmaps", statusError(500, "InternalError"), { times: 1 });
  await world.clock.advance(8000);
  assertEquals(gets(), 3);
  await world.clock.advance(5);
  assertEquals(gets(), 4, "the first real failure waits 5 ms");
  await end();
});

Deno.test("NamespaceController keeps a row of failures across a pass that only waits", async () => {
  const { world, client, namespaces, gets, end } = await setUp();
  client.store(NAMESPACES, terminating());
  client.store(CONFIGMAPS, { metadata: { name: "c", namespace: "ns", finalizers: ["example.com/hold"] } });
  client.fail("deletecollection configmaps", statusError(500, "InternalError"), { times: 2 });
  namespaces.add(terminating());
  await world.clock.advance(5000 + 5 + 10);
  assertEquals(gets(), 3);
  client.fail("deletecollection configmaps", statusError(500, "InternalError"), { times: 1 });
  await world.clock.advance(8000);
  assertEquals(gets(), 4);
  await world.clock.advance(19);
  assertEquals(gets(), 4);
  await world.clock.advance(1);
  assertEquals(gets(), 5, "the third failure waits 20 ms");
  await end();
});

Deno.test("NAMESPACE_CONTROLLER refuses to be built when discovery gives nothing that lies in namespaces", async () => {
  const world = new FakeWorld();
  const discovery = new FakeDiscovery([NODES]);
  const context = fakeContext({ world, discovery, client: new RecordedClient(world), informers: [] });
  const build = () => Promise.resolve(NAMESPACE_CONTROLLER.build(context, {}));
  await assertRejects(build, Error, "Unable to get any supported resources from server");
});
