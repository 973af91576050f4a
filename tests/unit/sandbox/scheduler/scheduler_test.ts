/** The scheduler at work on the embedded API server. */
import { assert, assertEquals } from "@std/assert";
import { Client } from "../../../../src/client/mod.ts";
import { Scheduler } from "../../../../src/sandbox/mod.ts";
import { Harness, type Loose, PODS } from "../apiserver/harness.ts";

const NODES = "/api/v1/nodes";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const CONTAINERS = [{ name: "c", image: "nginx:1" }];

class Rig implements AsyncDisposable {
  readonly api = new Harness();
  readonly client: Client;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor() {
    const { world, server } = this.api;
    this.client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "scheduler/1" });
    this.#running = new Scheduler({ world, client: this.client, events: true, workers: 2 }).run(this.#stop.signal);
  }

  static async start(...nodes: string[]): Promise<Rig> {
    const rig = new Rig();
    await rig.api.account("default");
    for (const name of nodes) await rig.node(name);
    await rig.advance(0);
    return rig;
  }

  async node(
    name: string,
    allocatable: Record<string, string> = { cpu: "2", memory: "4Gi", pods: "10" },
  ): Promise<void> {
    await this.api.post(NODES, { metadata: { name }, status: { allocatable, capacity: allocatable } });
    await this.advance(0);
    // Without a node lifecycle controller, nobody else takes the taint of new nodes away.
    await this.api.patch(`${NODES}/${name}`, { spec: { taints: null } });
  }

  async pod(name: string, spec: object = {}, metadata: object = {}): Promise<void> {
    const { status, body } = await this.api.post(PODS, {
      metadata: { name, ...metadata },
      spec: { containers: CONTAINERS, ...spec },
    });
    assertEquals(status, 201, JSON.stringify(body));
  }

  /** A pod with a claim whose volume is made once the pod's node is known. */
  async podWithClaim(name: string, claimName: string): Promise<void> {
    await this.api.post("/apis/storage.k8s.io/v1/storageclasses", {
      metadata: { name: "late" },
      provisioner: "x.y/z",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const resources = { requests: { storage: "1Gi" } };
    const spec = { storageClassName: "late", accessModes: ["ReadWriteOnce"], resources };
    await this.api.post(CLAIMS, { metadata: { name: claimName }, spec });
    await this.pod(name, { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] });
  }

  async read(name: string): Promise<Loose> {
    return (await this.api.get(`${PODS}/${name}`)).body;
  }

  async places(...names: string[]): Promise<(string | undefined)[]> {
    return await Promise.all(names.map(async (name) => (await this.read(name)).spec?.nodeName));
  }

  async scheduled(name: string): Promise<Loose> {
    return (await this.read(name)).status.conditions?.find(({ type }: Loose) => type === "PodScheduled");
  }

  /** `Reason count` of the events about a pod. */
  async events(name: string): Promise<string[]> {
    const { items } = (await this.api.get("/api/v1/namespaces/default/events")).body;
    return items.filter(({ involvedObject }: Loose) => involvedObject.name === name)
      .map(({ reason, series }: Loose) => `${reason} ${series?.count ?? 1}`);
  }

  advance(ms: number): Promise<void> {
    return this.api.world.clock.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.api.server.close();
    assertEquals(this.api.world.clock.pendingTimers, 0, "no timer is left");
  }
}

const cpu = (amount: string) => ({ containers: [{ ...CONTAINERS[0], resources: { requests: { cpu: amount } } }] });

Deno.test("Scheduler binds pods in turn, and says so", async () => {
  await using rig = await Rig.start("a", "b");
  for (const name of ["p", "q", "r"]) await rig.pod(name);
  await rig.advance(10);
  assertEquals(await rig.places("p", "q", "r"), ["a", "b", "a"]);
  assertEquals([(await rig.scheduled("p")).status, await rig.events("p")], ["True", ["Scheduled 1"]]);
});

Deno.test("Scheduler: gated pods, pods being deleted and pods of other schedulers are left alone, until the gates are gone", async () => {
  await using rig = await Rig.start("a");
  await rig.pod("gated", { schedulingGates: [{ name: "x.y/z" }] });
  await rig.pod("own", { schedulerName: "mine" });
  await rig.advance(1000);
  assertEquals(await rig.places("gated", "own"), [undefined, undefined]);
  assertEquals((await rig.scheduled("gated")).reason, "SchedulingGated");
  await rig.api.patch(`${PODS}/gated`, { spec: { schedulingGates: null } });
  await rig.advance(10);
  assertEquals(await rig.places("gated"), ["a"]);
});

Deno.test("Scheduler: a pod that fits nowhere gets condition PodScheduled False, reason Unschedulable", async () => {
  await using rig = await Rig.start("a");
  await rig.pod("p", cpu("3"));
  await rig.advance(10);
  const { status, reason, message } = await rig.scheduled("p");
  assertEquals([status, reason], ["False", "Unschedulable"]);
  assertEquals(
    message,
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, " +
      "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  );
  const { resourceVersion } = (await rig.read("p")).metadata;
  await rig.advance(60_000);
  assertEquals((await rig.read("p")).metadata.resourceVersion, resourceVersion, "nothing is tried without a reason");
  await rig.node("b", { cpu: "4", memory: "1Gi", pods: "10" });
  await rig.advance(3000);
  assertEquals([await rig.places("p"), (await rig.scheduled("p")).status], [["b"], "True"]);
  assertEquals((await rig.events("p")).map((event) => event.split(" ")[0]).sort(), [
    "FailedScheduling",
    "FailedScheduling",
    "Scheduled",
  ]);
});

Deno.test("Scheduler writes events as kube-scheduler does", async () => {
  await using rig = await Rig.start("a");
  await rig.pod("p", cpu("3"));
  await rig.pod("q");
  await rig.advance(10);
  const { items } = (await rig.api.get("/apis/events.k8s.io/v1/namespaces/default/events")).body;
  const shown = items.map(({ metadata: _, eventTime, regarding, ...event }: Loose) => {
    assertEquals([eventTime.length, regarding.kind, regarding.apiVersion], [27, "Pod", "v1"]);
    return { ...event, about: regarding.name };
  });
  const common = {
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    deprecatedSource: {},
    reportingController: "default-scheduler",
    reportingInstance: "default-scheduler-kubeloop",
  };
  assertEquals(shown, [
    {
      ...common,
      about: "p",
      action: "Scheduling",
      reason: "FailedScheduling",
      note: "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, " +
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
      type: "Warning",
    },
    {
      ...common,
      about: "q",
      action: "Binding",
      reason: "Scheduled",
      note: "Successfully assigned default/q to a",
      type: "Normal",
    },
  ]);
});

Deno.test("Scheduler writes no event for each of many failed tries", async () => {
  await using rig = await Rig.start("a");
  await rig.pod("p", cpu("3"));
  for (let i = 0; i < 20; i++) {
    await rig.advance(15_000);
    await rig.api.patch(`${NODES}/a`, { metadata: { labels: { i: String(i) } } });
  }
  await rig.advance(15_000);
  // One before the condition was written, which changes the pod, and one for all tries after it.
  assertEquals(await rig.events("p"), ["FailedScheduling 1", "FailedScheduling 2"]);
  await rig.advance(6 * 60_000);
  assertEquals(await rig.events("p"), ["FailedScheduling 1", "FailedScheduling 20"]);
});

Deno.test("ClusterWatch: a pod on a node counts there until it is gone or has ended", async () => {
  await using rig = await Rig.start("a");
  await rig.pod("first", cpu("2"));
  await rig.advance(10);
  await rig.pod("second", cpu("2"));
  await rig.pod("third", cpu("2"));
  await rig.advance(10);
  assertEquals(await rig.places("first", "second", "third"), ["a", undefined, undefined]);
  await rig.api.delete(`${PODS}/first`, { gracePeriodSeconds: 0 });
  await rig.advance(2000);
  const [second, third] = await rig.places("second", "third");
  assertEquals([second, third].filter(Boolean), ["a"]);
  await rig.api.patch(`${PODS}/${second ? "second" : "third"}/status`, { status: { phase: "Succeeded" } });
  await rig.advance(5000);
  assertEquals(await rig.places("second", "third"), ["a", "a"]);
});

Deno.test("Scheduler: pods are tried in the order of their priority, then of their arrival", async () => {
  await using rig = await Rig.start();
  await rig.api.post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "high" }, value: 100 });
  await rig.pod("low", cpu("2"));
  await rig.pod("high", { ...cpu("2"), priorityClassName: "high", priority: 100 });
  await rig.advance(1000);
  assertEquals((await rig.scheduled("low")).message, "no nodes available to schedule pods");
  await rig.node("a");
  await rig.advance(5000);
  assertEquals(await rig.places("low", "high"), [undefined, "a"]);
});

Deno.test("Scheduler follows cordons and taints", async () => {
  await using rig = await Rig.start("a", "b");
  await rig.api.patch(`${NODES}/a`, { spec: { unschedulable: true } });
  await rig.api.patch(`${NODES}/b`, { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } });
  await rig.advance(0);
  await rig.pod("p");
  await rig.advance(10);
  assertEquals(await rig.places("p"), [undefined]);
  await rig.api.patch(`${NODES}/a`, { spec: { unschedulable: false } });
  await rig.advance(1000);
  assertEquals(await rig.places("p"), ["a"]);
});

Deno.test("Scheduler tries a pod again that waits to be near another when that is bound", async () => {
  await using rig = await Rig.start("a", "b");
  for (const name of ["a", "b"]) await rig.api.patch(`${NODES}/${name}`, { metadata: { labels: { host: name } } });
  const term = { topologyKey: "host", labelSelector: { matchLabels: { app: "web" } } };
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  await rig.pod("near", { affinity: { podAffinity } });
  await rig.advance(10);
  assertEquals(await rig.places("near"), [undefined]);
  await rig.pod("web", { nodeName: "b" }, { labels: { app: "web" } });
  await rig.advance(2000);
  assertEquals(await rig.places("near"), ["b"]);
});

Deno.test("Binder: a pod is bound only when all its claims are; the claim is told the node", async () => {
  await using rig = await Rig.start("a", "b");
  await rig.podWithClaim("p", "data");
  await rig.advance(60_000);
  const { metadata } = (await rig.api.get(`${CLAIMS}/data`)).body;
  assertEquals(metadata.annotations["volume.kubernetes.io/selected-node"], "a");
  assertEquals(await rig.places("p"), [undefined]);
  await rig.api.post("/api/v1/persistentvolumes", {
    metadata: { name: "pv" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/" } },
  });
  await rig.api.patch(`${CLAIMS}/data`, { spec: { volumeName: "pv" } });
  await rig.api.patch(`${CLAIMS}/data/status`, { status: { phase: "Bound" } });
  await rig.advance(10);
  assertEquals(await rig.places("p"), ["a"]);
});

Deno.test("Scheduler puts one pod at a time on a node whose claim is ReadWriteOncePod, wherever that is", async () => {
  await using rig = await Rig.start("a", "b");
  await rig.api.post("/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "s" }, provisioner: "x.y/z" });
  const spec = {
    accessModes: ["ReadWriteOncePod"],
    storageClassName: "s",
    resources: { requests: { storage: "1Gi" } },
  };
  await rig.api.post(CLAIMS, { metadata: { name: "c" }, spec: { ...spec, volumeName: "v" } });
  await rig.api.post("/api/v1/persistentvolumes", {
    metadata: { name: "v" },
    spec: {
      accessModes: spec.accessModes,
      capacity: { storage: "1Gi" },
      storageClassName: "s",
      csi: { driver: "x.y", volumeHandle: "h" },
    },
  });
  await rig.api.patch(`${CLAIMS}/c/status`, { status: { phase: "Bound" } });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  await rig.pod("p", { volumes });
  await rig.pod("q", { volumes });
  await rig.pod("other");
  await rig.advance(1000);
  const [p, q, other] = await rig.places("p", "q", "other");
  assertEquals([p !== undefined, q, other !== undefined], [true, undefined, true]);
  const why = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode";
  assertEquals((await rig.scheduled("q")).message.includes(`2 ${why}`), true, (await rig.scheduled("q")).message);
  await rig.api.delete(`${PODS}/p?gracePeriodSeconds=0`);
  await rig.advance(20_000);
  assertEquals((await rig.places("q"))[0] !== undefined, true);
});

/** Local volumes of a class without a provisioner, each on a node, and claims of them. */
async function localVolumes(rig: Rig, volumes: Record<string, { node: string; storage: string }>, claims: string[]) {
  await rig.api.post("/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "local" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const accessModes = ["ReadWriteOnce"];
  for (const [name, { node, storage }] of Object.entries(volumes)) {
    const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
    await rig.api.post("/api/v1/persistentvolumes", {
      metadata: { name },
      spec: {
        accessModes,
        capacity: { storage },
        storageClassName: "local",
        local: { path: "/mnt" },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchFields }] } },
      },
    });
    await rig.api.patch(`/api/v1/persistentvolumes/${name}/status`, { status: { phase: "Available" } });
  }
  for (const name of claims) {
    const resources = { requests: { storage: "1Gi" } };
    await rig.api.post(CLAIMS, { metadata: { name }, spec: { storageClassName: "local", accessModes, resources } });
    await rig.pod(name, { volumes: [{ name: "v", persistentVolumeClaim: { claimName: name } }] });
  }
}

async function claimantOf(rig: Rig, volume: string): Promise<string | undefined> {
  return (await rig.api.get(`/api/v1/persistentvolumes/${volume}`)).body.spec.claimRef?.name;
}

Deno.test("Binder: a pod is bound only when all its claims are; a volume made beforehand is reserved on the node that has it, the smallest that is large enough", async () => {
  await using rig = await Rig.start("a", "b");
  const volumes = {
    small: { node: "a", storage: "500Mi" },
    large: { node: "b", storage: "9Gi" },
    right: { node: "b", storage: "2Gi" },
  };
  await localVolumes(rig, volumes, ["c"]);
  await rig.advance(1000);
  const claimants = await Promise.all(Object.keys(volumes).map((name) => claimantOf(rig, name)));
  assertEquals([claimants, await rig.places("c")], [[undefined, undefined, "c"], [undefined]]);
  await rig.api.patch(`${CLAIMS}/c`, { spec: { volumeName: "right" } });
  await rig.api.patch(`${CLAIMS}/c/status`, { status: { phase: "Bound" } });
  await rig.advance(10);
  assertEquals(await rig.places("c"), ["b"]);
});

Deno.test("Scheduler gives no volume to two claims, and lets pods wait for one to come", async () => {
  await using rig = await Rig.start("a", "b");
  await localVolumes(rig, { v: { node: "a", storage: "1Gi" } }, ["c", "d"]);
  await rig.advance(1000);
  assertEquals(await claimantOf(rig, "v"), "c");
  const { message } = await rig.scheduled("d");
  assert(message.includes("2 node(s) didn't find available persistent volumes to bind"), message);
  await localVolumes(rig, { w: { node: "b", storage: "1Gi" } }, []);
  await rig.advance(20_000);
  assertEquals([await claimantOf(rig, "v"), await claimantOf(rig, "w")], ["c", "d"]);
});

Deno.test("Scheduler: others have their turn while a node is chosen, however many nodes, claims and volumes there are; a pod that is gone by then is given up", async () => {
  await using rig = await Rig.start("a", "b");
  const names = Array.from({ length: 30 }, (_, i) => `v${i}`);
  await localVolumes(rig, Object.fromEntries(names.map((name) => [name, { node: "b", storage: "1Gi" }])), []);
  const resources = { requests: { storage: "1Gi" } };
  const spec = { storageClassName: "local", accessModes: ["ReadWriteOnce"], resources };
  for (const name of names) await rig.api.post(CLAIMS, { metadata: { name }, spec });
  const { clock } = rig.api.world;
  const { monotonicMs, nextTurn } = clock;
  let [looks, turns] = [0, 0];
  clock.monotonicMs = () => monotonicMs.call(clock) + 100 * looks++; // whoever looks has taken long
  clock.nextTurn = () => (turns++, nextTurn.call(clock));
  await rig.pod("p", {
    volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  });
  await rig.api.delete(`${PODS}/p?gracePeriodSeconds=0`);
  for (let i = 0; i < 500; i++) await nextTurn.call(clock);
  Object.assign(clock, { monotonicMs, nextTurn });
  assert(turns > 0);
  await rig.pod("q");
  await rig.advance(10);
  const claimants = await Promise.all(names.map((name) => claimantOf(rig, name)));
  assertEquals([claimants.filter((name) => name !== undefined).length, await rig.places("q")], [0, ["a"]]);
});

Deno.test("Scheduler does not keep others waiting for a pod whose volumes are being made", async () => {
  await using rig = await Rig.start("a");
  for (const name of ["d0", "d1", "d2"]) await rig.podWithClaim(name, name);
  await rig.pod("p");
  await rig.advance(10);
  assertEquals(await rig.places("d0", "p"), [undefined, "a"]);
});

Deno.test("Binder: the wait ends without a binding after ten minutes, when a provisioner has given up", async () => {
  await using rig = await Rig.start("a", "b");
  await rig.podWithClaim("p", "data");
  await rig.advance(1000);
  await rig.api.patch(`${NODES}/a`, { spec: { unschedulable: true } });
  await rig.api.patch(`${CLAIMS}/data`, { metadata: { annotations: { "volume.kubernetes.io/selected-node": null } } });
  await rig.advance(5000);
  const { metadata } = (await rig.api.get(`${CLAIMS}/data`)).body;
  assertEquals(metadata.annotations["volume.kubernetes.io/selected-node"], "b");
  await rig.api.delete(`${PODS}/p`);
  await rig.advance(1000);
});

Deno.test("Scheduler gives a pod's place up when a claim that it waits for goes", async () => {
  await using rig = await Rig.start("a");
  await rig.podWithClaim("p", "data");
  await rig.advance(1000);
  await rig.api.delete(`${CLAIMS}/data`);
  await rig.advance(5000);
  assertEquals((await rig.scheduled("p")).reason, "Unschedulable");
});

Deno.test("Scheduler tries again when the server refuses a binding, and leaves alone what somebody else bound", async () => {
  await using rig = await Rig.start("a", "b");
  rig.api.server.faults.add({ verb: "create", resource: "pods/binding", times: 1, status: { code: 500 } });
  await rig.pod("p");
  await rig.advance(10);
  assertEquals(await rig.places("p"), [undefined]);
  await rig.advance(1000);
  assertEquals(await rig.places("p"), ["a"]);
  await rig.pod("q", { nodeName: "a" });
  await rig.advance(1000);
  assertEquals(await rig.places("q"), ["a"]);
});

Deno.test("Scheduler: a pod is bound only to a node that its selectors, affinities, tolerations, spread constraints, ports, claims and requests allow, counting pods on their way to nodes; ClusterWatch: a placed pod stays where it was put until the API server says where it is, or it is gone", async () => {
  await using rig = await Rig.start("a", "b");
  const names = Array.from({ length: 25 }, (_, i) => `p${i}`);
  for (const name of names) await rig.pod(name);
  await rig.advance(1000);
  const places = await rig.places(...names);
  assertEquals([places.filter((node) => node === "a").length, places.filter((node) => node === "b").length], [10, 10]);
});

Deno.test("Scheduler: when run resolves, no timer and no request of it is left", async () => {
  using api = new Harness();
  const { world, server } = api;
  const client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "scheduler/1" });
  const stop = new AbortController();
  const running = new Scheduler({ world, client, events: true, workers: 2 }).run(stop.signal);
  await api.account("default");
  await api.post(PODS, { metadata: { name: "p" }, spec: { containers: CONTAINERS } });
  await world.clock.advance(10);
  assert(world.clock.pendingTimers > 0 && server.openWatches > 0);
  stop.abort();
  await world.clock.advance(0);
  await running;
  assertEquals(server.openWatches, 0);
  server.close(); // it remembers when the events expire
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("ClusterWatch: a change makes the scheduler retry those pods that it may help; heartbeats and statuses do not", async () => {
  await using rig = await Rig.start("a");
  await rig.pod("p", cpu("3"));
  await rig.advance(15_000);
  const tries = async () => (await rig.events("p")).reduce((sum, event) => sum + Number(event.split(" ")[1]), 0);
  const settled = async () => (await rig.advance(7 * 60_000), await tries());
  const before = await settled();
  for (let i = 0; i < 3; i++) {
    const lastHeartbeatTime = `2026-01-01T01:00:0${i}Z`;
    const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime }];
    await rig.api.patch(`${NODES}/a/status`, { status: { conditions } });
    await rig.advance(15_000);
  }
  assertEquals(await settled(), before);
  await rig.api.patch(`${NODES}/a`, { metadata: { labels: { some: "label" } } });
  assertEquals(await settled(), before + 1);
});
