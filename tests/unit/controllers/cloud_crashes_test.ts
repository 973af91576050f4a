/** Processes that die at each of their writes to cluster and cloud: the next one ends where the first would have. */
import { assert, assertEquals } from "@std/assert";
import { MetricsRegistry } from "../../../src/base/mod.ts";
import { type Node, type NodeAddress, NODES } from "../../../src/api/mod.ts";
import type { CloudRoute } from "../../../src/cloud/mod.ts";
import { clusterCidrs } from "../../../src/controllers/address_ranges/mod.ts";
import { cloudNodeMetrics } from "../../../src/controllers/cloud_node/metrics.ts";
import { statusPass } from "../../../src/controllers/cloud_node/status_pass.ts";
import { syncNode } from "../../../src/controllers/cloud_node/sync.ts";
import { monitorNodes } from "../../../src/controllers/cloud_node_lifecycle/monitor.ts";
import { reconcileRoutes } from "../../../src/controllers/node_route/reconcile.ts";
import { type Moment, Mortal } from "./cloud_mortality.ts";
import { CloudRig } from "./cloud_rig.ts";

const { signal } = new AbortController();
const TAINT = { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" };
const SHUTDOWN = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" };
const OLD_ZONE = "failure-domain.beta.kubernetes.io/zone";
const ip = (address: string): NodeAddress => ({ type: "InternalIP", address });
const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });

interface Play {
  readonly nodes: readonly Node[];
  /** Machines and routes. */
  begin(rig: CloudRig): void;
  /** One look at everything, with what the process has of cluster and cloud. */
  look(rig: CloudRig, mortal: Mortal): Promise<void>;
}

const METADATA = { providerID: "fake://1", zone: "a", nodeAddresses: [ip("10.0.0.1"), ip("10.0.0.2")] };

const PLAYS: Readonly<Record<string, Play>> = {
  "nodes are initialized": {
    nodes: [
      { metadata: { name: "new" }, spec: { taints: [TAINT] } },
      { metadata: { name: "old", labels: { [OLD_ZONE]: "b" } }, status: { addresses: [ip("10.9.9.9")] } },
    ],
    begin: ({ cloud }) => ["new", "old"].forEach((name) => cloud.machines.set(name, { metadata: METADATA })),
    look: async (rig, { client, cloud }) => {
      const metrics = cloudNodeMetrics(new MetricsRegistry());
      const context = { ...rig, client, instances: cloud.instances!, metrics };
      for (const name of ["new", "old"]) await syncNode(name, context, signal);
      rig.show();
      await statusPass(context, 1, signal);
    },
  },
  "machines go, stop and come back": {
    nodes: [
      { metadata: { name: "gone" }, status: ready("Unknown") },
      { metadata: { name: "stopped" }, spec: { taints: [{ key: "x", effect: "NoExecute" }] }, status: ready("False") },
      { metadata: { name: "back" }, spec: { taints: [SHUTDOWN] }, status: ready("True") },
      { metadata: { name: "silent" }, status: ready("Unknown") },
      { metadata: { name: "unclear" }, status: ready("Unknown") },
    ],
    begin: ({ cloud }) => {
      cloud.machines.set("stopped", { isShutdown: true });
      cloud.machines.set("silent", {});
      cloud.failures.set("instanceExists", ({ about }) => about === "unclear" ? new Error("no luck") : undefined);
    },
    look: (rig, { client, cloud }) => monitorNodes({ ...rig, client, instances: cloud.instances! }, signal),
  },
  "routes are made, renewed and removed": {
    nodes: [
      { metadata: { name: "new" }, spec: { podCIDR: "10.1.1.0/24", podCIDRs: ["10.1.1.0/24", "fd00:0:0:1::/64"] } },
      {
        metadata: { name: "moved" },
        spec: { podCIDR: "10.1.2.0/24", podCIDRs: ["10.1.2.0/24"] },
        status: { addresses: [ip("10.0.0.2")] },
      },
    ],
    begin: ({ cloud }) => {
      const route = (targetNode: string, destinationCIDR: string, more: Partial<CloudRoute> = {}): CloudRoute => ({
        name: destinationCIDR,
        targetNode,
        destinationCIDR,
        ...more,
      });
      cloud.routes = [
        route("moved", "10.1.2.0/24", { enableNodeAddresses: true, targetNodeAddresses: [ip("10.0.0.1")] }),
        route("unknown", "10.1.3.0/24"),
        route("", "10.1.4.0/24", { blackhole: true }),
        route("", "10.2.0.0/24", { blackhole: true }),
      ];
    },
    look: (rig, { client, cloud }) =>
      reconcileRoutes({
        ...rig,
        client,
        routes: cloud.routes!,
        clusterName: "kubernetes",
        clusterRanges: clusterCidrs("10.1.0.0/16,fd00::/48"),
        onPass: () => {},
      }, signal),
  },
};

/** Looks twice, which is all it takes; a process that dies is followed by one that does the same. */
async function run({ nodes, begin, look }: Play, end?: { readonly atWrite: number; readonly moment: Moment }) {
  const rig = new CloudRig();
  rig.add(...nodes);
  begin(rig);
  const looks = async (mortal: Mortal) => {
    for (let i = 0; i < 2; i++) {
      rig.show();
      await look(rig, mortal);
    }
  };
  const first = new Mortal(rig.client, rig.cloud.provider, end ?? { atWrite: Infinity, moment: "after" });
  await Promise.race([first.died, looks(first)]);
  if (first.isDead) await looks(new Mortal(rig.client, rig.cloud.provider, { atWrite: Infinity, moment: "after" }));
  const objects = rig.client.all(NODES).map(({ metadata, spec, status }) => ({
    ...metadata,
    resourceVersion: undefined,
    spec,
    status,
  }));
  const routes = rig.cloud.routes.map(({ targetNode, destinationCIDR, targetNodeAddresses }) =>
    JSON.stringify({ targetNode, destinationCIDR, targetNodeAddresses })
  ).sort();
  return { writes: first.writes, isDead: first.isDead, end: { objects, routes } };
}

for (const [what, play] of Object.entries(PLAYS)) {
  Deno.test(`it ends the same whichever write a process dies at, while ${what}`, async () => {
    const expected = await run(play);
    assert(expected.writes >= 3, `${expected.writes}`);
    for (let atWrite = 1; atWrite <= expected.writes; atWrite++) {
      for (const moment of ["before", "after"] as const) {
        const actual = await run(play, { atWrite, moment });
        assert(actual.isDead);
        assertEquals(actual.end, expected.end, `${moment} write ${atWrite} of ${expected.writes}`);
      }
    }
  });
}
