/** Half an hour without a cloud, in every way: nothing is lost, few calls are made, and afterwards all is right again. */
import { assert, assertEquals } from "@std/assert";
import { type CloudFault, type TestCluster, withTestCluster } from "kubeloop/testing";
import { findCondition, SERVICES } from "../../src/api/mod.ts";
import { CloudError } from "../../src/cloud/mod.ts";
import { assertRight, balanced, CLOUD_CLUSTER, nodesOf, watchDeletions } from "./cloud_scenario.ts";

const MINUTES = 30;
/** One node is silent: asked about every 5 s. Routes are listed every 10 s. What fails is tried again more and more rarely. */
const MOST_CALLS_A_MINUTE = 40;

const OUTAGES: Readonly<Record<string, readonly CloudFault[]>> = {
  "errors": [{ error: new CloudError("500 internal server error") }],
  "calls that never end": [{ delayMs: Infinity }],
  "an expired token": [{ error: new CloudError("401 unauthorized: the token is expired") }],
  "lost answers": [{ error: new CloudError("connection reset"), isDone: true }],
  "answers that make no sense": [{ answer: "<html>down for maintenance</html>" }],
  "half answers": [{ methods: ["listRoutes"], answer: [] }, { methods: ["instanceMetadata"], answer: null }, {
    error: new CloudError("the list of servers is empty where there were some"),
  }],
};

for (const [name, faults] of Object.entries(OUTAGES)) {
  Deno.test(`after half an hour of ${name} no Node and no balancer is gone, and what was changed meanwhile is done`, () =>
    withTestCluster(CLOUD_CLUSTER, (cluster) => suffer(cluster, faults)));
}

async function suffer(cluster: TestCluster, faults: readonly CloudFault[]): Promise<void> {
  const { client, cloud, nodes } = cluster;
  const judge = watchDeletions(cluster);
  for (const service of [balanced("kept"), balanced("changed"), balanced("deleted")]) {
    await client.create(SERVICES, service);
  }
  await cluster.eventually("all is right", () => assertRight(cluster).then(() => true));
  const before = cloud.balancers.map(({ uid, addresses }) => ({ uid, addresses }));
  const begun = faults.map((fault) => cloud.fault(fault));
  nodes.stopNode("node-1");
  await client.create(SERVICES, balanced("new"));
  const key = (name: string) => ({ namespace: "default", name });
  await client.patch(SERVICES, key("changed"), { type: "merge", body: { spec: { ports: [{ port: 8080 }] } } });
  for (let minute = 1; minute <= MINUTES; minute++) {
    const calls = sum(cloud.calls);
    await cluster.advance(60_000);
    const made = sum(cloud.calls) - calls;
    assert(made <= MOST_CALLS_A_MINUTE, `${made} calls in minute ${minute}: ${JSON.stringify(cloud.calls)}`);
    assertEquals((await nodesOf(cluster)).length, 3, "no Node is gone");
    for (const { uid, addresses } of before) {
      assertEquals(cloud.balancers.find((each) => each.uid === uid)?.addresses, addresses, "no balancer is gone");
    }
  }
  const silent = (await nodesOf(cluster)).find(({ metadata }) => metadata?.name === "node-1");
  assertEquals(findCondition(silent?.status?.conditions, "Ready")?.status, "Unknown");
  await client.delete(SERVICES, key("deleted"));
  await cluster.advance(60_000);
  for (const fault of begun) fault[Symbol.dispose]();
  nodes.startNode("node-1");
  await cluster.eventually("all is right again", () => assertRight(cluster).then(() => true));
  assertEquals(cloud.balancers.length, 3);
  judge();
}

function sum(calls: Readonly<Record<string, number>>): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0);
}
