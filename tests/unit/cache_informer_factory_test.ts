import { assertEquals, assertStrictEquals } from "@std/assert";
import { DEPLOYMENTS, type KubeObject, PODS, type Resource } from "../../src/api/mod.ts";
import { FakeWorld } from "../../src/base/mod.ts";
import { InformerFactory, project } from "../../src/cache/mod.ts";
import { Client } from "../../src/client/mod.ts";
import { ManualSource, pod } from "./cache_fixtures.ts";

function factoryOf() {
  const world = new FakeWorld();
  const transport = () => Promise.reject(new Error("no request is expected"));
  const client = new Client({ world, transport, server: "https://example.test", userAgent: "test" });
  const sources = new Map<string, ManualSource>();
  const source = (resource: Resource) => {
    const made = new ManualSource();
    sources.set(resource.plural, made);
    return made;
  };
  const projections = [project(PODS, ["spec.nodeName"])];
  const factory = new InformerFactory({ world, client, source, projections, resyncPeriodMs: 12_000 });
  const isRunning = (resource: Resource) => sources.get(resource.plural)?.sink !== undefined;
  return { world, factory, sources, isRunning };
}

Deno.test("InformerFactory: there is one informer a resource, made when it is first asked for", () => {
  const { factory, sources } = factoryOf();
  assertEquals(factory.has(PODS), false);
  const pods = factory.informer(PODS);
  assertStrictEquals(factory.informer({ ...PODS }), pods);
  assertEquals(factory.informer<KubeObject>({ ...PODS, group: "metrics.k8s.io" }) === pods, false);
  assertEquals([factory.has(PODS), factory.has(DEPLOYMENTS), sources.size], [true, false, 1]);
});

Deno.test("InformerFactory: start runs the informers made so far; those asked for later run after another start", async () => {
  const { factory, isRunning, sources } = factoryOf();
  const abort = new AbortController();
  factory.informer(PODS);
  factory.start(abort.signal);
  factory.informer(DEPLOYMENTS);
  assertEquals([isRunning(PODS), isRunning(DEPLOYMENTS)], [true, false]);
  const { sink } = sources.get("pods")!;
  factory.start(abort.signal);
  assertEquals([isRunning(PODS), isRunning(DEPLOYMENTS)], [true, true]);
  assertStrictEquals(sources.get("pods")!.sink, sink); // not run again
  abort.abort();
  await factory.shutdown();
});

Deno.test("InformerFactory: after shutdown nothing is started; it ends what runs and resolves when all has ended", async () => {
  const { factory, isRunning, sources } = factoryOf();
  const abort = new AbortController();
  factory.informer(PODS);
  factory.start(abort.signal);
  await factory.shutdown();
  assertEquals(sources.get("pods")!.options.signal.aborted, true);
  factory.informer(DEPLOYMENTS);
  factory.start(abort.signal);
  assertEquals(isRunning(DEPLOYMENTS), false);
});

Deno.test("InformerFactory.whenSynced waits for the informers that were started", async () => {
  const { factory, sources } = factoryOf();
  const { signal } = new AbortController();
  factory.informer(PODS);
  factory.start(signal);
  factory.informer(DEPLOYMENTS);
  const synced = factory.whenSynced(signal);
  await sources.get("pods")!.list([], 1);
  assertEquals(await synced, true);
  factory.start(signal);
  assertEquals(await factory.whenSynced(AbortSignal.abort()), false);
  await factory.shutdown();
});

Deno.test("InformerFactory gives its informers the resync period and the projection of their resource", async () => {
  const { factory, sources, world } = factoryOf();
  const [pods, deployments] = [factory.informer(PODS), factory.informer(DEPLOYMENTS)];
  factory.start(new AbortController().signal);
  const spec = { nodeName: "n", containers: [] };
  for (const source of sources.values()) await source.list([{ ...pod("a"), spec } as KubeObject], 1);
  await world.clock.advance(0);
  assertEquals(pods.lister.get("ns", "a"), { ...pod("a"), spec: { nodeName: "n" } as typeof spec });
  assertEquals(deployments.lister.get("ns", "a") as KubeObject, { ...pod("a"), spec } as KubeObject);
  assertEquals(sources.get("pods")!.options.resyncPeriodMs, 12_000);
  await factory.shutdown();
});

Deno.test("InformerFactory: a dropped informer ends and is forgotten, unless it has handlers; who asks later gets a new one", async () => {
  const { factory, sources } = factoryOf();
  const abort = new AbortController();
  const pods = factory.informer(PODS);
  const registration = pods.addEventHandler({});
  factory.start(abort.signal);
  const { signal } = sources.get("pods")!.options;
  await factory.drop(PODS);
  assertEquals([signal.aborted, factory.has(PODS)], [false, true]);
  await pods.removeEventHandler(registration);
  await factory.drop(PODS);
  assertEquals([signal.aborted, factory.has(PODS)], [true, false]);
  await factory.drop(PODS); // nothing is left to drop
  assertEquals(factory.informer(PODS) === pods, false);
  abort.abort();
  await factory.shutdown();
});
