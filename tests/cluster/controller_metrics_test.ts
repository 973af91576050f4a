/** What /metrics of both managers say of the same Services, nodes and tainted pods: series by their labels, and numbers. */
import { assert, assertEquals } from "@std/assert";
import { NODES } from "../../src/api/mod.ts";
import { type Manager, type ManagerKind, startManager, WITHOUT_POD_COLLECTION } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { addNode, addPod, nodeName, say, taint, untilEvicted, untilTainted } from "../scenarios/node_kit.ts";
import { patience } from "../scenarios/node_lifecycle_scenarios.ts";
import { addEndpoints, addPods, addService, ensureNodes, removePod, untilEndpoints } from "../scenarios/slice_kit.ts";
import { adminToken } from "./admin_token.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { strictFamilies } from "./prometheus_text.ts";

const NAMESPACE = "measured";
const CLUSTER_CIDR = "10.244.0.0/16";
const FAMILIES =
  /^(node_collector|taint_eviction_controller|node_ipam_controller|endpoint_slice_controller|endpoint_slice_mirroring_controller)_/;
/** Numbers that depend on how long something took, or on how many changes one sync takes up. */
const BY_LUCK = /_(duration|duration_seconds)(_|\{)|_per_sync|_changes\{|_syncs\{|tries_per_request/;
/** There only if a sync began before what the one before had written was heard of. */
const NOT_ALWAYS = "endpoint_slice_controller_syncs{result=stale}";
/** Upstream also takes ranges for nodes of whose range it has not heard yet, and gives them back: what is kept is compared. */
const TAKEN = `node_ipam_controller_cidrset_cidrs_allocations_total{clusterCIDR=${CLUSTER_CIDR}}`;
const GIVEN_BACK = `node_ipam_controller_cidrset_cidrs_releases_total{clusterCIDR=${CLUSTER_CIDR}}`;
const FLAGS = [
  `--cluster-cidr=${CLUSTER_CIDR}`,
  "--node-cidr-mask-size=26",
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=1h",
  "--node-startup-grace-period=1h",
  WITHOUT_POD_COLLECTION,
];

/** Each of the controllers has something to count. */
async function work(kit: Kit): Promise<void> {
  await ensureNodes(kit);
  for (const [name, zone] of [["a", "north"], ["b", "north"], ["c", "south"]]) {
    await addNode(kit, name, { zone, lease: false });
  }
  for (const name of ["a", "b", "c"]) await untilTainted(kit, name, "");
  await kit.untilAll(
    NODES,
    "all have a range",
    (nodes) => nodes.length === 6 && nodes.every(({ spec }) => spec?.podCIDR),
  );
  await addPod(kit, "brief", { node: "c", tolerations: patience(1) });
  await addPod(kit, "at-once", { node: "a" });
  await say(kit, "c", { Ready: "False" });
  await untilEvicted(kit, "brief");
  await taint(kit, "a", { key: "example.com/k", effect: "NoExecute" });
  await untilEvicted(kit, "at-once");
  await kit.client.delete(NODES, { name: nodeName(kit, "b") });
  await addPods(kit, 120);
  await addService(kit);
  await addService(kit, { name: "near", trafficDistribution: "PreferClose" });
  await addService(kit, { name: "none", selector: { app: "none" } });
  await addEndpoints(kit, [{ addresses: [{ ip: "192.0.2.7" }, { ip: "192.0.2.8" }], ports: [{ port: 80 }] }]);
  for (const [service, count] of [["web", 120], ["near", 120], ["none", 0], ["db", 2]] as const) {
    await untilEndpoints(kit, count, count, service);
  }
  // Whether slices are also changed while the first pods come goes by luck: here they are, once each.
  await removePod(kit, "p0");
  for (const service of ["web", "near"]) await untilEndpoints(kit, 119, 119, service);
}

/** Series by name and labels, with their numbers, or `?` where these go by luck. */
async function seriesOf({ plane }: Cluster, { healthzUrl }: Manager, token: string): Promise<string[]> {
  using client = Deno.createHttpClient({ caCerts: [plane.authority.cert] });
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(healthzUrl.replace("/healthz", "/metrics"), { client, headers });
  const families = [...strictFamilies(await response.text())].filter(([name]) => FAMILIES.test(name));
  const series = new Map(families.flatMap(([, { series }]) => [...series]));
  const taken = series.get(TAKEN) ?? NaN;
  series.set(TAKEN, taken - (series.get(GIVEN_BACK) ?? NaN));
  series.delete(NOT_ALWAYS);
  return [...series].map(([name, value]) => `${name} ${name === GIVEN_BACK || BY_LUCK.test(name) ? "?" : value}`)
    .sort();
}

async function measured(kind: ManagerKind): Promise<string[]> {
  await using cluster = await Cluster.start({ nodes: 0 });
  const { plane } = cluster;
  const { cert, key } = await plane.authority.serving(["localhost"], ["127.0.0.1"]);
  const [certFile, keyFile] = [`${plane.folder}/metrics.crt`, `${plane.folder}/metrics.key`];
  await Deno.writeTextFile(certFile, cert);
  await Deno.writeTextFile(keyFile, key);
  const serving = [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`];
  const manager = await startManager(plane, kind, { flags: [...FLAGS, ...serving] });
  await work(await cluster.namespace(NAMESPACE));
  const token = await adminToken(plane);
  let before = "";
  let same = 0;
  const series = await eventually(`what ${kind} counts stays the same`, async () => {
    const now = await seriesOf(cluster, manager, token);
    same = String(now) === before ? same + 1 : 0;
    before = String(now);
    return same === 3 && now;
  }, { everyMs: 1_000 });
  await manager.process.stop();
  return series;
}

clusterTest("both managers count the same Services, nodes, ranges and evictions under the same labels", async () => {
  const theirs = await measured("upstream");
  const ours = await measured("kubeloop");
  assert(theirs.length > 50, `only ${theirs.length} series are compared`);
  assert(theirs.includes(`${TAKEN} 5`), "a range for each of five nodes");
  const [only, missing] = [new Set(ours).difference(new Set(theirs)), new Set(theirs).difference(new Set(ours))];
  assertEquals({ only, missing }, { only: new Set(), missing: new Set() }, "what only one of them says");
});
