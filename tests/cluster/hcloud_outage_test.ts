/**
 * Hetzner Cloud is away in one way after the other, under a manager at work on a real API server. Periods are those of the flags by a
 * fifth, and outages are short: half an hour of each is played on the virtual clock, in `tests/sandbox/cloud_outages_test.ts`.
 */
import { assertEquals } from "@std/assert";
import { type Node, NODES, type Service, SERVICES } from "../../src/api/mod.ts";
import { HcloudProgram } from "../controlplane/hcloud_program.ts";
import { kubeloopCommand } from "../controlplane/manager.ts";
import { eventually, freePort, Process } from "../controlplane/process.ts";
import type { Fault } from "../emulators/hcloud/faults.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { addBalanced, untilGiven } from "./ippool_kit.ts";

/** An outage ends after so many requests. */
const OUTAGES: readonly (readonly [what: string, faults: readonly Fault[], requests: number])[] = [
  ["errors of the server", [{ does: "error", status: 500 }], 6],
  ["an expired token", [{ does: "error", status: 401, code: "unauthorized" }], 4],
  ["a limit that is used up", [{ does: "error", status: 429, code: "rate_limit_exceeded" }], 3],
  ["half answers", [{ does: "cut" }], 6],
  ["empty lists where there was something", [{ does: "empty", method: "GET" }], 6],
  ["a proxy's pages", [{ does: "page" }], 6],
  ["a proxy's pages for what is not there", [{ does: "page", status: 404 }], 6],
  ["answers that get lost", [{ does: "lost" }], 6],
  ["no answers", [{ does: "hang" }], 1], // each takes as long as a request may
];

function startManager({ plane }: Cluster, program: HcloudProgram): Process {
  const { kubeconfig } = plane;
  const { program: command, args } = kubeloopCommand([
    "cloud-controller-manager",
    "--cloud-provider=hcloud",
    "--allow-untagged-cloud",
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${freePort()}`,
    "--cluster-cidr=10.244.0.0/16",
    "--node-monitor-period=1s",
    "--route-reconciliation-period=2s",
    "--node-status-update-frequency=2s",
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
  ]);
  const env = {
    ...program.env,
    HCLOUD_NETWORK: "cluster",
    HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: "true",
    HCLOUD_METRICS_ENABLED: "false",
    HCLOUD_LOAD_BALANCERS_LOCATION: "fsn1",
    HCLOUD_SERVER_CACHE_MAX_AGE: "1s",
  };
  return plane.adopt(new Process("kubeloop", command, { args, env }));
}

/** What must not change while the cloud is away: Nodes, addresses, and what is in the cloud. */
async function picture({ client }: Cluster, kit: Kit, program: HcloudProgram): Promise<unknown> {
  const nodes = (await client.list<Node>(NODES)).items.map(({ metadata, spec }) => [metadata?.uid, spec]);
  const services = (await kit.list<Service>(SERVICES)).filter(({ metadata }) => metadata?.name?.startsWith("kept"))
    .map(({ metadata, status }) => [metadata?.resourceVersion, status]);
  return { nodes, services, ...await program.control<object>("GET", "/resources") };
}

clusterTest(
  "While Hetzner Cloud is away, in nine ways, no Node and no balancer goes, and afterwards all is right",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { client } = cluster;
    await using program = await HcloudProgram.start("--servers=3", "--limit=100000", "--action-ms=50");
    const manager = startManager(cluster, program);
    const kit = await cluster.namespace("shop", { account: false });
    const condition = (status: string) => ({ type: "Ready", status, reason: "Said", message: "" });
    for (const i of [1, 2, 3]) {
      const range = `10.244.${i}.0/24`;
      await client.create<Node>(NODES, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: `node-${i}` },
        spec: {
          podCIDR: range,
          podCIDRs: [range],
          taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }],
        },
        status: { conditions: [condition("True")] },
      });
    }
    const isSettled = async () =>
      (await client.list<Node>(NODES)).items.every(({ spec, status }) =>
        spec?.providerID &&
        status?.conditions?.some(({ type, status }) => type === "NetworkUnavailable" && status === "False")
      );
    const until = (what: string, holds: () => Promise<unknown>) =>
      eventually(what, async () => {
        if (manager.exit) throw new Error(`the manager ended: ${manager.output.slice(-3000)}`);
        return Boolean(await holds());
      }, { withinMs: 120_000 });
    await until("nodes are initialised and have routes", isSettled);
    for (const name of ["kept-a", "kept-b"]) await addBalanced(kit, name);
    for (const name of ["kept-a", "kept-b"]) await untilGiven(kit, name);
    await client.patch(NODES, { name: "node-1" }, {
      type: "strategic",
      body: { status: { conditions: [condition("Unknown")] } },
      subresource: "status",
    });
    const before = await picture(cluster, kit, program);

    for (const [what, faults, requests] of OUTAGES) {
      for (const fault of faults) await program.fault(fault);
      await until(`${what}: ${requests} requests`, async () => await program.faulty() >= requests);
      assertEquals(await picture(cluster, kit, program), before, what);
      await program.mend();
      const asked = (await program.requests()).length;
      await until(
        `${what} end: the silent node is asked about`,
        async () => (await program.requests()).slice(asked).some(({ path }) => path.startsWith("/servers")),
      );
      assertEquals(await picture(cluster, kit, program), before, `after ${what}`);
    }

    // What is asked for meanwhile is done afterwards.
    await program.fault({ does: "error", status: 503 });
    await addBalanced(kit, "new");
    await kit.delete(SERVICES, "kept-b");
    await program.control("DELETE", "/servers/1");
    await until("it is tried", async () => await program.faulty() >= 6);
    assertEquals([(await client.list(NODES)).items.length, (await kit.list(SERVICES)).length], [3, 3]);
    await program.mend();
    await untilGiven(kit, "new");
    await kit.untilGone(SERVICES, "kept-b");
    await until(
      "the Node of the server that is gone is deleted",
      async () => (await client.list(NODES)).items.length === 2,
    );
    const { load_balancers } = await program.control<{ load_balancers: number }>("GET", "");
    assertEquals(load_balancers, 2);
  },
);
