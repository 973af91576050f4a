/**
 * Nodes and pods that a hostile kubelet or tenant makes as odd as the API server admits, against the controllers that watch nodes: an
 * honest node that falls silent is found out all the same, and its pods go.
 *
 * | attack                                                      | what bounds it                                                  |
 * | ----------------------------------------------------------- | --------------------------------------------------------------- |
 * | ten thousand conditions, among them `constructor`           | tables are asked by own keys; a condition is looked up once     |
 * | thousands of taints and of tolerations                      | pods of a node are looked at in bounded steps                   |
 * | a zone called `__proto__`, or one for each node             | zones are keys of a Map; a zone that is empty is forgotten      |
 * | leases with times a thousand years off                      | they are compared for change, not with a clock                  |
 * | a node that is patched without end                          | a queue holds a name once; the health pass has its own pace     |
 * | two thousand pods that are to go at once                    | 64 evictions at a time                                          |
 */
import { assertEquals } from "@std/assert";
import { LEASES, type Node, NODES, PODS } from "../../src/api/mod.ts";
import { type TestCluster, withTestCluster } from "../../src/testkit/mod.ts";

const flags = ["--controllers=serviceaccount-controller,node-lifecycle-controller,taint-eviction-controller"];
const KEY = "example.com/k";

/** Lets a stranger attack a cluster of three nodes, and looks what becomes of one of them that falls silent. */
function attack(what: string, run: (cluster: TestCluster) => Promise<void>): void {
  Deno.test(`Nodes with ${what} hide nobody who falls silent, and cost no honest node its pods`, () =>
    withTestCluster({ flags }, async (cluster) => {
      await cluster.namespace("shop");
      await cluster.advance(10_000);
      for (const i of [0, 1]) await createPod(cluster, `on-${i}`, `node-${i}`);
      await run(cluster);
      cluster.nodes.stopNode("node-0");
      await cluster.eventually("its pod is being deleted", async () => {
        const { metadata } = await cluster.client.get(PODS, { namespace: "shop", name: "on-0" });
        return metadata?.deletionTimestamp;
      }, { withinMs: 450_000 });
      assertEquals(
        (await cluster.client.get(PODS, { namespace: "shop", name: "on-1" })).metadata?.deletionTimestamp,
        undefined,
      );
    }));
}

async function createPod({ client }: TestCluster, name: string, nodeName: string, spec: object = {}): Promise<void> {
  const containers = [{ name: "c", image: "nginx:1" }];
  await client.create(PODS, { metadata: { name, namespace: "shop" }, spec: { nodeName, containers, ...spec } });
}

async function createNode({ client }: TestCluster, name: string, more: Partial<Node> = {}): Promise<void> {
  const labels = { "topology.kubernetes.io/zone": `${name}-zone` };
  await client.create(NODES, { ...more, metadata: { name, labels, ...more.metadata } });
  const body = { status: more.status ?? {} };
  await client.patch(NODES, { name }, { type: "merge", body, subresource: "status" });
}

attack("thousands of conditions, labels and taints", async (cluster) => {
  const conditions = ["constructor", "__proto__", "Ready", ...Array.from({ length: 5_000 }, (_, i) => `c${i}`)]
    .map((type) => ({ type, status: type === "Ready" ? "False" : "True" }));
  const labels = {
    "kubernetes.io/os": "linux",
    ...Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`l${i}`, ""])),
  };
  const taints = Array.from({ length: 3_000 }, (_, i) => ({ key: `example.com/t${i}`, effect: "NoExecute" }));
  await createNode(cluster, "large", { metadata: { labels }, spec: { taints }, status: { conditions } });
  const tolerations = taints.map(({ key }) => ({ key, operator: "Exists" }));
  for (let i = 0; i < 5; i++) await createPod(cluster, `p${i}`, "large", { tolerations });
});

attack("zones of senseless names, one each", async (cluster) => {
  const names = ["constructor", "toString", "hasOwnProperty", ...Array.from({ length: 200 }, (_, i) => `z${i}`)];
  for (const [i, zone] of names.entries()) {
    const labels = { "topology.kubernetes.io/zone": zone, "failure-domain.beta.kubernetes.io/region": `${i}` };
    await createNode(cluster, `n${i}`, {
      metadata: { labels },
      status: { conditions: [{ type: "Ready", status: "False" }] },
    });
  }
  await cluster.advance(60_000);
  for (const i of names.keys()) await cluster.client.delete(NODES, { name: `n${i}` });
});

attack("leases a thousand years off", async (cluster) => {
  for (const [name, year] of [["early", "0001"], ["late", "9999"]]) {
    await createNode(cluster, name, { status: { conditions: [{ type: "Ready", status: "True" }] } });
    const metadata = { name, namespace: "kube-node-lease" };
    await cluster.client.create(LEASES, { metadata, spec: { renewTime: `${year}-01-01T00:00:00.000000Z` } });
  }
});

attack("updates without end", async (cluster) => {
  await createNode(cluster, "busy");
  for (let i = 0; i < 3_000; i++) {
    const body = { spec: { taints: [{ key: KEY, value: `${i}`, effect: "NoExecute" }] } };
    await cluster.client.patch(NODES, { name: "busy" }, { type: "merge", body });
  }
});

attack("two thousand pods that are to go at once", async (cluster) => {
  await createNode(cluster, "full");
  for (let i = 0; i < 2_000; i++) await createPod(cluster, `p${i}`, "full");
  const body = { spec: { taints: [{ key: KEY, effect: "NoExecute" }] } };
  await cluster.client.patch(NODES, { name: "full" }, { type: "merge", body });
  await cluster.eventually("all are being deleted", async () => {
    const { items } = await cluster.client.list(PODS, { namespace: "shop" });
    return items.filter(({ metadata }) => metadata?.deletionTimestamp).length === 2_000;
  });
});
