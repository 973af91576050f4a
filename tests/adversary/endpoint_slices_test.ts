/**
 * A tenant who writes Services, Endpoints, slices and pods as large and odd as the API server admits, against the controllers of
 * slices: in another namespace Services get their slices, and nothing is lost that is not the tenant's.
 *
 * | attack                                                  | what bounds it                                                  |
 * | ------------------------------------------------------- | --------------------------------------------------------------- |
 * | Endpoints whose ports and addresses multiply            | ports of one subset are looked at together; a million at most   |
 * | Endpoints of 40,000 addresses, as many subsets as fit    | steps of an address each; a slice holds a thousand of them      |
 * | 1,500 Services that all select one pod that flaps        | Services are found in steps; a queue holds a key once           |
 * | 300 slices of a thousand endpoints that name the manager | each is deleted once, or kept; none is written twice            |
 */
import { assert, assertEquals } from "@std/assert";
import {
  ENDPOINTS,
  type EndpointSlice,
  ENDPOINTSLICES,
  type EndpointSubset,
  PODS,
  SERVICES,
} from "../../src/api/mod.ts";
import { type TestCluster, withTestCluster } from "../../src/testkit/mod.ts";

const TENANT = "constructor";
const VICTIM = "shop";
/** In virtual time. */
const SOON_MS = 20_000;
const FLAGS = [
  "--controllers=endpointslice-controller,endpointslice-mirroring-controller,garbage-collector-controller,serviceaccount-controller",
];
const OURS = "endpointslice-controller.k8s.io";

/** Lets the tenant attack, and then asks for the slices of a Service and of Endpoints somewhere else. */
function attack(what: string, run: (cluster: TestCluster) => Promise<void>): void {
  Deno.test(`A tenant with ${what} keeps nobody else waiting for slices`, () =>
    withTestCluster({ flags: FLAGS, nodes: 1 }, async (cluster) => {
      await cluster.namespace(TENANT);
      await cluster.namespace(VICTIM);
      await run(cluster);
      const namespace = VICTIM;
      const { client } = cluster;
      await client.create(PODS, {
        metadata: { namespace, name: "p", labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
      await client.create(SERVICES, {
        metadata: { namespace, name: "web" },
        spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
      });
      await client.create(SERVICES, { metadata: { namespace, name: "db" }, spec: { ports: [{ port: 80 }] } });
      await client.create(ENDPOINTS, {
        metadata: { namespace, name: "db" },
        subsets: [{ addresses: [{ ip: "192.0.2.1" }] }],
      });
      await cluster.eventually("the other's slices are there", async () => {
        const { items } = await client.list(ENDPOINTSLICES, { namespace });
        return items.length === 2 && items.every(({ endpoints }) => endpoints?.length === 1);
      }, { withinMs: SOON_MS });
      await cluster.advance(300_000); // what is left of the attack is done
      const before = cluster.managerWrites;
      await cluster.advance(60_000);
      assert(cluster.managerWrites - before < 50, "nothing is written again and again");
    }));
}

async function mirrored(cluster: TestCluster, name: string, subsets: EndpointSubset[]): Promise<void> {
  const metadata = { namespace: TENANT, name };
  await cluster.client.create(SERVICES, { metadata, spec: { ports: [{ port: 80 }] } });
  await cluster.client.create(ENDPOINTS, { metadata, subsets });
}

const ip = (i: number) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
const addresses = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: ip(i) }));

attack("Endpoints whose ports and addresses multiply", async (cluster) => {
  const ports = Array.from({ length: 3000 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
  await mirrored(cluster, "flat", [{ addresses: addresses(10_000), ports }]);
  const apart = ports.map((port, i) => ({ addresses: [{ ip: ip(100_000 + i) }], ports: [port] }));
  await mirrored(cluster, "deep", [{ addresses: addresses(5_000), ports }, ...apart]);
  await cluster.advance(30_000);
});

attack("Endpoints of very many addresses and subsets", async (cluster) => {
  await mirrored(cluster, "long", [{ addresses: addresses(40_000), notReadyAddresses: addresses(10) }]);
  const subsets = Array.from({ length: 600 }, (_, i) => ({ addresses: [{ ip: ip(i) }], ports: [{ port: i + 1 }] }));
  await mirrored(cluster, "wide", subsets);
  await cluster.eventually("the long one is mirrored as far as it may be", async () => {
    const { items } = await cluster.client.list(ENDPOINTSLICES, {
      namespace: TENANT,
      labelSelector: "kubernetes.io/service-name=long",
    });
    return items.length === 1 && items[0].endpoints?.length === 1000;
  });
});

attack("1,500 Services that select one pod, which flaps", async (cluster) => {
  const metadata = { namespace: TENANT, name: "constructor", labels: { constructor: "toString" } };
  const spec = { containers: [{ name: "c", image: "i" }], nodeName: "node-0" };
  await cluster.client.create(PODS, { metadata, spec });
  for (let i = 0; i < 1500; i++) {
    await cluster.client.create(SERVICES, {
      metadata: { namespace: TENANT, name: `s${i}` },
      spec: { selector: { constructor: "toString" }, clusterIP: "None", ports: [{ port: 80 }] },
    });
  }
  const ref = { namespace: TENANT, name: "constructor" };
  for (let i = 0; i < 20; i++) {
    const conditions = [{ type: "Ready", status: i % 2 ? "True" : "False" }];
    await cluster.client.patch(PODS, ref, { type: "merge", subresource: "status", body: { status: { conditions } } });
  }
});

attack("slices that name the manager", async (cluster) => {
  const { client } = cluster;
  const service = await client.create(SERVICES, {
    metadata: { namespace: TENANT, name: "web" },
    spec: { selector: { app: "nobody" }, ports: [{ port: 80 }] },
  });
  const owner = { apiVersion: "v1", kind: "Service", name: "web", uid: service.metadata!.uid! };
  const slice = (i: number): EndpointSlice => ({
    metadata: {
      namespace: TENANT,
      name: `fake-${i}`,
      labels: { "endpointslice.kubernetes.io/managed-by": OURS, "kubernetes.io/service-name": "web" },
      ...i % 2 && { ownerReferences: [owner] },
    },
    addressType: i % 7 ? "IPv4" : "FQDN",
    ports: [{ name: "", port: 80, protocol: "TCP" }],
    endpoints: Array.from({ length: 200 }, (_, n) => ({ addresses: [i % 7 ? ip(n) : `h${n}.example.com`] })),
  });
  for (let i = 0; i < 100; i++) await client.create(ENDPOINTSLICES, slice(i));
  await cluster.eventually("they are gone, but for the empty one", async () => {
    const { items } = await client.list(ENDPOINTSLICES, { namespace: TENANT });
    return items.length === 1 && !items[0].endpoints?.length;
  });
  assertEquals((await client.list(SERVICES, { namespace: TENANT })).items.length, 1);
});
