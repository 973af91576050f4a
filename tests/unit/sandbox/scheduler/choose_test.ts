/** Where pods go, as a function of the cluster: tables without a server. */
import { assert, assertEquals } from "@std/assert";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodSpec } from "../../../../src/api/mod.ts";
import { chooseNode as choosing, ClusterState, podInfo } from "../../../../src/sandbox/scheduler/mod.ts";
import { stepsOf } from "../../base/steps.ts";

let uids = 0;

function pod(spec: Partial<PodSpec> = {}, metadata: Pod["metadata"] = {}) {
  const containers = [{ name: "c", image: "a:1" }];
  return podInfo({ metadata: { namespace: "default", uid: `u${uids++}`, ...metadata }, spec: { containers, ...spec } });
}

function node(name: string, { labels, ...spec }: Node["spec"] & { labels?: Record<string, string> } = {}): Node {
  const allocatable = { cpu: "2", memory: "4Gi", pods: "10", "x.y/gpu": "1" };
  return { metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } }, spec, status: { allocatable } };
}

function requests(amounts: Record<string, string>): Partial<PodSpec> {
  return { containers: [{ name: "c", image: "a:1", resources: { requests: amounts } }] };
}

function cluster(...nodes: Node[]): ClusterState {
  const state = new ClusterState();
  for (const each of nodes) state.putNode(each);
  return state;
}

const three = () => cluster(node("a"), node("b"), node("c"));

const chooseNode = (each: ReturnType<typeof pod>, state: ClusterState) => stepsOf(choosing(each, state)).result;

/** The nodes that pods like this one get, one after the other. */
function fill(state: ClusterState, make: () => ReturnType<typeof pod>, count: number): string {
  const places: string[] = [];
  for (let i = 0; i < count; i++) {
    const next = make();
    const choice = chooseNode(next, state);
    if (choice.kind === "none") {
      places.push("-");
      continue;
    }
    state.putPod(next, choice.node);
    places.push(choice.node);
  }
  return places.join(" ");
}

function place(state: ClusterState, spec: Partial<PodSpec>, metadata?: Pod["metadata"]): string {
  const choice = chooseNode(pod(spec, metadata), state);
  return choice.kind === "node" ? choice.node : choice.message;
}

const HELPLESS = (count: number) =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;

Deno.test("chooseNode says that there is no node at all", () => {
  assertEquals(place(cluster(), {}), "no nodes available to schedule pods");
});

Deno.test("Scheduler: the choice depends on the cluster alone; pods that are alike take turns", () => {
  assertEquals(fill(three(), () => pod(), 5), "a b c a b");
});

Deno.test("Scheduler: the choice depends on the cluster alone, in whatever order the nodes came", () => {
  assertEquals(fill(cluster(node("c"), node("a"), node("b")), () => pod(), 3), "a b c");
});

Deno.test("chooseNode spreads the pods of a controller over nodes and zones before it looks at load", () => {
  const zone = (name: string, zone: string) => node(name, { labels: { "topology.kubernetes.io/zone": zone } });
  const state = cluster(zone("a1", "a"), zone("a2", "a"), zone("b1", "b"), zone("b2", "b"));
  state.putPod(pod(requests({ cpu: "1" })), "b1");
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r", controller: true };
  assertEquals(fill(state, () => pod({}, { ownerReferences: [owner] }), 5), "a1 b2 a2 b1 a1");
});

Deno.test("chooseNode prefers what the pod prefers, and avoids PreferNoSchedule", () => {
  const state = cluster(
    node("a", { taints: [{ key: "old", effect: "PreferNoSchedule" }] }),
    node("b"),
    node("c", { labels: { disk: "ssd" } }),
  );
  const preference = { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] };
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
  assertEquals(fill(state, () => pod({ affinity: { nodeAffinity } }), 2), "c c");
  assertEquals(fill(state, () => pod(), 2), "b b");
});

Deno.test("chooseNode counts what pods ask for, in every resource", () => {
  const rows: [Partial<PodSpec>, string][] = [
    [requests({ cpu: "1" }), "a b c a b c -"],
    [requests({ cpu: "1500m" }), "a b c -"],
    [requests({ memory: "3Gi" }), "a b c -"],
    [requests({ "x.y/gpu": "1" }), "a b c -"],
    [{ ...requests({ cpu: "500m" }), overhead: { cpu: "1" } }, "a b c -"],
    [{ ...requests({ cpu: "100m" }), initContainers: requests({ cpu: "2" }).containers }, "a b c -"],
  ];
  for (const [spec, places] of rows) assertEquals(fill(three(), () => pod(spec), places.split(" ").length), places);
});

Deno.test("chooseNode counts places for pods, and gives back what pods had", () => {
  const state = cluster(node("a"));
  const first = pod();
  state.putPod(first, "a");
  assertEquals(fill(state, () => pod(), 10), "a a a a a a a a a -");
  state.removePod(first.uid);
  assertEquals(fill(state, () => pod(), 2), "a -");
});

Deno.test("chooseNode keeps pods with the same host port apart", () => {
  const ports = (hostIP?: string, protocol = "TCP") => ({
    containers: [{ name: "c", image: "a:1", ports: [{ containerPort: 80, hostPort: 80, hostIP, protocol }] }],
  });
  const state = cluster(node("a"), node("b"));
  assertEquals(fill(state, () => pod(ports()), 3), "a b -");
  assertEquals([place(state, ports(undefined, "UDP")), place(state, ports("10.0.0.9"))], [
    "a",
    "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports. no new claims to deallocate, " +
    "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
  ]);
});

Deno.test("chooseNode honours tolerations of every operator", () => {
  const taint = (key: string, value: string, effect: string) => ({ key, value, effect });
  const state = cluster(
    node("a", { taints: [taint("k", "5", "NoSchedule")] }),
    node("b", { taints: [taint("k", "5", "NoExecute")] }),
  );
  const key = "k";
  const rows: [NonNullable<PodSpec["tolerations"]>, string][] = [
    [[], "-"],
    [[{ key, operator: "Exists" }], "a"],
    [[{ operator: "Exists" }], "a"],
    [[{ key, value: "5", effect: "NoExecute" }], "b"],
    [[{ key, operator: "Equal", value: "5" }], "a"],
    [[{ key, value: "6" }], "-"],
    [[{ key, operator: "Lt", value: "6" }], "a"],
    [[{ key, operator: "Gt", value: "6" }], "-"],
    [[{ key, operator: "Gt", value: "many" }], "-"],
  ];
  for (const [tolerations, wanted] of rows) {
    const choice = chooseNode(pod({ tolerations }), state);
    assertEquals(choice.kind === "node" ? choice.node : "-", wanted, JSON.stringify(tolerations));
  }
  assertEquals(place(state, {}), `0/2 nodes are available: 2 node(s) had untolerated taint(s). ${HELPLESS(2)}`);
});

Deno.test("chooseNode leaves cordoned nodes to pods that tolerate it", () => {
  const state = cluster(node("a", { unschedulable: true }));
  assertEquals(place(state, {}), `0/1 nodes are available: 1 node(s) were unschedulable. ${HELPLESS(1)}`);
  assertEquals(place(state, { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] }), "a");
});

Deno.test("chooseNode honours required node affinity of every operator", () => {
  const state = cluster(node("a", { labels: { size: "1" } }), node("b", { labels: { size: "10", disk: "ssd" } }));
  const rows: [string, string, string[] | undefined, string][] = [
    ["size", "In", ["10", "11"], "b"],
    ["size", "NotIn", ["1"], "b"],
    ["disk", "NotIn", ["ssd"], "a"],
    ["disk", "Exists", undefined, "b"],
    ["disk", "DoesNotExist", undefined, "a"],
    ["size", "Gt", ["2"], "b"],
    ["size", "Lt", ["2"], "a"],
    ["disk", "Gt", ["2"], "-"],
    ["size", "Near", ["2"], "-"],
  ];
  for (const [key, operator, values, wanted] of rows) {
    const nodeSelectorTerms = [{ matchExpressions: [{ key, operator, values }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const choice = chooseNode(pod({ affinity: { nodeAffinity } }), state);
    assertEquals(choice.kind === "node" ? choice.node : "-", wanted, `${key} ${operator} ${values}`);
  }
  assertEquals(place(state, { nodeSelector: { disk: "ssd" } }), "b");
});

Deno.test("chooseNode looks only at the nodes that affinity names, as for a DaemonSet's pods", () => {
  const named = (...values: string[]) => {
    const matchFields = [{ key: "metadata.name", operator: "In", values }];
    return {
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
      },
    };
  };
  assertEquals(place(three(), named("b")), "b");
  assertEquals(
    place(three(), named("z")),
    `0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${HELPLESS(3)}`,
  );
  assertEquals(
    place(three(), { ...named("b"), ...requests({ cpu: "3" }) }),
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. " + HELPLESS(3),
  );
});

const HOST = "kubernetes.io/hostname";
const web = { app: "web" };

Deno.test("chooseNode keeps pods apart by their anti-affinity, and by that of the pods that are there", () => {
  const term = { topologyKey: HOST, labelSelector: { matchLabels: web } };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const state = three();
  assertEquals(fill(state, () => pod({ affinity: { podAntiAffinity } }, { labels: web }), 4), "a b c -");
  assertEquals(
    place(state, { affinity: { podAntiAffinity } }, { labels: web }),
    "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, " +
      "preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
  );
  assertEquals(
    place(state, {}, { labels: web }),
    "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules. no new claims to deallocate, " +
      "preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
  );
  assertEquals(place(state, {}, { labels: web, namespace: "other" }), "a", "the term is about its own namespace");
  assertEquals(place(state, {}, { labels: { app: "db" } }), "a");
});

Deno.test("chooseNode brings pods together by their affinity, the first of them anywhere", () => {
  const term = { topologyKey: HOST, labelSelector: { matchLabels: web } };
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const state = three();
  assertEquals(
    place(state, { affinity: { podAffinity } }, { labels: { app: "db" } }),
    `0/3 nodes are available: 3 node(s) didn't match pod affinity rules. ${HELPLESS(3)}`,
  );
  state.putPod(pod(), "a");
  assertEquals(fill(state, () => pod({ affinity: { podAffinity } }, { labels: web }), 3), "b b b");
  assertEquals(place(state, { affinity: { podAffinity } }, { labels: { app: "db" } }), "b");
});

Deno.test("chooseNode reads the namespaces of an affinity term, by name and by label", () => {
  const labels: Record<string, Record<string, string>> = { red: { team: "x" }, blue: { team: "y" } };
  const state = new ClusterState({ labelsOf: (name) => labels[name] });
  for (const name of ["a", "b", "c"]) state.putNode(node(name));
  state.putPod(pod({}, { labels: web, namespace: "red" }), "b");
  state.putPod(pod({}, { labels: web, namespace: "blue" }), "c");
  const near = (more: object) => {
    const term = { topologyKey: HOST, labelSelector: { matchLabels: web }, ...more };
    return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  };
  assertEquals(place(state, near({ namespaces: ["red"] })), "b");
  assertEquals(place(state, near({ namespaceSelector: { matchLabels: { team: "y" } } })), "c");
  assertEquals(place(state, near({ namespaceSelector: {} })), "b");
  assert(place(state, near({})).includes("didn't match pod affinity rules"));
});

Deno.test("chooseNode keeps topology spread constraints that must hold", () => {
  const zone = (name: string, zone?: string) => node(name, { labels: zone ? { zone } : {} });
  const constraint = {
    topologyKey: "zone",
    maxSkew: 1,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: web },
  };
  const state = cluster(zone("a1", "a"), zone("a2", "a"), zone("b1", "b"), zone("c"));
  const make = () => pod({ topologySpreadConstraints: [constraint] }, { labels: web });
  assertEquals(fill(state, make, 4), "a1 b1 a2 b1");
  state.putNode({ ...zone("b1", "b"), spec: { unschedulable: true } });
  assertEquals(fill(state, make, 2), "a1 -");
  assertEquals(
    place(state, { topologySpreadConstraints: [constraint] }, { labels: web }),
    "0/4 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label), " +
      "1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. no new claims to deallocate, " +
      "preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, " +
      "2 Preemption is not helpful for scheduling.",
  );
  const even = cluster(zone("a1", "a"), zone("b1", "b"));
  assertEquals(fill(even, make, 2), "a1 b1");
  const three = [{ ...constraint, minDomains: 3 }];
  const choice = chooseNode(pod({ topologySpreadConstraints: three }, { labels: web }), even);
  assertEquals([choice.kind, fill(even, make, 1)], ["none", "a1"], "with too few domains the least counts as none");
});

Deno.test("chooseNode does not count pods on their way out as spread", () => {
  const constraint = {
    topologyKey: HOST,
    maxSkew: 1,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: web },
  };
  const state = cluster(node("a"), node("b"));
  for (let i = 0; i < 2; i++) state.putPod(pod({}, { labels: web, deletionTimestamp: "2026-01-01T00:00:00Z" }), "a");
  const make = () => pod({ topologySpreadConstraints: [constraint] }, { labels: web });
  assertEquals(fill(state, make, 4), "b a b a");
});

Deno.test("chooseNode waits for claims, and follows volumes to their nodes", () => {
  const claim = (name: string, more: object, phase = "Pending") => ({
    metadata: { name, namespace: "default", uid: name },
    spec: { accessModes: ["ReadWriteOnce"], ...more },
    status: { phase },
  });
  const claims: Record<string, ReturnType<typeof claim>> = {
    bound: claim("bound", { volumeName: "local" }, "Bound"),
    gone: claim("gone", { volumeName: "missing" }, "Bound"),
    now: claim("now", { storageClassName: "fast" }),
    later: claim("later", { storageClassName: "late" }),
    lost: claim("lost", { volumeName: "missing" }, "Lost"),
    none: claim("none", { storageClassName: "manual" }),
  };
  const matchExpressions = [{ key: HOST, operator: "In", values: ["b"] }];
  const local = { spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } } };
  const late = { volumeBindingMode: "WaitForFirstConsumer" };
  const state = new ClusterState({
    volumes: {
      claim: (_, name) => claims[name],
      volume: (name) => name === "local" ? local : undefined,
      freeVolumes: () => [],
      volumesNaming: () => [],
      storageClass: (name) =>
        ({
          fast: { provisioner: "x", volumeBindingMode: "Immediate" },
          late: { provisioner: "x", ...late },
          manual: { provisioner: "kubernetes.io/no-provisioner", ...late },
        })[name],
    },
  });
  for (const name of ["a", "b"]) state.putNode(node(name));
  const using = (claimName: string) => ({ volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] });
  const none = (why: string) => `0/2 nodes are available: ${why}. ${HELPLESS(2)}`;
  const atOnce = (why: string) => `0/2 nodes are available: ${why}. not found`;
  const rows: [string, string][] = [
    ["bound", "b"],
    ["later", "a"],
    ["now", atOnce("pod has unbound immediate PersistentVolumeClaims")],
    ["missing", atOnce('persistentvolumeclaim "missing" not found')],
    ["lost", atOnce('persistentvolumeclaim "lost" bound to non-existent persistentvolume "missing"')],
    ["gone", none("2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")],
    ["none", none("2 node(s) didn't find available persistent volumes to bind")],
  ];
  for (const [name, wanted] of rows) assertEquals(place(state, using(name)), wanted, name);
  const choice = chooseNode(pod(using("later")), state);
  assertEquals(choice.kind === "node" && choice.waiting.map(({ metadata }) => metadata?.name), ["later"]);
});

/** A cluster of 200 nodes `n0`... with volumes made beforehand, and how a pod with claims of one class is placed in it. */
function withVolumes(provisioner: string, volumes: PersistentVolume[], claims: PersistentVolumeClaim[]) {
  let looks = 0;
  const state = new ClusterState({
    volumes: {
      claim: (_, name) => claims.find(({ metadata }) => metadata?.name === name),
      volume: () => undefined,
      freeVolumes: () => (looks++, volumes.filter(({ spec }) => !spec?.claimRef)),
      volumesNaming: (_, claim) => volumes.filter(({ spec }) => spec?.claimRef?.name === claim),
      storageClass: () => ({ provisioner, volumeBindingMode: "WaitForFirstConsumer" }),
    },
  });
  for (let i = 0; i < 200; i++) state.putNode(node(`n${i}`));
  const names = claims.map(({ metadata }) => metadata!.name!);
  const using = names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  const { result, steps } = stepsOf(choosing(pod({ volumes: using }), state));
  const found = result.kind === "node" && result.volumes
    ? [...result.volumes].map(([claim, { metadata }]) => `${claim}=${metadata?.name}`)
    : [];
  return { place: result.kind === "node" ? result.node : undefined, found, looks, steps };
}

const MODES = { accessModes: ["ReadWriteOnce"], storageClassName: "c" };

function volumeOn(name: string, nodeName: string, storage: string, spec: PersistentVolume["spec"] = {}) {
  const matchExpressions = [{ key: HOST, operator: "In", values: [nodeName] }];
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  return { metadata: { name }, spec: { ...MODES, capacity: { storage }, nodeAffinity, ...spec } };
}

const claimOf = (name: string, storage: string) => ({
  metadata: { name, namespace: "default", uid: name },
  spec: { ...MODES, resources: { requests: { storage } } },
});

Deno.test("StaticMatch: the smallest claim gets a volume that names it, else the smallest that will do, and none is for two", () => {
  const volumes = [
    volumeOn("large", "n3", "9Gi"),
    volumeOn("named", "n3", "8Gi", { claimRef: { name: "b" } }),
    volumeOn("other", "n2", "2Gi"),
    volumeOn("right", "n3", "2Gi"),
    volumeOn("small", "n3", "1Gi"),
  ];
  const claims = [claimOf("c", "2Gi"), claimOf("b", "1Gi"), claimOf("a", "1500Mi")];
  const { place, found } = withVolumes("kubernetes.io/no-provisioner", volumes, claims);
  assertEquals([place, found], ["n3", ["b=named", "a=right", "c=large"]]);
  const { place: without } = withVolumes("kubernetes.io/no-provisioner", volumes, [...claims, claimOf("d", "3Gi")]);
  assertEquals(without, undefined);
});

Deno.test("StaticMatch is asked only for the chosen node where a provisioner serves all nodes", () => {
  const volumes = Array.from({ length: 2000 }, (_, i) => volumeOn(`v${i}`, "n199", "1Gi"));
  const provisioned = withVolumes("x", volumes, [claimOf("a", "1Gi")]);
  assertEquals([provisioned.place, provisioned.found, provisioned.looks], ["n0", [], 1]);
  assert(provisioned.steps < 1000, `${provisioned.steps} steps`);
  const { steps, place, found } = withVolumes("kubernetes.io/no-provisioner", volumes, [claimOf("a", "1Gi")]);
  assertEquals([place, found], ["n199", ["a=v0"]]);
  assert(steps > 3000, `${steps} steps`);
});

Deno.test("chooseNode names every reason with how many nodes have it, as kube-scheduler does", () => {
  const state = cluster(node("a", { taints: [{ key: "k", effect: "NoSchedule" }] }), node("b"), node("c"));
  state.putPod(pod(requests({ cpu: "2", memory: "1Gi" })), "b");
  state.putPod(pod(requests({ cpu: "2", memory: "4Gi" })), "c");
  assertEquals(
    place(state, requests({ cpu: "1", memory: "2Gi" })),
    "0/3 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, " +
      "preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, " +
      "2 No preemption victims found for incoming pod.",
  );
  assertEquals(
    place(state, { ...requests({ cpu: "3" }), preemptionPolicy: "Never" }),
    "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, " +
      "preemption: not eligible due to preemptionPolicy=Never.",
  );
});

const ALL = { key: "all", counts: () => true };

Deno.test("ClusterState: a pod counts on one node: the one it was put on last", () => {
  const state = three();
  const big = pod(requests({ cpu: "2" }));
  for (const name of ["a", "b"]) state.putPod(big, name);
  assertEquals([state.placeOf(big.uid), [...state.tally(ALL)]], ["b", [["b", 1]]]);
  assertEquals(fill(state, () => pod(requests({ cpu: "2" })), 3), "a c -");
});

Deno.test("ClusterState: every total is updated by the change of one pod or node; none is counted again", () => {
  const state = three();
  let counted = 0;
  const query = { key: "q", counts: () => ++counted > 0 };
  for (let i = 0; i < 100; i++) state.putPod(pod(), "a");
  assertEquals([state.tally(query).get("a"), counted], [100, 100]);
  const one = pod();
  state.putPod(one, "b");
  state.putNode(node("c", { unschedulable: true }));
  assertEquals([state.tally(query).get("b"), counted], [1, 101]);
  state.removePod(one.uid);
  assertEquals([state.tally(query).get("b"), counted], [undefined, 102]);
});

Deno.test("ClusterState: a pod on an unknown node counts from when the node is known", () => {
  const state = cluster();
  state.putPod(pod(requests({ cpu: "1500m" })), "late");
  assertEquals(place(state, requests({ cpu: "1" })), "no nodes available to schedule pods");
  state.putNode(node("late"));
  assertEquals(place(state, requests({ cpu: "500m" })), "late");
  assert(place(state, requests({ cpu: "1" })).includes("1 Insufficient cpu"));
});
