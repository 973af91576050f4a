/**
 * A Deployment's own watch that lags behind those of its ReplicaSets, as it may where several are open: writes of its status then
 * meet the version that the controller wrote itself. Upstream is no different: no gate holds Deployments back until the cache
 * has what was written, and a status that is refused is worked out anew from newer caches.
 */
import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { startTestCluster, type TestCluster } from "kubeloop/testing";
import { DEPLOYMENTS } from "../../src/api/mod.ts";

const REF = { namespace: "default", name: "web" };
const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }
`;

async function rollOut(cluster: TestCluster): Promise<string> {
  await cluster.apply(WEB);
  await cluster.eventually("both pods are available", async () => {
    return (await cluster.client.get(DEPLOYMENTS, REF)).status?.availableReplicas === 2;
  });
  await cluster.settle();
  const { status } = await cluster.client.get(DEPLOYMENTS, REF);
  assertEquals([status?.observedGeneration, status?.replicas, status?.updatedReplicas], [1, 2, 2]);
  assertEquals(status?.conditions?.map(({ type, reason }) => [type, reason]).toSorted(), [
    ["Available", "MinimumReplicasAvailable"],
    ["Progressing", "NewReplicaSetAvailable"],
  ]);
  return cluster.history.dump({ about: "deployments/web/status" });
}

Deno.test("a Deployment's first status writes meet no conflict of their own while its watch keeps up", async () => {
  await using cluster = await startTestCluster();
  assertNotMatch(await rollOut(cluster), /-> 409/);
});

Deno.test("a Deployment whose own watch lags ends right, though a status write met a conflict", async () => {
  await using cluster = await startTestCluster();
  cluster.fault({ verb: "watch", resource: "deployments.apps", lagMs: 300 });
  cluster.apiServer.closeWatches({}, "break");
  await cluster.advance(5000);
  assertMatch(await rollOut(cluster), /-> 409/);
});

Deno.test("a Deployment's progress deadline does not cause a sync before it has passed, whatever hurried its timer", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  const why = () => cluster.why("deployments", REF);
  await cluster.apply(WEB);
  await cluster.settle();
  using _conflict = cluster.fault({ resource: "deployments.apps/status", times: 1, status: { code: 409 } });
  await cluster.client.patch(DEPLOYMENTS, REF, { type: "merge", body: { spec: { replicas: 3 } } });
  await cluster.eventually("the refused status is tried again", async () => /retry: /.test(await why()));
  assertNotMatch(await why(), /progress deadline passed/);
  await cluster.eventually("it fails", async () => {
    const { status } = await cluster.client.get(DEPLOYMENTS, REF);
    return status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded");
  }, { withinMs: 700_000 });
  assertMatch(await why(), /progress deadline passed/);
});
