/** The whole cluster on a simulated cloud: what a person sees who plays with it. */
import { assertEquals, assertMatch } from "@std/assert";
import { withTestCluster } from "kubeloop/testing";
import { EVENTS, NODES, SERVICES } from "../../src/api/mod.ts";
import { assertRight, balanced, CLOUD_CLUSTER, isShutdown, nodesOf, watchDeletions } from "./cloud_scenario.ts";

Deno.test("nodes of a cluster with a cloud get provider IDs, zones, addresses and routes, and Services of type LoadBalancer an address", () =>
  withTestCluster(CLOUD_CLUSTER, async (cluster) => {
    await cluster.client.create(SERVICES, balanced("web"));
    await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
    const { status } = await cluster.client.get(SERVICES, { namespace: "default", name: "web" });
    assertMatch(status?.loadBalancer?.ingress?.[0].ip ?? "", /^203\.0\.113\.\d+$/);
    const [{ spec }] = await nodesOf(cluster);
    assertEquals(spec?.providerID, "simulated://node-0");
  }));

Deno.test("followMachines: a machine that stops takes its kubelet with it, and both start again when kubeloop.dev/machine is removed", () =>
  withTestCluster(CLOUD_CLUSTER, async (cluster) => {
    await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
    const annotate = (value: string | null) =>
      cluster.client.patch(NODES, { name: "node-1" }, {
        type: "merge",
        body: { metadata: { annotations: { "kubeloop.dev/machine": value } } },
      });
    await annotate("stopped");
    await cluster.eventually(
      "the shutdown taint",
      async () => (await nodesOf(cluster)).filter(isShutdown).length === 1,
    );
    await cluster.advance(20 * 60_000);
    assertEquals((await nodesOf(cluster)).length, 3);
    await annotate(null);
    await cluster.eventually("all is right again", () => assertRight(cluster).then(() => true));
  }));

Deno.test("kubeloop.dev/machine=removed removes a machine, and its Node, its route and its place behind balancers go", () =>
  withTestCluster(CLOUD_CLUSTER, async (cluster) => {
    const judge = watchDeletions(cluster);
    await cluster.client.create(SERVICES, balanced("web"));
    await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
    const body = { metadata: { annotations: { "kubeloop.dev/machine": "removed" } } };
    await cluster.client.patch(NODES, { name: "node-1" }, { type: "merge", body });
    await cluster.eventually("its Node is gone", async () => (await nodesOf(cluster)).length === 2);
    await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
    judge();
  }));

Deno.test("kubeloop.dev/load-balancer makes a balancer fail and take its time", () =>
  withTestCluster(CLOUD_CLUSTER, async (cluster) => {
    const service = balanced("web");
    service.metadata!.annotations = { "kubeloop.dev/load-balancer": "fail:quota exceeded,10s" };
    await cluster.settle();
    await cluster.client.create(SERVICES, service);
    await cluster.advance(14_000);
    assertEquals(cluster.cloud.balancers, []);
    const { items } = await cluster.client.list(EVENTS, { namespace: "default" });
    const told = items.find(({ reason }) => reason === "SyncLoadBalancerFailed");
    assertMatch(told?.message ?? "", /quota exceeded/);
    await cluster.advance(2_000);
    await assertRight(cluster);
  }));

Deno.test("followMachines: only a change of an annotation has an effect, or one that is there when the Node is first seen", () =>
  withTestCluster({ ...CLOUD_CLUSTER, nodes: 1 }, async (cluster) => {
    await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
    cluster.cloud.setMachine("node-0", "stopped");
    await cluster.eventually("the shutdown taint", async () => (await nodesOf(cluster)).some(isShutdown));
    const annotate = (annotations: Record<string, string | null>) =>
      cluster.client.patch(NODES, { name: "node-0" }, { type: "merge", body: { metadata: { annotations } } });
    await annotate({ "example.com/other": "1" });
    await cluster.advance(1000);
    assertEquals(cluster.cloud.machine("node-0")?.state, "stopped");
    await annotate({ "kubeloop.dev/machine": "nonsense" });
    await cluster.advance(1000);
    assertEquals(cluster.cloud.machine("node-0")?.state, "stopped");
    await annotate({ "kubeloop.dev/machine": null });
    await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
  }));
