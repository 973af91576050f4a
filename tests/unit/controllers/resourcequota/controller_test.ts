/** The controller as a whole, on fakes and a clock that only moves when told to. */
import { assertEquals, assertRejects } from "@std/assert";
import { Deferred, FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  CONFIGMAPS,
  DEVICECLASSES,
  groupResource,
  type KubeObject,
  PODS,
  type Resource,
  RESOURCECLAIMS,
  type ResourceQuota,
  RESOURCEQUOTAS,
  SERVICES,
} from "../../../../src/api/mod.ts";
import { type ExtendedDevices } from "../../../../src/rules/mod.ts";
import type { JournalEntry } from "../../../../src/controllers/mod.ts";
import {
  QuotaController,
  type QuotaControllerOptions,
} from "../../../../src/controllers/resourcequota/quota_controller.ts";
import { RESOURCEQUOTA_CONTROLLER } from "../../../../src/controllers/resourcequota/mod.ts";
import { fakeContext } from "../context.ts";
import { RecordedClient } from "../recorded_client.ts";
import { statusError } from "../status_errors.ts";
import { FakeDiscovery } from "../garbage_collector/fake_discovery.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { pod, quota } from "./fixtures.ts";

const PERIOD_MS = 300_000;

interface Parts {
  readonly syncPeriodMs?: number;
  readonly podsSynced?: boolean;
  readonly devices?: QuotaControllerOptions["devices"];
}

function setUp({ syncPeriodMs = PERIOD_MS, podsSynced = true, devices }: Parts = {}) {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  const metrics = new MetricsRegistry();
  const quotas = new FakeInformer<ResourceQuota>();
  const pods = new FakeInformer<KubeObject>({ hasSynced: podsSynced });
  const others = new FakeInformer<KubeObject>();
  const journal: JournalEntry[] = [];
  client.onChange = ({ of, object }) => {
    if (of !== groupResource(RESOURCEQUOTAS)) return;
    if (quotas.lister.get("a", "q")) quotas.update(object);
    else quotas.add(object);
  };
  const discovery = new FakeDiscovery([PODS, CONFIGMAPS]);
  const controller = new QuotaController({
    world,
    journal: { record: (entry) => void journal.push(entry) },
    metrics,
    client,
    discovery,
    informers: {
      informer: (resource) => resource.plural === "pods" ? pods : others,
      start: () => {},
      drop: () => Promise.resolve(),
    },
    informersStarted: Promise.resolve(),
    quotas,
    devices,
    workers: 2,
    syncPeriodMs,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  const used = () => client.find(RESOURCEQUOTAS, "a/q")?.status?.used;
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  return { world, client, metrics, discovery, quotas, pods, others, journal, used, end };
}

const deviceClaim = (name: string, count: number): KubeObject & { spec: unknown } => {
  const exactly = { deviceClassName: "gpu", allocationMode: "ExactCount", count };
  return { metadata: { namespace: "a", name }, spec: { devices: { requests: [{ name: "r", exactly }] } } };
};

Deno.test("QuotaController: nothing is measured before the quotas and all served resources have been listed", async () => {
  const { world, client, pods, used, end } = setUp({ podsSynced: false });
  client.store(RESOURCEQUOTAS, quota({ pods: "5" }, { status: null }));
  pods.add(pod("x"));
  await world.clock.advance(120_000);
  assertEquals(client.writes, []);
  pods.sync();
  await world.clock.advance(100);
  assertEquals(used(), { pods: "1" });
  await end();
});

Deno.test("QuotaController measures nothing before it knows what devices stand in for, and measures that too", async () => {
  const classes = new Deferred();
  const known: ExtendedDevices = {
    hasClass: () => false,
    resourceOf: () => "example.com/gpu",
    standsInFor: (resource) => resource === "example.com/gpu",
    pod: () => undefined,
    claimsFor: () => [],
  };
  const cache = { hasSynced: false, whenSynced: classes.promise };
  const { world, client, discovery, others, used, end } = setUp({ devices: { known, cache } });
  discovery.resources = [PODS, RESOURCECLAIMS];
  others.add(deviceClaim("x", 3));
  client.store(RESOURCEQUOTAS, quota({ "requests.example.com/gpu": "5" }, { status: null }));
  await world.clock.advance(120_000);
  assertEquals(client.writes, []);
  classes.resolve();
  await world.clock.advance(100);
  assertEquals(used(), { "requests.example.com/gpu": "3" });
  await end();
});

Deno.test("QuotaController waits no longer for a kind that is served no more", async () => {
  const { world, client, discovery, used, end } = setUp({ podsSynced: false });
  client.store(RESOURCEQUOTAS, quota({ configmaps: "5" }, { status: null }));
  discovery.resources = [CONFIGMAPS];
  await world.clock.advance(61_000);
  assertEquals(used(), { configmaps: "0" });
  await end();
});

Deno.test("QuotaController ends when told to, though it still waits", async () => {
  const { world, client, end } = setUp({ podsSynced: false });
  client.store(RESOURCEQUOTAS, quota({ pods: "5" }, { status: null }));
  await world.clock.advance(1_000);
  await end();
  assertEquals(client.writes, []);
});

Deno.test("QuotaController: a quota without usage comes before those that only may be wrong: it is put into a queue of its own", async () => {
  const { world, client, metrics, end } = setUp({ podsSynced: false });
  client.store(RESOURCEQUOTAS, quota({ pods: "5" }, { status: null }));
  await world.clock.advance(1_000);
  const depth = metrics.gauge({ name: "workqueue_depth", help: "", labels: ["name"] });
  const names = ["resourcequota_priority", "resourcequota_primary", "resource_quota_controller_resource_changes"];
  assertEquals(names.map((name) => depth.value([name])), [1, 0, 0]);
  await end();
});

Deno.test("QuotaController: what happened to objects is looked at one by one, in order: what a deletion or an end has freed is measured anew at once", async () => {
  const { world, client, pods, others, used, journal, end } = setUp();
  client.store(RESOURCEQUOTAS, quota({ pods: "5", configmaps: "5" }, { status: null }));
  pods.add(pod("x"));
  pods.add(pod("y"));
  others.add({ metadata: { namespace: "a", name: "m" } });
  await world.clock.advance(1_000);
  assertEquals(used(), { configmaps: "1", pods: "2" });
  pods.update(pod("x", [], { status: { phase: "Failed" } }));
  await world.clock.advance(1);
  assertEquals(used(), { configmaps: "1", pods: "1" });
  others.delete({ metadata: { namespace: "a", name: "m", resourceVersion: "7" } });
  await world.clock.advance(1);
  assertEquals(used(), { configmaps: "0", pods: "1" });
  const { controller, kind, key, record } = journal.at(-1)!;
  assertEquals([controller, kind, key, record.causes.texts], [
    "resourcequota-controller",
    "ResourceQuota",
    "a/q",
    ["configmap/a/m deleted at 7"],
  ]);
  await end();
});

Deno.test("QuotaController: every quota is measured again once in a sync period, whatever else happened", async () => {
  const { world, client, pods, used, end } = setUp();
  client.store(RESOURCEQUOTAS, quota({ pods: "5" }, { status: null }));
  await world.clock.advance(1_000);
  pods.add(pod("x")); // admission counts what is created, so that nobody is told
  await world.clock.advance(PERIOD_MS - 2_000);
  assertEquals(used(), { pods: "0" });
  await world.clock.advance(2_000);
  assertEquals(used(), { pods: "1" });
  await end();
});

Deno.test("QuotaController measures nothing by the clock where the sync period is 0", async () => {
  const { world, client, pods, used, end } = setUp({ syncPeriodMs: 0 });
  client.store(RESOURCEQUOTAS, quota({ pods: "5" }, { status: null }));
  await world.clock.advance(1_000);
  pods.add(pod("x"));
  await world.clock.advance(10 * PERIOD_MS);
  assertEquals(used(), { pods: "0" });
  assertEquals(world.log.lines.some(({ message }) => message === "periodic quota controller resync disabled"), true);
  await end();
});

Deno.test("QuotaController tries again what met a conflict, without overwriting what admission counted", async () => {
  const { world, client, pods, used, end } = setUp();
  client.fail("put resourcequotas/status", statusError(409, "Conflict"), { times: 2 });
  client.store(RESOURCEQUOTAS, quota({ pods: "5" }, { status: null }));
  pods.add(pod("x"));
  await world.clock.advance(1_000);
  assertEquals([used(), client.writes.length], [{ pods: "1" }, 3]);
  await end();
});

Deno.test("QuotaController counts a kind once it is served", async () => {
  const { world, client, discovery, used, end } = setUp();
  client.store(RESOURCEQUOTAS, quota({ "count/widgets.example.com": "5" }, { status: null }));
  await world.clock.advance(1_000);
  assertEquals(used(), undefined);
  const verbs = ["create", "delete", "list", "watch"];
  discovery.resources = [
    PODS,
    CONFIGMAPS,
    { group: "example.com", version: "v1", plural: "widgets", kind: "Widget", namespaced: true, verbs },
  ];
  await world.clock.advance(PERIOD_MS);
  assertEquals(used(), { "count/widgets.example.com": "0" });
  await end();
});

/** Builds what the registry's row makes where these resources are served, and says which informers it asked for. */
async function build(served: readonly Resource[], failures: readonly string[] = []): Promise<string[]> {
  const world = new FakeWorld();
  const discovery = new FakeDiscovery(served);
  for (const groupVersion of failures) discovery.failures.set(groupVersion, new Error("stale"));
  const asked: string[] = [];
  const informer = (resource: Resource) => {
    asked.push(groupResource(resource));
    return Object.assign(new FakeInformer<KubeObject>(), { hasIndexer: () => false, addIndexers: () => {} });
  };
  const options = { workers: 5, syncPeriodMs: PERIOD_MS };
  const context = fakeContext({ world, client: new RecordedClient(), discovery, informers: [] });
  await RESOURCEQUOTA_CONTROLLER.build(
    { ...context, informers: { informer, existing: () => undefined } } as never,
    options,
  );
  return [...new Set(asked)];
}

Deno.test("RESOURCEQUOTA_CONTROLLER asks for full objects only of what is measured and served", async () => {
  assertEquals(await build([PODS, SERVICES, CONFIGMAPS]), ["pods", "services", "resourcequotas"]);
  assertEquals(await build([PODS, RESOURCECLAIMS, DEVICECLASSES], ["apps/v1"]), [
    "pods",
    "resourceclaims.resource.k8s.io",
    "deviceclasses.resource.k8s.io",
    "resourcequotas",
  ]);
});

Deno.test("RESOURCEQUOTA_CONTROLLER asks for classes of devices only where classes and claims are served", async () => {
  const isAsked = async (...served: Resource[]) =>
    (await build([PODS, ...served])).includes("deviceclasses.resource.k8s.io");
  assertEquals([await isAsked(DEVICECLASSES), await isAsked(RESOURCECLAIMS)], [false, false]);
  assertEquals(await isAsked(DEVICECLASSES, RESOURCECLAIMS), true);
});

Deno.test("RESOURCEQUOTA_CONTROLLER asks for what is measured also where discovery failed to say whether it is served", async () => {
  assertEquals(await build([CONFIGMAPS], ["v1"]), ["pods", "services", "persistentvolumeclaims", "resourcequotas"]);
});

Deno.test("RESOURCEQUOTA_CONTROLLER is not built where discovery gives nothing", async () => {
  await assertRejects(() => build([]), Error, "failed to discover resources");
});
