/** Quotas over hours, and under faults: the whole manager on the embedded API server. */
import { assertEquals } from "@std/assert";
import { withTestCluster } from "kubeloop/testing";
import { CONFIGMAPS, NODES, PODS, RESOURCEQUOTAS } from "../../src/api/mod.ts";
import type { Kit } from "../scenarios/kit.ts";
import { limit, pod, untilUsed } from "../scenarios/quota_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

const usedOf = async (kit: Kit) => (await kit.get(RESOURCEQUOTAS, "a")).status?.used;

Deno.test("a pod stuck on a lost node is charged no more after its grace, at the next full recalculation", () =>
  withTestCluster({ nodes: 1, flags: ["--controllers=*,-pod-garbage-collector-controller"] }, async (cluster) => {
    const kit = kitOf(cluster, await cluster.namespace("quotas"));
    await limit(kit, { hard: { pods: "1", "count/pods": "9" } });
    await kit.create(PODS, pod("p"));
    await kit.until(PODS, "p", "runs", ({ status }) => status?.phase === "Running");
    const [node] = await kit.list(NODES);
    const stopped = { metadata: { annotations: { "kubeloop.dev/stopped": "true" } } };
    await cluster.client.patch(NODES, { name: node.metadata!.name! }, { type: "merge", body: stopped });
    await cluster.advance(1_000);
    await kit.delete(PODS, "p");
    await cluster.advance(10_000);
    assertEquals(await usedOf(kit), { pods: "1", "count/pods": "1" });
    await cluster.advance(300_000);
    assertEquals(await usedOf(kit), { pods: "0", "count/pods": "1" });
  }));

Deno.test("--resource-quota-sync-period says how often everything is measured anew", () =>
  withTestCluster({ flags: ["--resource-quota-sync-period=1m"] }, async (cluster) => {
    const kit = kitOf(cluster, await cluster.namespace("quotas"));
    await limit(kit, { hard: { configmaps: "9" } });
    await cluster.advance(5_000);
    await kit.merge(RESOURCEQUOTAS, "a", { status: { used: { configmaps: "7" } } }, "status");
    await cluster.advance(30_000);
    assertEquals(await usedOf(kit), { configmaps: "7" });
    await cluster.advance(30_000);
    assertEquals(await usedOf(kit), { configmaps: "1" });
  }));

Deno.test("--resource-quota-sync-period=0 leaves what nobody touches as it is", () =>
  withTestCluster({ flags: ["--resource-quota-sync-period=0"] }, async (cluster) => {
    const kit = kitOf(cluster, await cluster.namespace("quotas"));
    await limit(kit, { hard: { configmaps: "9" } });
    await kit.merge(RESOURCEQUOTAS, "a", { status: { used: { configmaps: "7" } } }, "status");
    await cluster.advance(3_600_000);
    assertEquals(await usedOf(kit), { configmaps: "7" });
  }));

Deno.test("quotas are measured through conflicts, failed writes and answers that were lost", () =>
  withTestCluster({}, async (cluster) => {
    const kit = kitOf(cluster, await cluster.namespace("quotas"));
    const write = { verb: "update", resource: "resourcequotas/status" } as const;
    cluster.fault({ ...write, times: 2, status: { code: 409, reason: "Conflict" } });
    cluster.fault({ ...write, after: 2, times: 2, status: { code: 500 } });
    cluster.fault({ ...write, after: 4, times: 1, drop: "after" });
    await limit(kit, { hard: { configmaps: "9" } });
    for (const name of ["x", "y", "z"]) await kit.create(CONFIGMAPS, configMap(name));
    await kit.delete(CONFIGMAPS, "x");
    await kit.delete(CONFIGMAPS, "y");
    await untilUsed(kit, { configmaps: "2" });
  }));

Deno.test("a cache that lags behind lets admission's count stand until it has caught up", () =>
  withTestCluster({}, async (cluster) => {
    const kit = kitOf(cluster, await cluster.namespace("quotas"));
    await limit(kit, { hard: { configmaps: "4" } });
    using _lag = cluster.fault({ verb: "watch", resource: "resourcequotas", lagMs: 3_000 });
    for (let i = 0; i < 5; i++) {
      await kit.create(CONFIGMAPS, configMap(`m${i}`));
      await kit.delete(CONFIGMAPS, `m${i}`);
      await untilUsed(kit, { configmaps: "1" });
    }
    assertEquals((await kit.list(CONFIGMAPS)).length, 1);
  }));

Deno.test("a quota that cannot be measured for want of its kind keeps no other from being measured", () =>
  withTestCluster({}, async (cluster) => {
    const kit = kitOf(cluster, await cluster.namespace("quotas"));
    await kit.create(RESOURCEQUOTAS, {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "none" },
      spec: { hard: { "count/things.example.com": "1" } },
    });
    await limit(kit, { hard: { configmaps: "4" } });
    await untilUsed(kit, { configmaps: "1" });
    const { resourceVersion } = (await kit.get(RESOURCEQUOTAS, "none")).metadata!;
    await cluster.advance(3_600_000);
    const { metadata, status } = await kit.get(RESOURCEQUOTAS, "none");
    assertEquals([metadata?.resourceVersion, status?.used], [resourceVersion, undefined]);
  }));
