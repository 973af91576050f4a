/** ServiceCIDRs under upstream's manager and under ours, on a real API server. */
import { assertEquals } from "@std/assert";
import { SERVICECIDRS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import {
  createAddress,
  createCidr,
  deleteAddress,
  deleteCidr,
  untilCidrsAreGone,
  untilCidrSays,
  untilDefaultIsReady,
} from "../scenarios/service_cidr_kit.ts";
import { SERVICE_CIDR_SCENARIOS } from "../scenarios/service_cidr_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("ServiceCIDRs say the same, and stay as long, under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "service-cidrs",
    scenarios: SERVICE_CIDR_SCENARIOS,
  });
});

clusterTest(
  "A manager that takes over leaves ServiceCIDRs alone that the other has marked, and lets go of them",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
    const versions = async () => {
      const { items } = await cluster.client.list(SERVICECIDRS, {});
      return new Map(items.map(({ metadata }) => [metadata!.name!, metadata!.resourceVersion!]));
    };
    let before = new Map<string, string>();
    for (const [turn, kind] of turns.entries()) {
      const manager = await startManager(cluster.plane, kind);
      const kit = await cluster.namespace(`cidrs-${turn}`);
      const range = (part: string) => `10.${110 + turn}.${part}`;
      await untilDefaultIsReady(kit);
      await createCidr(kit, "stays", [range("1.0/24")]);
      await createCidr(kit, "blocked", [range("2.0/24")]);
      for (const name of ["stays", "blocked"]) await untilCidrSays(kit, name, "True", name);
      await createAddress(kit, range("2.7"));
      await deleteCidr(kit, "blocked");
      await untilCidrSays(kit, "blocked", "False", "kept");
      if (turn > 0) {
        // What the other one has kept goes now.
        await deleteAddress(kit, `10.${109 + turn}.2.7`);
        await untilCidrsAreGone(cluster.kit(`cidrs-${turn - 1}`), "blocked");
      }
      const now = await versions();
      for (const [name, version] of before) {
        if (now.has(name)) assertEquals(now.get(name), version, `${kind} wrote ${name}`);
      }
      before = now;
      await manager.process.stop();
      await dropLease(cluster.plane);
    }
  },
);

clusterTest("ServiceCIDRs are kept by a thread of its own with the rights of its own account", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const flags = [
    "--controller-groups=cidrs=service-cidr-controller",
  ];
  const manager = await startManager(cluster.plane, "kubeloop", { flags });
  const kit = await cluster.namespace("cidrs");
  await createCidr(kit, "a", ["10.120.0.0/24"]);
  await untilCidrSays(kit, "a", "True", "ready");
  await deleteCidr(kit, "a");
  await untilCidrsAreGone(kit, "a");
  await manager.process.stop();
});
