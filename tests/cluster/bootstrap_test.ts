/** Bootstrap tokens under upstream's manager and under ours, on a real API server. */
import { assertEquals } from "@std/assert";
import { CONFIGMAPS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, type ManagerOptions, startManager } from "../controlplane/manager.ts";
import { clusterInfo, CONTENT, token, untilSigned, untilWorkedOff } from "../scenarios/bootstrap_kit.ts";
import { BOOTSTRAP_SCENARIOS } from "../scenarios/bootstrap_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = ["bootstrap-signer-controller", "token-cleaner-controller"];

parityTest("Bootstrap tokens sign and expire under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "bootstrap-tokens",
    scenarios: BOOTSTRAP_SCENARIOS,
    // There is one `cluster-info`.
    parallel: 1,
  });
});

clusterTest("A manager that takes over leaves a signed cluster-info alone, and goes on", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const kit = cluster.kit("default");
  // The last turn has the rights of the controllers' accounts alone, and threads of their own.
  const user = await cluster.plane.authority.client("system:kube-controller-manager");
  const kubeconfig = await cluster.plane.writeKubeconfig("manager", { user });
  const own = [
    `--controller-groups=signer=${CONTROLLERS[0]},cleaner=${CONTROLLERS[1]}`,
  ];
  const turns: readonly (readonly [ManagerKind, ManagerOptions])[] = [
    ["upstream", {}],
    ["kubeloop", {}],
    ["upstream", {}],
    ["kubeloop", { kubeconfig, flags: own }],
  ];
  await clusterInfo(kit, { data: { kubeconfig: CONTENT } });
  const versionOf = async () =>
    (await cluster.client.get(CONFIGMAPS, { namespace: "kube-public", name: "cluster-info" })).metadata
      ?.resourceVersion;
  const ids: string[] = [];
  for (const [turn, [kind, { flags = [], ...options }]] of turns.entries()) {
    const before = await versionOf();
    const manager = await startManager(cluster.plane, kind, { ...options, flags });
    // Both have seen all that there is when they have cleaned up what expired.
    await untilWorkedOff(kit);
    if (turn > 0) assertEquals(await versionOf(), before, kind);
    ids.push(`aaaaa${turn}`);
    await token(kit, `aaaaa${turn}`);
    await untilSigned(kit, ...ids);
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
});
