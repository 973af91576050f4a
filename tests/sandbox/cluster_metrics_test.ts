/** What a library's user sees of metrics. */
import { assertEquals } from "@std/assert";
import { APISERVICES, DEPLOYMENTS, findCondition, PODS } from "kubeloop/api";
import { objects, startTestCluster, type TestCluster } from "kubeloop/testing";

/** What the metrics API says of the pods in `default`, through the API server. */
async function cpuOfPods(cluster: TestCluster): Promise<string[]> {
  const path = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
  const response = await cluster.apiServer.fetch(new Request(`http://server${path}`));
  const { items } = await response.json();
  return items.map(({ containers: [{ usage }] }: { containers: { usage: { cpu: string } }[] }) => usage.cpu);
}

Deno.test("LocalCluster: the API server serves what pods and nodes use, and the metrics that were set, for pods to come too", async () => {
  await using cluster = await startTestCluster();
  const web = objects.deployment("web", { metadata: { namespace: "default" }, replicas: 2 });
  await cluster.client.create(DEPLOYMENTS, web);
  await cluster.settle();
  assertEquals(await cpuOfPods(cluster), []);
  await cluster.advance(15_000);
  assertEquals(await cpuOfPods(cluster), ["1m", "1m"]);
  cluster.metrics.setPodUsage({ namespace: "default", labelSelector: "app=web", usage: { cpu: "700m" } });
  assertEquals(await cpuOfPods(cluster), ["700m", "700m"]);
  const scale = { type: "merge", body: { spec: { replicas: 3 } }, subresource: "scale" } as const;
  await cluster.client.patch(DEPLOYMENTS, { namespace: "default", name: "web" }, scale);
  await cluster.settle();
  assertEquals((await cluster.client.list(PODS, { namespace: "default" })).items.length, 3);
  assertEquals(await cpuOfPods(cluster), ["700m", "700m", "700m"]);
});

Deno.test("TestCluster serves the metrics APIs behind its API server, and no longer once they are unregistered", async () => {
  await using cluster = await startTestCluster();
  const name = "v1beta1.metrics.k8s.io";
  const { status } = await cluster.client.get(APISERVICES, { name });
  assertEquals(findCondition(status?.conditions, "Available")?.reason, "Passed");
  await cluster.client.delete(APISERVICES, { name });
  const gone = await cluster.apiServer.fetch(new Request("http://server/apis/metrics.k8s.io/v1beta1/nodes"));
  await gone.body?.cancel();
  assertEquals(gone.status, 404);
});
