/** Which ranges nodes get under upstream's manager and under ours, on a real API server. */
import { assert, assertEquals } from "@std/assert";
import { NAMESPACES, NODES } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { register, registerInTurn, remove, untilRanged } from "../scenarios/node_ipam_kit.ts";
import { IPV6_RANGE_SCENARIOS, NODE_IPAM_SCENARIOS, SMALL_RANGE_SCENARIOS } from "../scenarios/node_ipam_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Nodes get the same ranges under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  // Blocks are taken in turn by all scenarios, and what is left of one is there in the next.
  const common = { parallel: 1 };
  // Upstream may take two ranges for a node that somebody else writes at that moment: that is a matter of luck.
  const alone = "--controllers=-ttl-controller,-node-lifecycle-controller";
  await assertParity(cluster, {
    ...common,
    area: "node_ipam",
    scenarios: NODE_IPAM_SCENARIOS,
    flags: [alone, "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48", "--service-cluster-ip-range=10.244.0.0/20"],
  });
  await assertParity(cluster, {
    ...common,
    area: "node_ipam_small_range",
    scenarios: SMALL_RANGE_SCENARIOS,
    flags: [
      alone,
      "--cluster-cidr=10.9.0.0/28",
      "--node-cidr-mask-size=30",
      "--service-cluster-ip-range=10.9.0.4/30,fd00:9::/112",
    ],
  });
  await assertParity(cluster, {
    ...common,
    area: "node_ipam_ipv6",
    scenarios: IPV6_RANGE_SCENARIOS,
    flags: [alone, "--cluster-cidr=fd00:1:2:3::/64", "--node-cidr-mask-size-ipv6=80"],
  });
});

/** The ranges of all nodes, by name. */
async function rangesOf(cluster: Cluster): Promise<Record<string, string>> {
  const { items } = await cluster.client.list(NODES, {});
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata!.name!, String(spec?.podCIDRs ?? [])]));
}

/** What a manager that has just begun would give next. */
function nextAfter(given: Readonly<Record<string, string>>): string[] {
  const all = Object.values(given).join().split(",");
  const block = (i: number) => [`10.244.${i}.0/24`, `fd00:10:244:${i.toString(16)}::/64`];
  for (let i = 1;; i++) if (block(i).every((cidr) => !all.includes(cidr))) return block(i);
}

clusterTest("A manager that takes over changes no node's range, and gives none twice", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const kit = await cluster.client.create(NAMESPACES, { metadata: { name: "nodes" } }).then(() => cluster.kit("nodes"));
  const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
  const flags = [
    "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
    "--service-cluster-ip-range=10.244.0.0/24",
  ];
  let before: Record<string, string> = {};
  for (const [turn, kind] of turns.entries()) {
    // A node that came while nobody led, one that goes meanwhile, and one that somebody else gave what would be next.
    await register(kit, `waiting-${turn}`);
    if (turn === 2) await remove(kit, "a-0");
    if (turn === 3) await register(kit, "own", nextAfter(before));
    const { process } = await startManager(cluster.plane, kind, { flags });
    await registerInTurn(kit, `a-${turn}`, `b-${turn}`, `c-${turn}`);
    await untilRanged(kit, `waiting-${turn}`);
    await remove(kit, `c-${turn}`);
    await registerInTurn(kit, `d-${turn}`);
    const after = await rangesOf(cluster);
    for (const [name, ranges] of Object.entries(before)) {
      if (name in after) assertEquals(after[name], ranges, `${kind} changed ${name}`);
    }
    const given = Object.values(after).join().split(",");
    assertEquals(new Set(given).size, given.length, `${kind} gave something twice: ${given.sort()}`);
    assert(!given.includes("10.244.0.0/24"), `${kind} gave what Services have`);
    before = after;
    await process.stop();
    await dropLease(cluster.plane);
  }
});

clusterTest(
  "Neither manager gives ranges to nodes where one has what makes no sense, or the flags make none",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    await cluster.client.create(NAMESPACES, { metadata: { name: "nodes" } });
    const kit = cluster.kit("nodes");
    await register(kit, "a");
    const broken: readonly (readonly [string, string, string?])[] = [
      ["--cluster-cidr=", "CIDR"],
      ["--cluster-cidr=10.244.0.0/25", "mask size of cluster CIDR must be less than or equal to"],
      ["--cluster-cidr=fd00::/47", "the node CIDR size is too big"],
      ["--cluster-cidr=10.244.0.0/16,10.245.0.0/16", "they are not configured as dual stack"],
      ["--cluster-cidr=10.244.0.0/16", "is out the range of cluster cidr 10.244.0.0/16", "192.168.0.0/24"],
    ];
    for (const [flag, message, foreign] of broken) {
      if (foreign) await register(kit, "foreign", [foreign]);
      for (const kind of ["upstream", "kubeloop"] as const) {
        const { process } = await startManager(cluster.plane, kind, {
          flags: [flag],
          waitForLease: false,
        });
        await eventually(`${kind} with ${flag} says why`, () => Promise.resolve(process.output.includes(message)));
        // With threads a manager tries once more what may be better by then; without, it ends.
        await process.stop();
        await dropLease(cluster.plane);
        const { spec } = await cluster.client.get(NODES, { name: "nodes-a" });
        assertEquals(spec?.podCIDRs, undefined, kind);
      }
      if (foreign) await remove(kit, "foreign");
    }
  },
);
