/**
 * Services and Endpoints that make no sense, past all that the API server checks, against the three controllers that look after them:
 * another namespace's Service is served, those that can be are served too, and nothing is written again and again.
 *
 * | attack                                                   | what bounds it                                            |
 * | -------------------------------------------------------- | ---------------------------------------------------------- |
 * | selectors that match nothing, nobody's pods or everything | Services are found by the pods' labels, in steps          |
 * | pods without an address, or with one that is none        | they are skipped; the others of their Service are served  |
 * | Endpoints of a thousand odd addresses                    | each is skipped, with one event for all                   |
 */
import { assert, assertEquals } from "@std/assert";
import { ENDPOINTS, ENDPOINTSLICES, NODES, PODS, SERVICES } from "../../src/api/mod.ts";
import { type TestCluster, withTestCluster } from "../../src/testkit/mod.ts";

const TENANT = "constructor";
const ADDRESSES = [
  "",
  "x",
  "::",
  "010.1.0.1",
  "1.2.3",
  "::ffff:10.1.0.9",
  "fe80::1%eth0",
  "256.0.0.1",
  "10.1.0.1/24",
  "\u0000",
];
const FLAGS = [
  "--controllers=endpoints-controller,endpointslice-controller,endpointslice-mirroring-controller,serviceaccount-controller",
];
const containers = [{ name: "c", image: "i" }];
const ready = [{ type: "Ready", status: "True" }];

/** On a node without a kubelet: nobody gives it another address. */
function storePod({ apiServer }: TestCluster, name: string, ips: readonly string[], namespace = TENANT): void {
  const status = { phase: "Running", conditions: ready, podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) };
  apiServer.storeUnchecked(PODS, {
    metadata: { namespace, name, uid: name, labels: { app: "a" } },
    spec: { containers, nodeName: "n" },
    status,
  });
}

async function createService({ client }: TestCluster, name: string, selector?: Record<string, string>): Promise<void> {
  const metadata = { namespace: TENANT, name };
  await client.create(SERVICES, { metadata, spec: { selector, clusterIP: "None", ports: [{ port: 80 }] } });
}

/** How many endpoints the slices of a Service have. */
async function served({ client }: TestCluster, name: string): Promise<number> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const { items } = await client.list(ENDPOINTSLICES, { namespace: TENANT, labelSelector });
  return items.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0);
}

Deno.test("Services that select nothing, or pods whose addresses make no sense, keep nobody waiting and end in no loop", () =>
  withTestCluster({ flags: FLAGS, nodes: 0 }, async (cluster) => {
    const { client } = cluster;
    for (const name of [TENANT, "shop"]) await cluster.namespace(name);
    await client.create(NODES, { metadata: { name: "n" } });
    storePod(cluster, "good", ["10.1.0.7"]);
    for (const [i, ip] of ADDRESSES.entries()) storePod(cluster, `odd-${i}`, [ip]);
    for (let i = 0; i < 300; i++) storePod(cluster, `bare-${i}`, []);
    for (let i = 0; i < 50; i++) await createService(cluster, `nothing-${i}`, { app: `nobody-${i}` });
    for (let i = 0; i < 20; i++) await createService(cluster, `everything-${i}`, { app: "a" });
    await createService(cluster, "empty", {});
    await createService(cluster, "odd");
    const addresses = Array.from({ length: 1_000 }, (_, i) => ({ ip: `${ADDRESSES[i % ADDRESSES.length]}${i}` }));
    cluster.apiServer.storeUnchecked(ENDPOINTS, {
      metadata: { namespace: TENANT, name: "odd", uid: "odd" },
      subsets: [{ addresses: [...addresses, { ip: "10.1.0.8" }], ports: [{ port: 80, protocol: "TCP" }] }],
    });
    storePod(cluster, "other", ["10.1.0.6"], "shop");
    const ports = [{ port: 80 }];
    await client.create(SERVICES, {
      metadata: { namespace: "shop", name: "web" },
      spec: { selector: { app: "a" }, ports },
    });
    await cluster.eventually("the other's Service is served", async () => {
      const { items } = await client.list(ENDPOINTSLICES, { namespace: "shop" });
      return items.some(({ endpoints }) => endpoints?.length === 1);
    }, { withinMs: 20_000 });
    await cluster.eventually(
      "the good pod is served by all that select it",
      async () => await served(cluster, "everything-19") >= 1,
    );
    await cluster.advance(120_000);
    assertEquals(await served(cluster, "nothing-0"), 0);
    assertEquals(await served(cluster, "empty"), 0);
    assert(await served(cluster, "odd") >= 1, "the address among a thousand that is one");
    const { subsets } = await client.get(ENDPOINTS, { namespace: TENANT, name: "nothing-0" });
    assertEquals(subsets ?? [], []);
    const before = cluster.managerWrites;
    await cluster.advance(600_000);
    assert(cluster.managerWrites - before < 50, `${cluster.managerWrites - before} writes`);
  }));
