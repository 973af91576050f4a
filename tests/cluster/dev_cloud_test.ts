/** `kubeloop dev --server --cloud` on a real API server: what its cloud makes of nodes and Services. */
import { assertEquals } from "@std/assert";
import { findCondition, NODES, SERVICES } from "../../src/api/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { KubeloopProcess } from "../sandbox/kubeloop_process.ts";
import { Cluster, clusterTest } from "./cluster.ts";

clusterTest(
  "dev --server --cloud initializes its nodes, balances Services and removes the Nodes of removed machines on a real API server",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { client, plane } = cluster;
    await using dev = new KubeloopProcess(
      "dev",
      `--server=${plane.server}`,
      `--kubeconfig=${plane.kubeconfig}`,
      "--nodes=2",
      "--cloud",
    );
    await dev.line(/^nodes +2 ready$/);
    const key = { namespace: "default", name: "web" };
    await client.create(SERVICES, {
      apiVersion: "v1",
      kind: "Service",
      metadata: key,
      spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
    });
    await eventually("the Service has an address", async () => {
      const { status } = await client.get(SERVICES, key);
      return status?.loadBalancer?.ingress?.[0].ip === "203.0.113.1";
    });
    const node = await client.get(NODES, { name: "node-1" });
    assertEquals(node.spec?.providerID, "simulated://node-1");
    assertEquals(node.metadata?.labels?.["topology.kubernetes.io/zone"], "sim-1b");
    assertEquals(node.status?.addresses?.map(({ type }) => type), ["InternalIP", "ExternalIP", "Hostname"]);
    const body = { metadata: { annotations: { "kubeloop.dev/machine": "removed" } } };
    await client.patch(NODES, { name: "node-1" }, { type: "merge", body });
    // No node-lifecycle-controller runs: somebody must see that the kubelet is silent.
    const status = {
      conditions: [{ ...findCondition(node.status?.conditions, "Ready"), type: "Ready", status: "Unknown" }],
    };
    await client.patch(NODES, { name: "node-1" }, { type: "strategic", body: { status }, subresource: "status" });
    await eventually("its Node is deleted", async () => {
      const { items } = await client.list(NODES);
      return items.length === 1;
    });
    await client.delete(SERVICES, key);
    await eventually(
      "the Service goes",
      async () => (await client.list(SERVICES, { namespace: "default" })).items.length === 1,
    );
    assertEquals((await dev.stop()).code, 0);
  },
);
