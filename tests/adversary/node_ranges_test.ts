/** The oddest ranges that a kubelet may register its node with, and the largest objects about storage versions, against a running manager. */
import { assert, assertEquals } from "@std/assert";
import {
  findCondition,
  type Node,
  NODES,
  type StorageVersionMigration,
  STORAGEVERSIONMIGRATIONS,
  STORAGEVERSIONS,
} from "kubeloop/api";
import { startTestCluster, type TestCluster } from "kubeloop/testing";

/** What kube-apiserver takes for a range, or took once. */
const ODD_RANGES: readonly (readonly string[])[] = [
  ["0.0.0.0/0"],
  ["10.0.0.0/7", "::/0"],
  ["10.0.0.7/8"],
  ["::ffff:10.0.0.0/104"],
  ["010.000.000.000/8", "fd00::/8"],
  ["fd00::/48", "10.0.0.0/8"],
  ["255.255.255.255/32"],
  ["10.255.255.255/32", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"],
  ["10.0.0.0/8", "fd00:0:0:ffff:ffff:ffff:ffff:ffff/128"],
];

/** Those nodes among them that the server lets in. */
async function register(cluster: TestCluster): Promise<string[]> {
  const names: string[] = [];
  for (const [i, podCIDRs] of ODD_RANGES.entries()) {
    const node: Node = { metadata: { name: `odd-${i}` }, spec: { podCIDR: podCIDRs[0], podCIDRs: [...podCIDRs] } };
    try {
      await cluster.client.create(NODES, node);
      names.push(`odd-${i}`);
    } catch {
      // the server refuses it
    }
  }
  return names;
}

Deno.test("nodes that claim all addresses, or others' ones, hold up nobody for longer than they are there", async () => {
  const flags = ["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/8,fd00::/48", "--node-cidr-mask-size-ipv4=32"];
  await using cluster = await startTestCluster({ nodes: 0, flags });
  await cluster.client.create(NODES, { metadata: { name: "first" } });
  await cluster.advance(1000);
  const odd = await register(cluster);
  assert(odd.length >= 5, odd.join());
  for (let i = 0; i < 20; i++) await cluster.client.create(NODES, { metadata: { name: `n${i}` } });
  await cluster.advance(30_000);
  const ranges = async (name: string) => (await cluster.client.get(NODES, { name })).spec?.podCIDRs ?? [];
  assertEquals(await ranges("first"), ["10.0.0.0/32", "fd00::/64"]);
  assertEquals(await ranges("n0"), []);
  for (const name of odd) await cluster.client.delete(NODES, { name });
  await cluster.eventually("all others have ranges", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => ranges(`n${i}`)));
    return all.every(({ length }) => length === 2) && new Set(all.flat()).size === 40;
  });
});

Deno.test("a StorageVersion with thousands of API servers that are gone, and hundreds of migrations of one kind, come to an end", async () => {
  const flags = ["--feature-gates=StorageVersionAPI=true,StorageVersionMigrator=true", "--kube-api-qps=-1"];
  await using cluster = await startTestCluster({ nodes: 0, flags });
  const { client } = cluster;
  const made = await client.create(STORAGEVERSIONS, { metadata: { name: "example.com.things" }, spec: {} });
  const storageVersions = Array.from({ length: 3000 }, (_, i) => ({
    apiServerID: `gone-${i}`,
    encodingVersion: `v${i}`,
    decodableVersions: [`v${i}`],
    servedVersions: [`v${i}`],
  }));
  await client.updateStatus(STORAGEVERSIONS, { ...made, status: { storageVersions } });
  const resource = { group: "scheduling.k8s.io", resource: "priorityclasses" };
  const migration = (i: number): StorageVersionMigration => ({ metadata: { name: `m${i}` }, spec: { resource } });
  for (let i = 0; i < 300; i++) await client.create(STORAGEVERSIONMIGRATIONS, migration(i));
  await cluster.eventually("everything is over", async () => {
    const [versions, migrations] = [
      await client.list(STORAGEVERSIONS, {}),
      await client.list(STORAGEVERSIONMIGRATIONS, {}),
    ];
    return versions.items.length === 0 &&
      migrations.items.every(({ status }) =>
        findCondition(status?.conditions, "Succeeded")?.status === "True" &&
        findCondition(status?.conditions, "Running")?.status === "False"
      );
  });
});
