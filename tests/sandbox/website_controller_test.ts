/** The README's controller on more than the README's own test asks of it; `tests/house/readme_test.ts` runs that one. */
import { Cluster } from "kubeloop";
import { CUSTOMRESOURCEDEFINITIONS, DEPLOYMENTS, type KubeObject, LEASES } from "kubeloop/api";
import { startTestCluster, type TestCluster } from "kubeloop/testing";
import { WEBSITES, websites } from "./website_controller.ts";
import { WEBSITE_DEFINITION } from "./website_definition.ts";

const SHOP = { namespace: "default", name: "shop" };

function createShop(cluster: TestCluster) {
  return cluster.client.create(WEBSITES, {
    apiVersion: "example.com/v1",
    kind: "WebSite",
    metadata: SHOP,
    spec: { image: "nginx:1", replicas: 2 },
  });
}

const until = (cluster: TestCluster, ready: number) =>
  cluster.eventually(`${ready} pods are reported ready`, async () => {
    const { status } = await cluster.client.get(WEBSITES, SHOP);
    return status?.ready === ready;
  });

Deno.test("a controller of one's own makes its child, follows it, repairs it, and takes it along", async () => {
  await using cluster = await startTestCluster({ controllers: [websites], manifests: [WEBSITE_DEFINITION] });
  await createShop(cluster);
  await until(cluster, 2);
  await cluster.client.patch(WEBSITES, SHOP, { type: "merge", body: { spec: { replicas: 3 } } });
  await until(cluster, 3);
  const { metadata: before } = await cluster.client.get(DEPLOYMENTS, SHOP);
  await cluster.client.delete(DEPLOYMENTS, SHOP);
  await cluster.eventually("the child is made anew", async () => {
    const { metadata, status } = await cluster.client.get(DEPLOYMENTS, SHOP);
    return metadata?.uid !== before?.uid && status?.readyReplicas === 3;
  });
  await cluster.client.delete(WEBSITES, SHOP);
  await cluster.eventually("nothing is left", async () => (await cluster.client.list(DEPLOYMENTS)).items.length === 0);
});

Deno.test("a controller that runs elsewhere, by a lease, works on a test cluster too", async () => {
  await using cluster = await startTestCluster();
  await cluster.client.create<KubeObject>(CUSTOMRESOURCEDEFINITIONS, WEBSITE_DEFINITION);
  const stop = new AbortController();
  const connection = Cluster.of((request) => cluster.apiServer.fetch(request), { world: cluster.world });
  const lease = { namespace: "default", name: "websites" };
  let hasEnded = false;
  const running = connection.run([websites], { signal: stop.signal, leaderElection: lease })
    .finally(() => hasEnded = true);
  await createShop(cluster);
  await until(cluster, 2);
  stop.abort();
  await cluster.eventually("the controller has ended", () => hasEnded);
  await running;
  const { spec } = await cluster.client.get(LEASES, lease);
  await cluster.eventually("the lease was released", () => spec?.holderIdentity === "");
});
