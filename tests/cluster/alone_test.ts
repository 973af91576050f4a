/** A cluster whose only manager is kubeloop, started with the command line that kubeadm writes, and whose scheduler is kube-scheduler. */
import { assert, assertEquals, assertFalse, assertMatch } from "@std/assert";
import {
  CERTIFICATESIGNINGREQUESTS,
  CONFIGMAPS,
  type EndpointSlice,
  findCondition,
  NAMESPACES,
  type Node,
  NODES,
  type Pod,
  PODS,
  SECRETS,
} from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import { kubeadmFlags } from "../controlplane/kubeadm_flags.ts";
import { leaseHolder, startKubeloop } from "../controlplane/manager.ts";
import { eventually, freePort, type Process } from "../controlplane/process.ts";
import { openssl } from "../controlplane/signing_authorities.ts";
import { decide } from "../scenarios/certificate_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { manifestPath } from "../unit/manifests/reading.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const READY_TAINT = "node.kubernetes.io/not-ready";
const GONE_TAINT = "node.kubernetes.io/unreachable";

/** kubeadm's command line, and a shorter patience with nodes than 50 s. */
async function startAlone({ plane }: Cluster): Promise<Process> {
  const manager = startKubeloop(plane, [
    "kube-controller-manager",
    ...await kubeadmFlags(plane, freePort()),
    "--node-monitor-grace-period=15s",
    "--node-monitor-period=2s",
  ]);
  await eventually("kubeloop leads", async () => {
    if (manager.exit) throw new Error(`it ended: ${manager.output.slice(-3000)}`);
    return await leaseHolder(plane) !== "";
  });
  return manager;
}

/** The addresses that a Service's slices hold, in order. */
async function addressesOf({ plane }: Cluster, namespace: string, service: string): Promise<string[]> {
  const slices = await plane.get<{ items: EndpointSlice[] }>(
    "endpointslices",
    "-n",
    namespace,
    "-l",
    `kubernetes.io/service-name=${service}`,
  );
  const endpoints = slices.items.flatMap(({ endpoints }) => endpoints ?? []);
  return endpoints.filter(({ conditions }) => conditions?.ready).flatMap(({ addresses }) => addresses).sort();
}

const podAddresses = (pods: readonly Pod[]) => pods.map(({ status }) => status?.podIP).sort();
const isReady = ({ status }: Pod) => findCondition(status?.conditions, "Ready")?.status === "True";
const hasTaint = ({ spec }: Node, key: string) => (spec?.taints ?? []).some((taint) => taint.key === key);

async function nodesRegister(cluster: Cluster): Promise<void> {
  const nodes = await eventually("all nodes are released and have their block of addresses", async () => {
    const { items } = await cluster.client.list(NODES);
    const isReleased = items.every((node) => !hasTaint(node, READY_TAINT) && node.spec?.podCIDR);
    return items.length === 3 && isReleased && items;
  });
  const blocks = nodes.map(({ spec }) => spec!.podCIDR!);
  assertEquals(new Set(blocks).size, 3);
  for (const block of blocks) assertMatch(block, /^10\.244\.\d+\.0\/24$/);
}

async function servicesHaveTheirPods(cluster: Cluster, kit: Kit): Promise<void> {
  const { plane } = cluster;
  await plane.kubectl(["apply", "-n", kit.namespace, "-f", manifestPath("examples/deployment.yaml")]);
  await kit.rolledOut("web");
  const servesAll = (what: string) =>
    eventually(what, async () => {
      const pods = (await kit.list(PODS, "app=web")).filter(({ metadata }) => !metadata?.deletionTimestamp);
      const addresses = await addressesOf(cluster, kit.namespace, "web");
      return pods.length === 3 && pods.every(isReady) && String(addresses) === String(podAddresses(pods));
    });
  await servesAll("the Service has its three pods");
  const endpoints = await plane.get<{ subsets: { addresses: unknown[] }[] }>("endpoints", "web", "-n", kit.namespace);
  assertEquals(endpoints.subsets.flatMap(({ addresses }) => addresses).length, 3);
  const [first] = await kit.list(PODS, "app=web");
  await kit.delete(PODS, first.metadata!.name!);
  await servesAll("the Service has the pod that took another's place");
}

async function silentNodeIsEvicted(cluster: Cluster, kit: Kit): Promise<void> {
  const spec = { tolerationSeconds: 1, operator: "Exists", effect: "NoExecute" };
  await cluster.plane.apply({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "impatient", namespace: kit.namespace },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "impatient" } },
      template: {
        metadata: { labels: { app: "impatient" } },
        spec: {
          terminationGracePeriodSeconds: 0,
          tolerations: [READY_TAINT, GONE_TAINT].map((key) => ({ key, ...spec })),
          containers: [{ name: "c", image: "nginx:1" }],
        },
      },
    },
  });
  await kit.rolledOut("impatient");
  const [victim] = await kit.list(PODS, "app=impatient");
  const node = victim.spec!.nodeName!;
  cluster.simulator.stopNode(node);
  await eventually("the silent node is tainted", async () => {
    const object = await cluster.client.get(NODES, { name: node });
    return hasTaint(object, GONE_TAINT) && findCondition(object.status?.conditions, "Ready")?.status === "Unknown";
  });
  await eventually("its pod is evicted and another one runs elsewhere", async () => {
    const pods = await kit.list(PODS, "app=impatient");
    const others = pods.filter((pod) => pod.spec?.nodeName !== node && !pod.metadata?.deletionTimestamp);
    return others.length === 3 && others.every(isReady);
  }, { withinMs: 90_000 });
  cluster.simulator.startNode(node);
  await eventually("the node that came back is released", async () => {
    const object = await cluster.client.get(NODES, { name: node });
    return !hasTaint(object, GONE_TAINT) && findCondition(object.status?.conditions, "Ready")?.status === "True";
  });
}

async function tokensAreIssued({ plane, client }: Cluster, kit: Kit): Promise<void> {
  const { namespace } = kit;
  await plane.apply({
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    metadata: { name: "legacy", namespace, annotations: { "kubernetes.io/service-account.name": "default" } },
  });
  const secret = await eventually("the Secret has a token", async () => {
    const found = await client.get(SECRETS, { namespace, name: "legacy" });
    return !!found.data?.token && found;
  });
  const who = await plane.kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"], {
    kubeconfig: await tokenKubeconfig(plane, atob(secret.data!.token)),
  });
  assertEquals(who, `system:serviceaccount:${namespace}:default`);
  assertEquals(atob(secret.data!["ca.crt"]), plane.authority.cert);
}

async function tokenKubeconfig({ folder, server, rootCaFile }: Cluster["plane"], token: string): Promise<string> {
  const path = `${folder}/token.conf`;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster: { server, "certificate-authority": rootCaFile } }],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  };
  await Deno.writeTextFile(path, JSON.stringify(config));
  return path;
}

async function certificatesAreIssued({ plane }: Cluster, kit: Kit): Promise<void> {
  const key = `${plane.folder}/ann.key`;
  await openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key]);
  const request = await openssl(["req", "-new", "-key", key, "-subj", "/O=team/CN=ann"]);
  const name = `${kit.namespace}-ann`;
  await kit.create(CERTIFICATESIGNINGREQUESTS, {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: { request: btoa(request), signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
  });
  await decide(kit, "Approved", "ann");
  const { status } = await kit.until(
    CERTIFICATESIGNINGREQUESTS,
    name,
    "has a certificate",
    ({ status }) => status?.certificate,
  );
  const user = { cert: atob(status!.certificate!), key: await Deno.readTextFile(key) };
  const kubeconfig = await plane.writeKubeconfig("ann", { user });
  assertEquals(
    await plane.kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"], { kubeconfig }),
    "ann",
  );
}

async function rolesAreAggregated({ plane }: Cluster): Promise<void> {
  const metadata = { name: "widgets", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } };
  const rule = { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get"] };
  await plane.apply({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules: [rule] });
  const holds = (name: string) =>
    eventually(`${name} holds the rule`, async () => {
      const { rules } = await plane.get<{ rules: { resources?: string[] }[] }>("clusterrole", name);
      return rules.some(({ resources }) => resources?.includes("widgets"));
    });
  for (const name of ["view", "edit", "admin"]) await holds(name);
}

async function claimsAreProtected({ plane }: Cluster, kit: Kit): Promise<void> {
  const { namespace } = kit;
  await plane.apply({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "unused", namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" },
  });
  await plane.kubectl(["delete", "persistentvolumeclaim", "unused", "-n", namespace, "--timeout=60s"]);
}

clusterTest("a cluster runs with kubeloop as its only manager", async () => {
  await using cluster = await Cluster.start({ scheduler: false, simulated: { podStartMs: 100 } });
  cluster.plane.startScheduler();
  const manager = await startAlone(cluster);
  await nodesRegister(cluster);
  const kit = await cluster.namespace("alone");
  await Promise.all([
    servicesHaveTheirPods(cluster, kit).then(() => silentNodeIsEvicted(cluster, kit)),
    tokensAreIssued(cluster, kit),
    certificatesAreIssued(cluster, kit),
    rolesAreAggregated(cluster),
    claimsAreProtected(cluster, kit),
    kit.until(CONFIGMAPS, "kube-root-ca.crt", "is published", ({ data }) => data?.["ca.crt"] !== undefined),
  ]);
  await cluster.plane.kubectl(["delete", "namespace", kit.namespace, "--timeout=120s"]);
  assert(await cluster.client.get(NAMESPACES, { name: kit.namespace }).then(() => false, isNotFound));
  assertFalse(/panic|unhandled|TypeError|forbidden/i.test(manager.output), manager.output.slice(-5000));
  assertFalse(/not in this version/.test(manager.output), "it names no controller as missing");
  assertEquals((await manager.stop()).code, 0);
});
