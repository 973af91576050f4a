import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { DEPLOYMENTS, type KubeObject, type Pod, PODS, type Resource } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import { type FrameSource, InformerFactory } from "../../../src/cache/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { Journal, ManualSource, pod } from "./fixtures.ts";

function factoryOf(run?: FrameSource["run"]) {
  const world = new FakeWorld();
  const transport = () => Promise.reject(new Error("no request is expected"));
  const client = new Client({ world, transport, server: "https://example.test", userAgent: "test" });
  const sources = new Map<string, ManualSource>();
  const source = (resource: Resource): FrameSource => {
    if (run) return { run };
    const made = new ManualSource();
    sources.set(resource.plural, made);
    return made;
  };
  const factory = new InformerFactory({ world, client, source, resyncPeriodMs: 12_000 });
  const isRunning = (resource: Resource) => sources.get(resource.plural)?.sink !== undefined;
  return { world, factory, sources, isRunning };
}

Deno.test("InformerFactory: there is one informer a resource (group, version, plural) and scope, made when it is first asked for", () => {
  const { factory, sources } = factoryOf();
  assertEquals(factory.existing(PODS), undefined);
  const pods = factory.informer(PODS);
  assertStrictEquals(factory.informer({ ...PODS }), pods);
  assertEquals(factory.informer<KubeObject>({ ...PODS, group: "metrics.k8s.io" }) === pods, false);
  assertEquals([factory.existing(PODS), factory.existing(DEPLOYMENTS), sources.size], [pods, undefined, 1]);
  const scopes = [{ namespace: "a" }, { labelSelector: "a" }, { fieldSelector: "a" }, { namespace: 'a","b' }, {
    namespace: "a",
    labelSelector: "b",
  }];
  const scoped = scopes.map((scope) => factory.informer(PODS, [], scope));
  assertEquals(new Set([pods, ...scoped]).size, 6);
  assertEquals(scopes.map((scope) => factory.informer(PODS, [], { ...scope })), scoped);
  assertStrictEquals(factory.informer(PODS, undefined, {}), pods);
});

Deno.test("InformerFactory: start runs the informers made so far that do not run yet; those asked for later run after another start", async () => {
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
  assertEquals(sources.get("pods")!.signal.aborted, true);
  factory.informer(DEPLOYMENTS);
  factory.start(abort.signal);
  assertEquals(isRunning(DEPLOYMENTS), false);
});

Deno.test("InformerFactory: shutdown resolves when all has ended, what was dropped before too", async () => {
  const ending = Promise.withResolvers<void>();
  const { world, factory } = factoryOf(() => ending.promise);
  factory.informer(PODS);
  factory.start(new AbortController().signal);
  const dropped = factory.drop(PODS);
  let isShutDown = false;
  const shutdown = factory.shutdown().then(() => isShutDown = true);
  await world.clock.advance(0);
  assertEquals(isShutDown, false);
  ending.resolve();
  await Promise.all([dropped, shutdown]);
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

Deno.test("InformerFactory gives its informers the resync period", async () => {
  const { world, factory, sources } = factoryOf();
  const journal = new Journal();
  factory.informer(PODS).addEventHandler(journal);
  factory.start(new AbortController().signal);
  await sources.get("pods")!.list([pod("a")], 1);
  await world.clock.advance(11_999);
  assertEquals(journal.take(), ["add a@1*"]);
  await world.clock.advance(1);
  assertEquals(journal.take(), ["update a@1>1"]);
  await factory.shutdown();
});

/** What is kept of a pod when its informer was asked for with each of `reads`. */
async function keptWith(...reads: readonly (readonly string[] | undefined)[]): Promise<KubeObject | undefined> {
  const { factory, sources, world } = factoryOf();
  const [pods] = reads.map((fields) => factory.informer(PODS, fields));
  factory.start(new AbortController().signal);
  await sources.get("pods")!.list([WHOLE_POD], 1);
  await world.clock.advance(0);
  await factory.shutdown();
  return pods.lister.get("ns", "a");
}

const WHOLE_POD: Pod = { ...pod("a"), spec: { nodeName: "n", containers: [] }, status: { phase: "Running" } };

Deno.test("InformerFactory: objects are kept with the fields that the callers of their informer declared", async () => {
  const kept = await keptWith(["spec.nodeName"], ["status.phase"]);
  assertEquals<unknown>(kept, { ...pod("a"), spec: { nodeName: "n" }, status: { phase: "Running" } });
  assertEquals(await keptWith([]), pod("a"));
});

Deno.test("InformerFactory: an object is kept whole if one who asked for its informer did not say what is read", async () => {
  assertEquals(await keptWith(["spec.nodeName"], undefined), WHOLE_POD);
  assertEquals(await keptWith(undefined, ["spec.nodeName"]), WHOLE_POD);
});

Deno.test("InformerFactory.informer throws for fields that an informer which runs does not keep", async () => {
  const { factory } = factoryOf();
  const pods = factory.informer(PODS, ["spec.nodeName"]);
  factory.start(new AbortController().signal);
  assertStrictEquals(factory.informer(PODS, ["spec.nodeName"]), pods);
  const message = "The informer of pods runs already and does not keep";
  assertThrows(() => factory.informer(PODS, ["spec.nodeName", "status"]), Error, `${message} status`);
  assertThrows(() => factory.informer(PODS), Error, `${message} everything`);
  await factory.shutdown();
});

Deno.test("InformerFactory: a dropped informer ends and is forgotten, unless it has handlers; who asks later gets a new one", async () => {
  const { factory, sources } = factoryOf();
  const abort = new AbortController();
  const pods = factory.informer(PODS);
  const registration = pods.addEventHandler({});
  factory.start(abort.signal);
  const { signal } = sources.get("pods")!;
  await factory.drop(PODS);
  assertEquals([signal.aborted, factory.existing(PODS) !== undefined], [false, true]);
  await pods.removeEventHandler(registration);
  await factory.drop(PODS);
  assertEquals([signal.aborted, factory.existing(PODS)], [true, undefined]);
  await factory.drop(PODS); // nothing is left to drop
  assertEquals(factory.informer(PODS) === pods, false);
  abort.abort();
  await factory.shutdown();
});
