/**
 * A tenant who may create and change everything in one namespace, against what keeps Endpoints, and an administrator who makes the
 * oddest ServiceCIDRs and nodes: the Endpoints of somebody else are written soon, and what was attacked is right in the end.
 *
 * | attack                                                          | what bounds it                                                |
 * | --------------------------------------------------------------- | ------------------------------------------------------------- |
 * | a Service of 1,200 pods, one of which changes                   | 1,000 addresses are written; each change writes once          |
 * | a Service of thousands of ports, named ones among them          | ports are looked up and hashed in steps                       |
 * | Endpoints of 20,000 addresses in the place of a Service's       | what is too much is replaced without a look at what it says   |
 * | subsets that multiply                                           | `repackSubsets` ends at a million addresses                   |
 * | thousands of Services of one pod                                | an index by selector, a queue of keys, steps                  |
 * | names that objects inherit, as labels and selectors             | `Object.hasOwn`; values are compared, not looked for          |
 * | a hundred ServiceCIDRs of one range, and addresses in it        | ranges are read once; addresses are looked at in steps        |
 * | a node's annotation of a quarter of a megabyte                  | `parseInt64` looks at 19 digits; the log has some of it       |
 */
import { assert, assertEquals } from "@std/assert";
import {
  ENDPOINTS,
  type EndpointSubset,
  findCondition,
  IPADDRESSES,
  type KubeObject,
  NODES,
  type Pod,
  PODS,
  type Resource,
  type Service,
  SERVICECIDRS,
  SERVICES,
  type ServiceSpec,
} from "../../src/api/mod.ts";
import { type TestCluster, withTestCluster } from "../../src/testkit/mod.ts";

const TENANT = "constructor";
const VICTIM = "shop";
/** In virtual time; alone it takes less than a second. */
const SOON_MS = 10_000;
const FLAGS = ["--controllers=endpoints-controller,serviceaccount-controller,service-cidr-controller,ttl-controller"];

/** Lets the tenant attack, and asks for Endpoints somewhere else. */
function attack(what: string, run: (cluster: TestCluster) => Promise<void>): void {
  Deno.test(`A tenant with ${what} keeps nobody's Endpoints waiting`, () =>
    withTestCluster({ flags: FLAGS, nodes: 0 }, async (cluster) => {
      for (const name of [TENANT, VICTIM]) await cluster.namespace(name);
      await run(cluster);
      await create(cluster, SERVICES, service("web", { app: "web" }), VICTIM);
      await createPod(cluster, "web", { app: "web" }, "10.9.0.1", VICTIM);
      await cluster.eventually("the other's Endpoints are there", async () => {
        const { subsets } = await cluster.client.get(ENDPOINTS, { namespace: VICTIM, name: "web" });
        return subsets?.[0]?.addresses?.[0]?.ip === "10.9.0.1";
      }, { withinMs: SOON_MS });
    }));
}

const create = <T extends KubeObject>(cluster: TestCluster, resource: Resource<T>, object: T, namespace = TENANT) =>
  cluster.client.create(resource, object, resource.namespaced ? { namespace } : {});

function service(name: string, selector: Record<string, string>, spec: Partial<ServiceSpec> = {}): Service {
  return { metadata: { name }, spec: { selector, clusterIP: "None", ports: [{ port: 80 }], ...spec } };
}

/** A ready pod of a node that does not exist. */
async function createPod(
  cluster: TestCluster,
  name: string,
  labels: Record<string, string>,
  ip: string,
  namespace = TENANT,
  ports?: NonNullable<Pod["spec"]>["containers"][number]["ports"],
): Promise<void> {
  const spec = { nodeName: "nowhere", containers: [{ name: "c", image: "i", ports }] };
  await create(cluster, PODS, { metadata: { name, labels }, spec }, namespace);
  await say(cluster, name, { phase: "Running", podIP: ip, podIPs: [{ ip }], ...readiness(true) }, namespace);
}

const readiness = (ready: boolean) => ({ conditions: [{ type: "Ready", status: ready ? "True" : "False" }] });

async function say(cluster: TestCluster, name: string, status: Pod["status"], namespace = TENANT): Promise<void> {
  await cluster.client.patch(PODS, { namespace, name }, { type: "merge", subresource: "status", body: { status } });
}

/** Waits until the tenant's Endpoints are as wanted. */
async function untilSubsets(
  cluster: TestCluster,
  name: string,
  holds: (subsets: readonly EndpointSubset[]) => boolean,
): Promise<void> {
  await cluster.eventually(`Endpoints ${name} are right`, async () => {
    const { subsets = [] } = await cluster.client.get(ENDPOINTS, { namespace: TENANT, name });
    return holds(subsets);
  });
}

const ipOf = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

attack("a Service of 1,200 pods", async (cluster) => {
  for (let i = 0; i < 1_200; i++) await createPod(cluster, `p${i}`, { app: "a" }, ipOf(i));
  await create(cluster, SERVICES, service("s", { app: "a" }));
  await untilSubsets(cluster, "s", ([subset]) => subset?.addresses?.length === 1_000);
  const { metadata } = await cluster.client.get(ENDPOINTS, { namespace: TENANT, name: "s" });
  assertEquals(metadata?.annotations?.["endpoints.kubernetes.io/over-capacity"], "truncated");
  await cluster.settle();
  const before = cluster.managerWrites;
  for (let i = 0; i < 250; i++) await say(cluster, `p${i}`, readiness(false));
  await untilSubsets(
    cluster,
    "s",
    ([subset]) => subset.addresses?.length === 950 && subset.notReadyAddresses?.length === 50,
  );
  await cluster.settle();
  assert(cluster.managerWrites - before < 300, `${cluster.managerWrites - before} writes`);
});

attack("Services of thousands of ports", async (cluster) => {
  const count = 2_000;
  const names = Array.from({ length: count }, (_, i) => `p${i}`);
  const own = names.map((name, i) => ({ name, containerPort: i + 1, protocol: "TCP" }));
  for (const [i, ports] of [own, own.slice(1), own.toReversed()].entries()) {
    await createPod(cluster, `x${i}`, { app: "a" }, ipOf(i), TENANT, ports);
  }
  const named = names.map((name, i) => ({ name, port: i + 1, targetPort: name }));
  await create(cluster, SERVICES, service("named", { app: "a" }, { ports: named }));
  const numbered = names.map((name, i) => ({ name, port: i + 1 }));
  await create(cluster, SERVICES, service("numbered", { app: "a" }, { ports: numbered }));
  const portsOf = (subsets: readonly EndpointSubset[]) => subsets.map(({ ports = [] }) => ports.length).sort().join();
  await untilSubsets(cluster, "named", (subsets) => portsOf(subsets) === `1,${count - 1}`);
  await untilSubsets(cluster, "numbered", (subsets) => portsOf(subsets) === `${count}`);
});

attack("large Endpoints in the place of a Service's", async (cluster) => {
  const addresses = Array.from({ length: 20_000 }, (_, i) => ({ ip: ipOf(i) }));
  await create(cluster, ENDPOINTS, { metadata: { name: "many" }, subsets: [{ addresses, ports: [{ port: 1 }] }] });
  const ports = Array.from({ length: 100 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
  const multiplying = Array.from({ length: 100 }, (_, i) => ({
    addresses: addresses.slice(i * 9, i * 9 + 9),
    ports: ports.slice(i).concat({ name: `own${i}`, port: 1_000 + i }),
  }));
  await create(cluster, ENDPOINTS, { metadata: { name: "multiplying" }, subsets: multiplying });
  await createPod(cluster, "x", { app: "a" }, "10.1.0.1");
  for (const name of ["many", "multiplying"]) await create(cluster, SERVICES, service(name, { app: "a" }));
  for (const name of ["many", "multiplying"]) {
    await untilSubsets(
      cluster,
      name,
      ([subset, ...more]) => more.length === 0 && subset?.addresses?.map(({ ip }) => ip).join() === "10.1.0.1",
    );
  }
});

attack("a thousand Services of one pod", async (cluster) => {
  await createPod(cluster, "x", { app: "a", tier: "b" }, "10.1.0.1");
  for (let i = 0; i < 1_000; i++) {
    await create(cluster, SERVICES, service(`s${i}`, i % 2 ? { app: "a" } : { tier: "b" }));
  }
  await untilSubsets(cluster, "s999", ([subset]) => subset?.addresses?.length === 1);
  await say(cluster, "x", readiness(false));
  await untilSubsets(cluster, "s998", ([subset]) => subset?.notReadyAddresses?.length === 1);
});

attack("names that objects inherit", async (cluster) => {
  const labels = { constructor: "constructor", toString: "valueOf", hasOwnProperty: "x" };
  await createPod(cluster, "bare", { app: "a" }, "10.1.0.1");
  await createPod(cluster, "hasownproperty", labels, "10.1.0.2");
  const named = { ...service("constructor", labels), metadata: { name: "constructor", labels, annotations: labels } };
  await create(cluster, SERVICES, named);
  await untilSubsets(
    cluster,
    "constructor",
    (subsets) => subsets.length === 1 && subsets[0].addresses?.map(({ ip }) => ip).join() === "10.1.0.2",
  );
  const { metadata } = await cluster.client.get(ENDPOINTS, { namespace: TENANT, name: "constructor" });
  assertEquals(metadata?.labels?.constructor, "constructor");
});

attack("a pod that has an address and no node", async (cluster) => {
  await create(cluster, PODS, {
    metadata: { name: "x", labels: { app: "a" } },
    spec: { schedulerName: "nobody", containers: [{ name: "c", image: "i" }] },
  });
  await say(cluster, "x", { podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }] });
  // As upstream's, what is to be written is refused, and the Service is given up after a while.
  await create(cluster, SERVICES, service("s", { app: "a" }));
  await cluster.advance(600_000);
  const before = cluster.managerWrites;
  await cluster.advance(600_000);
  assert(cluster.managerWrites - before < 20, `${cluster.managerWrites - before} writes`);
});

attack("a hundred ServiceCIDRs of one range", async (cluster) => {
  const names = Array.from({ length: 100 }, (_, i) => `c${i}`);
  for (const [i, name] of names.entries()) {
    const cidrs = i % 2 ? ["192.168.0.0/16"] : ["192.168.0.0/16", "fd00::/64"];
    await create(cluster, SERVICECIDRS, { metadata: { name }, spec: { cidrs } });
  }
  const labels = {
    "ipaddress.kubernetes.io/ip-family": "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  };
  for (let i = 0; i < 2_000; i++) {
    const name = `192.168.${i >> 8}.${i & 255}`;
    await create(cluster, IPADDRESSES, {
      metadata: { name, labels },
      spec: { parentRef: { resource: "services", namespace: TENANT, name: "s" } },
    });
  }
  await cluster.settle();
  for (const name of names) await cluster.client.delete(SERVICECIDRS, { name });
  // One of them may keep the others from being kept, and is kept itself.
  await cluster.eventually("one is left, which says why", async () => {
    const { items } = await cluster.client.list(SERVICECIDRS);
    const left = items.filter(({ metadata }) => names.includes(metadata!.name!));
    return left.length === 0 ||
      left.every(({ status }) => findCondition(status?.conditions, "Ready")?.status === "False");
  });
});

attack("a node that says something endless", async (cluster) => {
  const annotations = { "node.alpha.kubernetes.io/ttl": "9".repeat(250_000) };
  await create(cluster, NODES, { metadata: { name: "constructor", annotations } });
  await cluster.eventually("the node says 0", async () => {
    const { metadata } = await cluster.client.get(NODES, { name: "constructor" });
    return metadata?.annotations?.["node.alpha.kubernetes.io/ttl"] === "0";
  });
});
