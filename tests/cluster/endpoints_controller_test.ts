/** Endpoints under upstream's manager and under ours, on a real API server; nodes are not needed, since tests say what pods are like. */
import { assertEquals } from "@std/assert";
import { ENDPOINTS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, PATIENT_WITH_NODES, startManager } from "../controlplane/manager.ts";
import { createServedPod, createService, untilEndpoints } from "../scenarios/endpoints_kit.ts";
import { ENDPOINTS_SCENARIOS } from "../scenarios/endpoints_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";
import { settledVersions } from "./settled_versions.ts";

parityTest("Endpoints say the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "endpoints",
    scenarios: ENDPOINTS_SCENARIOS,
    flags: PATIENT_WITH_NODES,
    resources: [ENDPOINTS],
  });
});

clusterTest("A manager that takes over leaves Endpoints alone that the other has written, and goes on", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
  let before: ReadonlyMap<string, string> = new Map();
  for (const [turn, kind] of turns.entries()) {
    const manager = await startManager(cluster.plane, kind, { flags: PATIENT_WITH_NODES });
    const kit = await cluster.namespace(`endpoints-${turn}`);
    const ports = (containerPort: number) => [{ name: "web", containerPort }];
    for (let i = 1; i <= 6; i++) {
      await createServedPod(kit, `p${i}`, { ips: [`10.1.0.${i}`], ready: i % 2 === 1, ports: ports(8000 + i % 3) });
    }
    await createService(kit, {
      ports: [{ name: "a", port: 80, targetPort: "web" }, { name: "b", port: 81 }, { name: "c", port: 82 }],
    }, { labels: { app: "s" } });
    await createService(kit, { clusterIP: "None", ports: undefined }, { name: "headless" });
    await untilEndpoints(kit, ["10.1.0.1 10.1.0.3 10.1.0.5 !10.1.0.2 !10.1.0.4 !10.1.0.6"], { name: "headless" });
    const versions = await settledVersions(cluster, ENDPOINTS);
    for (const [key, version] of before) assertEquals(versions.get(key), version, `${kind} wrote ${key}`);
    before = versions;
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
});

clusterTest("Endpoints are written by a thread of its own with the rights of its own account", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const kit = cluster.kit("default");
  // Its Service has gone while nobody looked.
  await kit.create(ENDPOINTS, {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "left" },
    subsets: [{ addresses: [{ ip: "10.1.0.9" }] }],
  });
  const leader = { "control-plane.alpha.kubernetes.io/leader": "{}" };
  await kit.create(ENDPOINTS, { apiVersion: "v1", kind: "Endpoints", metadata: { name: "lock", annotations: leader } });
  const flags = [
    "--controller-groups=endpoints=endpoints-controller",
    "--endpoint-updates-batch-period=500ms",
  ];
  const manager = await startManager(cluster.plane, "kubeloop", { flags });
  await kit.untilGone(ENDPOINTS, "left");
  const space = await cluster.namespace("endpoints");
  await createService(space);
  await createServedPod(space, "x", { ips: ["10.1.0.1"] });
  await untilEndpoints(space, ["10.1.0.1 :80/TCP:http"]);
  await kit.get(ENDPOINTS, "lock");
  await manager.process.stop();
});
