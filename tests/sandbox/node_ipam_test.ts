/** Nodes' ranges when many nodes come at once, and when the API server or the manager fails, on the embedded API server. */
import { assert, assertEquals } from "@std/assert";
import { EVENTS, type Node, NODES } from "kubeloop/api";
import { startTestCluster, type TestCluster } from "kubeloop/testing";

const FLAGS = ["--allocate-node-cidrs", "--kube-api-qps=-1"];
const DUAL = [...FLAGS, "--cluster-cidr=10.0.0.0/8,fd00:10::/48", "--service-cluster-ip-range=10.0.0.0/12"];

async function nodes(cluster: TestCluster): Promise<Node[]> {
  return (await cluster.client.list(NODES, {})).items;
}

function create(cluster: TestCluster, name: string, podCIDRs?: string[]): Promise<Node> {
  const spec = podCIDRs && { podCIDR: podCIDRs[0], podCIDRs };
  return cluster.client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name }, spec });
}

/** Waits until every node has as many ranges as there are families, and none is given twice. */
async function untilAllRanged(cluster: TestCluster, count: number): Promise<string[]> {
  const ranges = await cluster.eventually(`${count} nodes have ranges`, async () => {
    const all = (await nodes(cluster)).map(({ spec }) => spec?.podCIDRs ?? []);
    return all.length === count && all.every(({ length }) => length > 0) && all;
  });
  const given = ranges.flat();
  assertEquals(new Set(given).size, given.length);
  return given;
}

Deno.test("2,000 nodes that register at once get two ranges each, all of them different", async () => {
  await using cluster = await startTestCluster({ nodes: 0, flags: DUAL });
  const own = Array.from(
    { length: 50 },
    (_, i) => [`10.200.${2 * i}.0/24`, `fd00:10:0:f0${(3 * i).toString(16).padStart(2, "0")}::/64`],
  );
  await Promise.all(Array.from({ length: 2000 }, (_, i) => create(cluster, `n${i}`, own[i / 40])));
  const given = await untilAllRanged(cluster, 2000);
  assertEquals(given.length, 4000);
  assertEquals(given.filter((cidr) => /^10\.(\d|1[0-5])\./.test(cidr)), []);
});

Deno.test("nodes get ranges although writes fail, get no answer, or are answered after they were done", async () => {
  await using cluster = await startTestCluster({ nodes: 0, flags: DUAL });
  const patches = { verb: "patch", resource: "nodes", times: 20 } as const;
  cluster.fault({ ...patches, status: { code: 500 } });
  cluster.fault({ ...patches, drop: "after" });
  cluster.fault({ ...patches, drop: "before" });
  cluster.fault({ ...patches, duplicate: true });
  await Promise.all(Array.from({ length: 40 }, (_, i) => create(cluster, `n${i}`)));
  assertEquals((await untilAllRanged(cluster, 40)).length, 80);
});

Deno.test("a node is offered the same ranges again while the cache does not show that it has them", async () => {
  await using cluster = await startTestCluster({ nodes: 0, flags: DUAL });
  cluster.fault({ verb: "watch", resource: "nodes", lagMs: 5000 });
  let patches = 0;
  cluster.apiServer.onWrite(({ collection, object }) => {
    if (collection === "nodes" && (object as Node | undefined)?.spec?.podCIDRs) patches++;
  });
  for (let i = 0; i < 5; i++) {
    const name = `n${i}`;
    await create(cluster, name);
    for (let label = 0; label < 5; label++) {
      await cluster.client.patch(NODES, { name }, {
        type: "merge",
        body: { metadata: { labels: { label: `${label}` } } },
      });
      await cluster.advance(1500);
    }
  }
  const given = await untilAllRanged(cluster, 5);
  assertEquals(
    given.filter((cidr) => cidr.includes("/24")).sort(),
    [16, 16, 16, 16, 16].map((_, i) => `10.16.${i}.0/24`),
  );
  assert(patches >= 5);
});

Deno.test("nodes that come and go all the time never share a range", async () => {
  await using cluster = await startTestCluster({
    nodes: 0,
    flags: [...FLAGS, "--cluster-cidr=10.9.0.0/24", "--node-cidr-mask-size=28"],
  });
  for (let round = 0; round < 12; round++) {
    const names = Array.from({ length: 10 }, (_, i) => `n${(round * 3 + i) % 15}`);
    const there = new Set((await nodes(cluster)).map(({ metadata }) => metadata!.name!));
    for (const name of there) if (!names.includes(name)) await cluster.client.delete(NODES, { name });
    await Promise.all(names.filter((name) => !there.has(name)).map((name) => create(cluster, name)));
    await untilAllRanged(cluster, 10);
  }
});

Deno.test("a node that waits for a range gets the one that another node leaves", async () => {
  await using cluster = await startTestCluster({ nodes: 0, flags: [...FLAGS, "--cluster-cidr=10.9.0.0/24"] });
  await create(cluster, "first");
  await untilAllRanged(cluster, 1);
  await create(cluster, "second");
  await cluster.eventually("an event says that nothing is left", async () => {
    const { items } = await cluster.client.list(EVENTS, {});
    return items.some(({ reason, involvedObject, source }) =>
      reason === "CIDRNotAvailable" && involvedObject?.name === "second" && source?.component === "cidrAllocator"
    );
  });
  await cluster.client.delete(NODES, { name: "first" });
  assertEquals(await untilAllRanged(cluster, 1), ["10.9.0.0/24"]);
});

Deno.test("what a node has that others have too, or Services, is not given when it goes", async () => {
  const flags = [
    ...FLAGS,
    "--cluster-cidr=10.9.0.0/28",
    "--node-cidr-mask-size=30",
    "--service-cluster-ip-range=10.9.0.0/30",
  ];
  await using cluster = await startTestCluster({ nodes: 0, flags });
  await create(cluster, "a", ["10.9.0.4/30"]);
  await create(cluster, "b", ["10.9.0.4/30"]);
  await create(cluster, "c", ["10.9.0.0/24"]);
  await create(cluster, "d", ["10.9.0.0/30"]);
  await cluster.advance(1000);
  for (const name of ["a", "c", "d"]) await cluster.client.delete(NODES, { name });
  for (const name of ["x", "y", "z"]) await create(cluster, name);
  await cluster.advance(60_000);
  const ranges = (await nodes(cluster)).map(({ metadata, spec }) => `${metadata?.name} ${spec?.podCIDRs ?? "nothing"}`);
  assertEquals(ranges.filter((text) => text.startsWith("b")), ["b 10.9.0.4/30"]);
  assertEquals(ranges.filter((text) => text.endsWith("nothing")).length, 1);
  assert(
    ["10.9.0.8/30", "10.9.0.12/30"].every((cidr) => ranges.some((text) => text.endsWith(` ${cidr}`))),
    ranges.join(),
  );
});
