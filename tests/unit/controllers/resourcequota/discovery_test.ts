/** Which kinds are counted, and what waits for what. */
import { assertEquals, assertThrows } from "@std/assert";
import { Deferred, FakeWorld, settle } from "../../../../src/base/mod.ts";
import {
  CONFIGMAPS,
  DEPLOYMENTS,
  EVENTS,
  NODES,
  PODS,
  type Resource,
  RESOURCECLAIMS,
} from "../../../../src/api/mod.ts";
import { MonitorSet } from "../../../../src/controllers/monitors/mod.ts";
import { quotableDiscovery } from "../../../../src/controllers/resourcequota/discovery.ts";
import { Evaluators, type ListedInformer } from "../../../../src/controllers/resourcequota/evaluators.ts";
import { WorkerGate } from "../../../../src/controllers/resourcequota/worker_gate.ts";
import { FakeInformerSource } from "../fake_informer_source.ts";
import { FakeDiscovery } from "../garbage_collector/fake_discovery.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { WIDGETS } from "../garbage_collector/harness.ts";

function setUp() {
  const world = new FakeWorld();
  const discovery = new FakeDiscovery([PODS, WIDGETS]);
  const source = new FakeInformerSource();
  const { informers, broken, startedBy } = source;
  const monitors = new MonitorSet<ListedInformer>({ source, handlerOf: () => ({}) });
  const evaluators = new Evaluators();
  const gate = new WorkerGate();
  const loop = quotableDiscovery({ world, discovery, monitors, evaluators, gate });
  const stop = new AbortController();
  return {
    world,
    discovery,
    informers,
    broken,
    startedBy,
    monitors,
    evaluators,
    gate,
    stop,
    round: () => loop.round(stop.signal),
  };
}

const namesOf = (monitors: Iterable<{ resource: Resource }>) => [...monitors].map(({ resource }) => resource.plural);

const widgetsIn = (evaluators: Evaluators, namespace: string) =>
  [...evaluators.all].find(({ evaluator }) => evaluator.measures("count/widgets.example.com"))?.list(namespace);

Deno.test("DiscoveryLoop counts what is namespaced and can be made, listed, watched and deleted, except events", async () => {
  const { discovery, monitors, round } = setUp();
  discovery.resources = [PODS, EVENTS, NODES, { ...DEPLOYMENTS, verbs: ["list", "watch", "delete"] }, WIDGETS];
  await round();
  assertEquals(namesOf(monitors), ["pods", "widgets"]);
});

Deno.test("DiscoveryLoop starts informers once there are new ones, until it is told to end", async () => {
  const { discovery, startedBy, stop, round } = setUp();
  await round();
  await round();
  assertEquals(startedBy, [stop.signal]);
  discovery.resources = [PODS, WIDGETS, CONFIGMAPS];
  await round();
  assertEquals(startedBy.length, 2);
});

Deno.test("DiscoveryLoop: a round in which discovery fails, or gives nothing, changes nothing", async () => {
  const { discovery, monitors, round } = setUp();
  await round();
  discovery.error = new Error("connection refused");
  await round();
  discovery.error = undefined;
  discovery.resources = [];
  await round();
  assertEquals(namesOf(monitors), ["pods", "widgets"]);
});

Deno.test("DiscoveryLoop keeps the resources of a group version whose discovery failed", async () => {
  const { discovery, monitors, round } = setUp();
  await round();
  discovery.resources = [PODS, CONFIGMAPS];
  discovery.failures.set("example.com/v1", new Error("stale"));
  await round();
  assertEquals(namesOf(monitors), ["pods", "configmaps", "widgets"]);
});

Deno.test("DiscoveryLoop drops what is served no more, though the discovery of another group version failed", async () => {
  const { discovery, monitors, round } = setUp();
  await round();
  discovery.resources = [PODS];
  discovery.failures.set("apps/v1", new Error("stale"));
  await round();
  assertEquals(namesOf(monitors), ["pods"]);
});

Deno.test("DiscoveryLoop: a set of resources is recorded only when all its monitors were made", async () => {
  const { broken, monitors, round } = setUp();
  broken.add("widgets");
  await round();
  assertEquals(namesOf(monitors), ["pods"]);
  broken.clear();
  await round();
  assertEquals(namesOf(monitors), ["pods", "widgets"]);
});

Deno.test("DiscoveryLoop lets nobody work until new monitors have synced, but no longer than 30 s", async () => {
  const { world, discovery, informers, gate, round } = setUp();
  await round();
  informers.set("configmaps", new FakeInformer({ hasSynced: false }));
  discovery.resources = [PODS, WIDGETS, CONFIGMAPS];
  const done = round();
  let worked = false;
  await settle();
  const work = gate.pass(() => Promise.resolve(void (worked = true)));
  await world.clock.advance(29_999);
  assertEquals(worked, false);
  await world.clock.advance(1);
  await Promise.all([done, work]);
  assertEquals(worked, true);
  assertEquals(world.log.lines.at(-1)?.message, "Timed out waiting for quota monitor sync");
});

Deno.test("DiscoveryLoop lets everybody work while nothing changes", async () => {
  const { informers, gate, round } = setUp();
  await round();
  informers.clear();
  const working = new Deferred();
  const work = gate.pass(() => working.promise);
  await round(); // would wait for the work
  working.resolve();
  await work;
});

Deno.test("Evaluators: objects of a kind are listed from its present monitor, and not before that has synced; Evaluators: a kind that is no longer served has no objects", async () => {
  const { world, discovery, informers, evaluators, round } = setUp();
  assertEquals(evaluators.of(WIDGETS), undefined);
  informers.set("widgets", new FakeInformer({ hasSynced: false }));
  const done = round();
  await world.clock.advance(30_000);
  await done;
  assertThrows(() => widgetsIn(evaluators, "a"), Error, "example.com/v1, Resource=widgets not yet synced");
  informers.get("widgets")!.sync();
  informers.get("widgets")!.add({ metadata: { namespace: "a", name: "w" } });
  assertEquals([widgetsIn(evaluators, "a")?.length, widgetsIn(evaluators, "b")?.length], [1, 0]);
  discovery.resources = [PODS];
  await round();
  assertEquals(widgetsIn(evaluators, "a"), []); // what is served no more has no objects
});

Deno.test("Evaluators: a known kind is never forgotten; from the start it is what counts by rules of its own, listed in no other version", async () => {
  const { discovery, evaluators, round } = setUp();
  assertEquals(["pods", "services.nodeports", "secrets", "count/secrets"].map((name) => evaluators.measures(name)), [
    true,
    true,
    true,
    true,
  ]);
  discovery.resources = [PODS, { ...RESOURCECLAIMS, version: "v1beta1" }];
  await round();
  const claims = [...evaluators.all].find(({ evaluator }) =>
    evaluator.measures("count/resourceclaims.resource.k8s.io")
  );
  assertThrows(() => claims?.list("a"), Error, "resource.k8s.io/v1, Resource=resourceclaims not yet synced");
});

Deno.test("WorkerGate.close resolves when no work is running; until open none starts", async () => {
  const gate = new WorkerGate();
  const first = new Deferred();
  const events: string[] = [];
  const working = gate.pass(async () => {
    await first.promise;
    events.push("first ended");
  });
  const closing = gate.close().then(() => events.push("closed"));
  const late = gate.pass(() => Promise.resolve(void events.push("second began")));
  await settle();
  assertEquals(events, []);
  first.resolve();
  await Promise.all([working, closing]);
  await settle();
  assertEquals(events, ["first ended", "closed"]);
  gate.open();
  await late;
  assertEquals(events.at(-1), "second began");
});

Deno.test("WorkerGate.close waits for work each time", async () => {
  const gate = new WorkerGate();
  for (const turn of ["first", "second"]) {
    const working = new Deferred();
    const work = gate.pass(() => working.promise);
    let isClosed = false;
    const closing = gate.close().then(() => isClosed = true);
    await settle();
    assertEquals(isClosed, false, turn);
    working.resolve();
    await Promise.all([work, closing]);
    gate.open();
  }
});

Deno.test("WorkerGate: work that fails has ended", async () => {
  const gate = new WorkerGate();
  const failing = gate.pass(() => Promise.reject(new Error("no"))).catch((error: Error) => error.message);
  await gate.close();
  assertEquals(await failing, "no");
});
