/** Simulated nodes and the small scheduler on a real API server, and the scheduler's words beside kube-scheduler's. */
import { assert, assertEquals } from "@std/assert";
import { EVENTS, findCondition, LEASES, NODES, type Pod, PODS, type PodSpec } from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import { Scheduler } from "../../src/sandbox/mod.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const CONTAINERS = [{ name: "c", image: "nginx:1" }];
/** Pods that are on their way out are gone soon, also where nobody asks for it. */
const QUICK = { terminationGracePeriodSeconds: 1 };

function pod(name: string, spec: Partial<PodSpec> = {}, metadata: Pod["metadata"] = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: CONTAINERS, ...QUICK, ...spec },
  };
}

/** A namespace in which pods can be made, although no controller runs. */
async function namespace(cluster: Cluster, name: string): Promise<Kit> {
  await cluster.plane.kubectl(["create", "namespace", name]);
  await cluster.plane.kubectl(["create", "serviceaccount", "default", "-n", name]);
  return cluster.kit(name);
}

/** The small scheduler, until it is disposed of. */
function startScheduler({ client }: Cluster): AsyncDisposable {
  const stop = new AbortController();
  const running = new Scheduler({ world: systemWorld(new MemoryLogger()), client, events: true }).run(stop.signal);
  return {
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return running;
    },
  };
}

const phase = (wanted: string) => ({ status }: Pod) => status?.phase === wanted;
const isReady = ({ status }: Pod) => findCondition(status?.conditions, "Ready")?.status === "True";

clusterTest("simulated nodes run, end, gate and remove pods on a real API server as kubelets do", async () => {
  await using cluster = await Cluster.start({
    simulated: { untaint: true, podStartMs: 50, podRunMs: 200, initRunMs: 50, events: true },
  });
  const kit = await namespace(cluster, "life");
  const annotations = { "kubeloop.dev/exit-code": "3" };
  await kit.create(PODS, pod("runs"));
  await kit.create(PODS, pod("succeeds", { restartPolicy: "Never" }));
  await kit.create(PODS, pod("fails", { restartPolicy: "Never" }, { annotations }));
  await kit.create(PODS, pod("crashes", {}, { annotations }));
  await kit.create(PODS, pod("gated", { readinessGates: [{ conditionType: "x.y/z" }] }));
  const initContainers = [
    { name: "first", image: "a:1" },
    { name: "side", image: "b:1", restartPolicy: "Always" },
  ];
  await kit.create(PODS, pod("prepared", { initContainers, restartPolicy: "OnFailure" }));

  // At once: one of them is looked at while it backs off for the first time.
  const [failed, prepared, crashes] = await Promise.all([
    kit.until(PODS, "fails", "has failed", phase("Failed")),
    kit.until(PODS, "prepared", "has succeeded", phase("Succeeded")),
    kit.until(
      PODS,
      "crashes",
      "backs off",
      ({ status }) => status?.containerStatuses?.[0].state?.waiting?.reason === "CrashLoopBackOff",
    ),
    kit.until(PODS, "runs", "is ready", isReady),
    kit.until(PODS, "succeeds", "has succeeded", phase("Succeeded")),
  ]);
  assertEquals(failed.status?.containerStatuses?.[0].state?.terminated?.exitCode, 3);
  assertEquals(prepared.status?.initContainerStatuses?.map(({ state }) => state?.terminated?.reason), [
    "Completed",
    "Completed",
  ]);
  assertEquals([crashes.status?.phase, crashes.status?.containerStatuses?.[0].restartCount], ["Running", 1]);

  const reasonOf = (reason: string) => ({ status }: Pod) =>
    findCondition(status?.conditions, "Ready")?.reason === reason;
  await kit.until(PODS, "gated", "waits for its gate", reasonOf("ReadinessGatesNotReady"));
  const conditions = [{ type: "x.y/z", status: "True" }];
  await kit.client.patch(PODS, { namespace: "life", name: "gated" }, {
    type: "strategic",
    subresource: "status",
    body: { status: { conditions } },
  });
  const gated = await kit.until(PODS, "gated", "is ready", isReady);
  assertEquals(findCondition(gated.status?.conditions, "Ready")?.reason, undefined);
  assertEquals(gated.status?.conditions?.map(({ type }) => type), [
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
    "x.y/z",
  ]);

  const names = ["runs", "crashes", "gated", "succeeds"];
  for (const name of names) await kit.delete(PODS, name);
  for (const name of names) await kit.untilGone(PODS, name);
  const events = await cluster.plane.kubectl(["get", "events", "-n", "life", "-o", "jsonpath={.items[*].reason}"]);
  for (const reason of ["Pulled", "Created", "Started", "Killing", "BackOff"]) assert(events.includes(reason), reason);
});

clusterTest("a stopped simulated node does nothing on a real API server until it is started again", async () => {
  await using cluster = await Cluster.start({ nodes: 1, simulated: { untaint: true, podStartMs: 50 } });
  const kit = await namespace(cluster, "stop");
  await kit.create(PODS, pod("old"));
  await kit.until(PODS, "old", "is ready", isReady);
  const lease = () => kit.client.get(LEASES, { namespace: "kube-node-lease", name: "node-0" });
  const before = await eventually("the node has a lease", lease);
  assertEquals(before.metadata?.ownerReferences?.[0].kind, "Node");

  cluster.simulator.stopNode("node-0");
  await kit.delete(PODS, "old");
  await kit.create(PODS, pod("new"));
  await kit.until(PODS, "new", "is bound", ({ spec }) => spec?.nodeName === "node-0");
  await kit.client.patch(NODES, { name: "node-0" }, {
    type: "strategic",
    subresource: "status",
    body: { status: { conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] } },
  });
  assertEquals([(await kit.get(PODS, "old")).status?.phase, (await kit.get(PODS, "new")).status?.startTime], [
    "Running",
    undefined,
  ]);

  cluster.simulator.startNode("node-0");
  await kit.untilGone(PODS, "old");
  await kit.until(PODS, "new", "is ready", isReady);
  await eventually("the node is ready", async () => {
    const { status } = await kit.client.get(NODES, { name: "node-0" });
    return findCondition(status?.conditions, "Ready")?.reason === "KubeletReady";
  });
  await cluster.simulator.removeNode("node-0");
  const gone = await kit.client.get(NODES, { name: "node-0" }).then(() => false, isNotFound);
  assert(gone, "the node is gone");
});

const HOST = "kubernetes.io/hostname";
const WEB = { app: "web" };
const apart = {
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: HOST, labelSelector: { matchLabels: WEB } }],
};
const cpu = (amount: string): Partial<PodSpec> => ({
  containers: [{ ...CONTAINERS[0], resources: { requests: { cpu: amount } } }],
});
const named = (...values: string[]): Partial<PodSpec> => {
  const matchFields = values.map((value) => ({ key: "metadata.name", operator: "In", values: [value] }));
  const nodeSelectorTerms = matchFields.map((field) => ({ matchFields: [field] }));
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
};
const claim = (claimName: string): Partial<PodSpec> => ({
  volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
});
const port = { containers: [{ ...CONTAINERS[0], ports: [{ containerPort: 80, hostPort: 80 }] }] };
const spread = (topologyKey: string): Partial<PodSpec> => ({
  topologySpreadConstraints: [{
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: WEB },
  }],
});
const tolerant: Partial<PodSpec> = { tolerations: [{ operator: "Exists" }] };

/** Pods that fit nowhere on three nodes: one with a web pod that has host port 80, one tainted, one cordoned. */
const MISFITS: Readonly<Record<string, Partial<PodSpec>>> = {
  "large": cpu("3"),
  "large-and-tolerant": { ...cpu("3"), ...tolerant },
  "too-large-for-what-is-left": cpu("1500m"),
  "picky": { nodeSelector: { disk: "ssd" } },
  "named-and-large": { ...named("node-0"), ...cpu("3") },
  "named-like-none": named("elsewhere"),
  "two-named-like-none": named("elsewhere", "nowhere"),
  "apart": { affinity: { podAntiAffinity: apart } },
  "near-nothing": {
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{
          topologyKey: HOST,
          labelSelector: { matchLabels: { app: "none" } },
        }],
      },
    },
  },
  "without-claim": claim("missing"),
  "with-unbound-claim": claim("unbound"),
  "wants-taken-port": port,
  "spread": spread("zone"),
  "spread-over-no-label": spread("rack"),
  "never-preempts": { ...cpu("3"), priorityClassName: "meek" },
};

clusterTest("the scheduler says why a pod fits nowhere in kube-scheduler's words", async () => {
  await using cluster = await Cluster.start({
    scheduler: false,
    simulated: {
      untaint: true,
      podStartMs: 50,
      capacity: { cpu: "2", memory: "4Gi", pods: "20" },
      labelsOf: (i) => ({ zone: "abc"[i] }),
    },
  });
  const { client, plane } = cluster;
  await eventually("three nodes are there", async () => (await client.list(NODES)).items.length === 3);
  await plane.kubectl(["taint", "node", "node-1", "dedicated=x:NoSchedule"]);
  await plane.kubectl(["cordon", "node-2"]);
  await plane.apply({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "meek" },
    value: 0,
    preemptionPolicy: "Never",
  });
  const kits = { theirs: await namespace(cluster, "theirs"), ours: await namespace(cluster, "ours") };
  for (const [name, kit] of Object.entries(kits)) {
    await plane.apply({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "unbound", namespace: name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" },
    });
    // Small enough for both, and the port for one of them: host ports are the node's, whatever the namespace.
    const spec = name === "theirs"
      ? { ...cpu("400m"), containers: [{ ...cpu("400m").containers![0], ports: port.containers[0].ports }] }
      : cpu("400m");
    await kit.create(PODS, pod("web", { ...spec, nodeName: "node-0" }, { labels: WEB }));
    await kit.until(PODS, "web", "runs", phase("Running"));
  }
  const messages = async (kit: Kit) => {
    for (const [name, spec] of Object.entries(MISFITS)) await kit.create(PODS, pod(name, spec, { labels: WEB }));
    const found: Record<string, string | undefined> = {};
    for (const name of Object.keys(MISFITS)) {
      const { status } = await kit.until(
        PODS,
        name,
        "is said to fit nowhere",
        ({ status }) => findCondition(status?.conditions, "PodScheduled")?.reason === "Unschedulable",
      );
      found[name] = findCondition(status?.conditions, "PodScheduled")?.message;
    }
    return found;
  };
  const upstream = plane.startScheduler();
  const theirs = await messages(kits.theirs);
  await upstream.stop();
  await using _scheduler = startScheduler(cluster);
  const ours = await messages(kits.ours);
  assertEquals(ours, theirs);
  assertEquals(new Set(Object.values(theirs)).size > 8, true, "the situations differ");
});

clusterTest("the scheduler writes the events that kube-scheduler writes", async () => {
  await using cluster = await Cluster.start({
    scheduler: false,
    nodes: 1,
    simulated: { untaint: true, podStartMs: 50, capacity: { cpu: "2", memory: "4Gi", pods: "20" } },
  });
  const { client, plane } = cluster;
  await eventually("the node is there", async () => (await client.list(NODES)).items.length === 1);
  const kits = { theirs: await namespace(cluster, "theirs"), ours: await namespace(cluster, "ours") };
  const eventsOf = async (kit: Kit) => {
    await kit.create(PODS, pod("fits"));
    await kit.create(PODS, pod("large", cpu("3")));
    const { namespace } = kit;
    const items = await eventually("both pods have events", async () => {
      const list = await client.list(EVENTS, { namespace, fieldSelector: "reportingComponent=default-scheduler" });
      return list.items.length === 2 && list.items;
    });
    return items.map((event) => {
      const { metadata, eventTime, involvedObject: { uid, resourceVersion, ...about }, reportingInstance, ...rest } =
        event;
      assert(uid && resourceVersion && eventTime && reportingInstance?.startsWith("default-scheduler-"));
      assert(metadata.name?.startsWith(`${about.name}.`));
      return {
        ...rest,
        involvedObject: { ...about, namespace: "" },
        message: rest.message?.replace(namespace, "<ns>"),
      };
    }).sort((a, b) => (a.reason ?? "") < (b.reason ?? "") ? -1 : 1);
  };
  const upstream = plane.startScheduler();
  const theirs = await eventsOf(kits.theirs);
  await upstream.stop();
  await using _scheduler = startScheduler(cluster);
  const ours = await eventsOf(kits.ours);
  assertEquals(ours, theirs);
  assertEquals(theirs.map(({ reason }) => reason), ["FailedScheduling", "Scheduled"]);
});

clusterTest("the scheduler puts pods on a real API server where they fit", async () => {
  await using cluster = await Cluster.start({
    scheduler: false,
    simulated: {
      untaint: true,
      podStartMs: 50,
      capacity: { cpu: "2", memory: "4Gi", pods: "20" },
      labelsOf: (i) => ({ zone: "aab"[i] }),
    },
  });
  const kit = await namespace(cluster, "fit");
  await eventually("three nodes are there", async () => (await kit.client.list(NODES)).items.length === 3);
  await cluster.plane.kubectl(["taint", "node", "node-1", "dedicated=x:NoSchedule"]);
  await using _scheduler = startScheduler(cluster); // which has thus seen the taint
  await kit.create(PODS, pod("zoned", { nodeSelector: { zone: "b" } }));
  await kit.create(PODS, pod("dedicated", { ...tolerant, nodeSelector: { [HOST]: "node-1" } }));
  for (const name of ["web-0", "web-1"]) {
    await kit.create(PODS, pod(name, { affinity: { podAntiAffinity: apart }, ...cpu("1") }, { labels: WEB }));
  }
  await kit.create(PODS, pod("large", { ...cpu("1500m"), ...tolerant }));
  await kit.create(PODS, pod("waiting", cpu("2")));
  const placed = async (name: string) => (await kit.until(PODS, name, "is ready", isReady)).spec?.nodeName;
  assertEquals([await placed("zoned"), await placed("dedicated"), await placed("large")], [
    "node-2",
    "node-1",
    "node-1",
  ]);
  assertEquals([await placed("web-0"), await placed("web-1")].sort(), ["node-0", "node-2"]);
  const web = (await kit.get(PODS, "web-0")).spec?.nodeName;
  await kit.delete(PODS, "web-0");
  assertEquals(await placed("waiting"), web, "room that comes free is used");
});
