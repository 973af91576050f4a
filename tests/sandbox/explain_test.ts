/** `kubeloop explain` on clusters in this process, one for each thing that can hold a deletion; and as a process. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  CONFIGMAPS,
  CUSTOMRESOURCEDEFINITIONS,
  formatMicroTime,
  type KubeObject,
  LEASES,
  NAMESPACES,
  NODES,
  type ObjectMeta,
  type OwnerReference,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  REPLICASETS,
  SECRETS,
} from "../../src/api/mod.ts";
import { Client, isNotFound } from "../../src/client/mod.ts";
import { explain, ExplainError } from "../../src/cli/explain/explain.ts";
import { parseTarget } from "../../src/cli/explain/target.ts";
import { explanationText } from "../../src/cli/explain/text.ts";
import { objects, startTestCluster, type TestCluster } from "../../src/testkit/mod.ts";
import { kubeloop, KubeloopProcess } from "./kubeloop_process.ts";

const HOLD = "example.com/hold";

const CLAIM = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const DISK = {
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteOnce"],
  hostPath: { path: "/data" },
  claimRef: { namespace: "shop", name: "data" },
};

const FOO_DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "foos", kind: "Foo" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** Asks as the command does, and makes sure that nothing but GET is sent. */
async function ask(cluster: TestCluster, ...words: string[]) {
  const { world, apiServer } = cluster;
  const transport = (request: Request) => {
    assertEquals(request.method, "GET", request.url);
    return apiServer.fetch(request);
  };
  const client = new Client({ world, transport, server: "http://127.0.0.1", userAgent: "explain" });
  const answer = await explain({ world, client, target: parseTarget(words), namespace: "shop" });
  return { answer, text: explanationText(answer) };
}

/** A cluster whose controllers do what `--controllers` says, with a namespace called shop. */
async function shop(controllers: string, nodes = 0): Promise<TestCluster> {
  const cluster = await startTestCluster({ flags: [`--controllers=${controllers}`], nodes });
  await cluster.namespace("shop");
  return cluster;
}

function configMap(name: string, metadata: ObjectMeta = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name, ...metadata } };
}

function ownedBy({ metadata }: KubeObject, kind = "ConfigMap"): OwnerReference {
  return { apiVersion: "v1", kind, name: metadata!.name!, uid: metadata!.uid!, blockOwnerDeletion: true };
}

/** Whether the texts come in this order, each further in than the one before. */
function assertNested(text: string, ...parts: string[]): void {
  const lines = text.split("\n");
  let after = -1;
  const places = parts.map((part) => {
    const index = lines.findIndex((line, i) => i > after && line.includes(part));
    after = index;
    return { index, column: lines[index]?.indexOf(part) ?? -1 };
  });
  const isNested = places.every(({ index, column }, i) =>
    index >= 0 && (i === 0 || index > places[i - 1].index && column > places[i - 1].column)
  );
  assert(isNested, `${parts.join(" > ")} in\n${text}`);
}

Deno.test("explain: a namespace is held by a finalizer inside it", async () => {
  await using cluster = await shop("namespace-controller,garbage-collector-controller");
  await cluster.client.create(CONFIGMAPS, configMap("keep", { finalizers: [HOLD] }));
  await cluster.client.create(CONFIGMAPS, configMap("goes"));
  await cluster.client.delete(NAMESPACES, { name: "shop" });
  await cluster.advance(20_000);
  const { text, answer } = await ask(cluster, "ns/shop");
  assertStringIncludes(text, "namespace/shop is still there: its deletion was asked for 20s ago");
  assertNested(
    text,
    "finalizer kubernetes: namespace-controller",
    "1 object of 1 kind remains",
    `configmaps: 1; being deleted; finalizers: ${HOLD} on 1`,
    "configmap/keep: deletion asked for",
    `finalizer ${HOLD}: no built-in controller removes it, whoever uses it must; written by test`,
  );
  assertEquals(answer.nextSteps.length, 1);
});

Deno.test("explain: in a namespace pods go first, and a pod that has not ended says why", async () => {
  await using cluster = await shop("namespace-controller", 1);
  await cluster.client.create(PODS, objects.pod("web", { metadata: { namespace: "shop" } }));
  await cluster.client.create(CONFIGMAPS, configMap("waits"));
  await cluster.eventually("the pod runs", async () => {
    const { status } = await cluster.client.get(PODS, { namespace: "shop", name: "web" });
    return status?.phase === "Running";
  });
  cluster.fault({ verb: "delete", resource: "pods", status: { code: 500 } });
  await cluster.client.delete(NAMESPACES, { name: "shop" });
  await cluster.advance(10_000);
  const { text } = await ask(cluster, "namespace", "shop");
  assertStringIncludes(text, "pods go first; nothing else is deleted as long as there are pods");
  assertStringIncludes(text, "configmaps: 1; none being deleted yet");
  assertNested(text, "pods: 1; being deleted", "pod/web: deletion asked for", "its containers have");
  const other = await ask(cluster, "cm/waits");
  assertStringIncludes(other.text, "its namespace shop is being deleted, asked for");
});

Deno.test("explain: foreground deletion is followed through dependents, and a circle ends", async () => {
  await using cluster = await shop("namespace-controller");
  const { client } = cluster;
  const top = await client.create(CONFIGMAPS, configMap("top"));
  const middle = await client.create(CONFIGMAPS, configMap("middle", { ownerReferences: [ownedBy(top)] }));
  await client.create(CONFIGMAPS, configMap("bottom", { finalizers: [HOLD], ownerReferences: [ownedBy(middle)] }));
  await client.create(SECRETS, { metadata: { namespace: "shop", name: "beside", ownerReferences: [ownedBy(middle)] } });
  const circular = { metadata: { ownerReferences: [ownedBy(middle)] } };
  await client.patch(CONFIGMAPS, { namespace: "shop", name: "top" }, { type: "merge", body: circular });
  for (const name of ["top", "middle"]) {
    await client.delete(CONFIGMAPS, { namespace: "shop", name }, { propagationPolicy: "Foreground" });
  }
  await client.delete(CONFIGMAPS, { namespace: "shop", name: "bottom" });
  const { text } = await ask(cluster, "cm/top");
  assertNested(
    text,
    "finalizer foregroundDeletion",
    "configmap/middle",
    "finalizer foreground",
    "finalizer example.com/hold",
  );
  assertStringIncludes(text, "secret/beside: not being deleted");
  assertStringIncludes(text, "its owner configmap/middle waits for it: the garbage collector is to delete it");
  assertStringIncludes(text, "it waits in turn for what is above: a circle");
});

Deno.test("Gatherer: at most sixty objects are examined, eight levels deep; Gatherer: each object is examined once", async () => {
  await using cluster = await shop("namespace-controller");
  const { client } = cluster;
  const foreground = async (name: string, owners: readonly KubeObject[], finalizers?: string[]) => {
    const ownerReferences = owners.map((owner) => ownedBy(owner));
    const object = await client.create(CONFIGMAPS, configMap(name, { ownerReferences, finalizers }));
    await client.delete(CONFIGMAPS, { namespace: "shop", name }, { propagationPolicy: "Foreground" });
    return object;
  };
  const chain = [await foreground("level-1", [])];
  for (let level = 2; level <= 9; level++) chain.push(await foreground(`level-${level}`, [chain.at(-1)!]));
  const { text } = await ask(cluster, "cm/level-1");
  assertStringIncludes(
    text,
    "configmap/level-9: deletion asked for 0s ago (2026-01-01T00:00:00Z); not examined further",
  );

  const root = await foreground("root", []);
  const middles = [];
  for (let i = 0; i < 5; i++) middles.push(await foreground(`middle-${i}`, [root]));
  await foreground("shared", middles, [HOLD]);
  for (let i = 0; i < 3; i++) await foreground(`own-${i}`, [middles[0]]);
  const shared = (await ask(cluster, "cm/root")).text;
  assertEquals(shared.split(`finalizer ${HOLD}`).length, 3, "once in the tree, once in the advice");
  assertEquals(shared.split("configmap/shared: ").length, 6);
  assertEquals(shared.split("explained elsewhere in this answer").length, 5);

  for (let i = 0; i < 21; i++) {
    const owner = await foreground(`wide-${i}`, [], [HOLD]);
    for (let j = 0; j < 3; j++) await foreground(`wide-${i}-${j}`, [owner], [HOLD]);
  }
  const names = Array.from({ length: 21 }, (_, i) => `wide-${i}`);
  const top = await foreground("top", []);
  const wide = [];
  for (let i = 0; i < 5; i++) wide.push(await foreground(`row-${i}`, [top]));
  for (const [i, name] of names.entries()) {
    const body = { metadata: { ownerReferences: [ownedBy(wide[i % 5])] } };
    await client.patch(CONFIGMAPS, { namespace: "shop", name }, { type: "merge", body });
  }
  const { text: bounded } = await ask(cluster, "cm/top");
  const lookedAt = bounded.split("\n").filter((line) =>
    /configmap\/[a-z0-9-]+: deletion/.test(line) && !line.includes(";")
  );
  assertEquals(lookedAt.length, 59, "and the one that was asked about");
  assertStringIncludes(bounded, "not examined further; explain it separately");
});

Deno.test("explain: an owner of a kind that is not served keeps the garbage collector away", async () => {
  await using cluster = await shop("garbage-collector-controller");
  const reference = { apiVersion: "gone.example.com/v1", kind: "Gone", name: "x", uid: "u" };
  await cluster.client.create(CONFIGMAPS, configMap("left", { ownerReferences: [reference] }));
  const { text } = await ask(cluster, "configmap", "left");
  assertStringIncludes(text, "is not being deleted");
  assertStringIncludes(text, "is of a kind that the server does not have (gone.example.com/v1 Gone)");
});

Deno.test("explain: a pod whose node has gone, and the claim and the volume that it uses", async () => {
  await using cluster = await shop("namespace-controller");
  const { client } = cluster;
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const pod: Pod = objects.pod("user", { metadata: { namespace: "shop" }, nodeName: "n1", volumes });
  await client.create(PERSISTENTVOLUMECLAIMS, { metadata: { namespace: "shop", name: "data" }, spec: CLAIM });
  const disk = await client.create(PERSISTENTVOLUMES, { metadata: { name: "disk" }, spec: DISK });
  await client.updateStatus(PERSISTENTVOLUMES, { ...disk, status: { phase: "Bound" } });
  await client.create(PODS, pod);
  await client.delete(PERSISTENTVOLUMES, { name: "disk" });
  await client.delete(PERSISTENTVOLUMECLAIMS, { namespace: "shop", name: "data" });
  await client.delete(PODS, { namespace: "shop", name: "user" });
  const { text } = await ask(cluster, "pv/disk");
  assertNested(
    text,
    "finalizer kubernetes.io/pv-protection: persistentvolume-protection-controller",
    "bound to claim shop/data",
    "persistentvolumeclaim/data in namespace shop: deletion asked for",
    "finalizer kubernetes.io/pvc-protection: persistentvolumeclaim-protection-controller",
    "in use by 1 pod",
    "pod/user in namespace shop: deletion asked for",
    "its node n1 does not exist",
  );
  await client.create(NODES, { metadata: { name: "n1" } });
  assertStringIncludes((await ask(cluster, "pod/user")).text, "its node n1 is not ready");
});

Deno.test("explain: a custom kind is held by its objects", async () => {
  await using cluster = await startTestCluster({ flags: ["--controllers="], nodes: 0, manifests: [FOO_DEFINITION] });
  await cluster.namespace("shop");
  const metadata = { namespace: "shop", name: "one", finalizers: [HOLD] };
  await cluster.eventually("foos are served", async () => {
    await cluster.apply([{ apiVersion: "example.com/v1", kind: "Foo", metadata }]);
    return true;
  });
  assertStringIncludes(
    (await ask(cluster, "foos.example.com/one")).text,
    "foo.example.com/one in namespace shop is not being",
  );
  await cluster.client.delete(CUSTOMRESOURCEDEFINITIONS, { name: "foos.example.com" });
  await cluster.advance(1000);
  const { text } = await ask(cluster, "crd/foos.example.com");
  assertNested(
    text,
    "finalizer customresourcecleanup.apiextensions.k8s.io: the API server removes it",
    "1 object of 1 kind remains",
    "foos.example.com: 1",
    "foo.example.com/one in namespace shop",
    `finalizer ${HOLD}`,
  );
});

Deno.test("explainFacts: an object that is not being deleted is explained by what would block its deletion and what owns it", async () => {
  await using cluster = await shop("replicaset-controller");
  await cluster.client.create(REPLICASETS, objects.replicaSet("web", { metadata: { namespace: "shop" }, replicas: 2 }));
  const { items } = await cluster.eventually("there are pods", async () => {
    const pods = await cluster.client.list(PODS, { namespace: "shop" });
    return pods.items.length === 2 && pods;
  });
  assertStringIncludes((await ask(cluster, "rs/web")).text, "owns pods (2), which would go with it");
  const { text, answer } = await ask(cluster, "po", items[0].metadata!.name!);
  assertStringIncludes(text, "kept by replicaset.apps/web, its controller, which makes another if it goes");
  assertEquals([answer.state, answer.nextSteps], [{ type: "present" }, []]);
  assertStringIncludes((await ask(cluster, "ns/shop")).text, "would be deleted with it");
});

Deno.test("explain: a Lease tells whether somebody leads who is to act", async () => {
  await using cluster = await shop("namespace-controller");
  const { client, world } = cluster;
  await client.delete(NAMESPACES, { name: "shop" });
  assertStringIncludes((await ask(cluster, "ns/shop")).text, "no kube-controller-manager holds the Lease");
  await client.create(LEASES, {
    metadata: { namespace: "kube-system", name: "kube-controller-manager" },
    spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: formatMicroTime(world.clock.wallMs()) },
  });
  assert(!(await ask(cluster, "ns/shop")).text.includes("no kube-controller-manager"));
  cluster.fault({ verb: "update", resource: "namespaces/finalize", status: { code: 500 } });
  await cluster.advance(16_000);
  assertStringIncludes(
    (await ask(cluster, "ns/shop")).text,
    "no kube-controller-manager leads: me renewed its Lease last 16s ago",
  );
});

Deno.test("explain: what does not exist, as a kind or as an object, is an error", async () => {
  await using cluster = await shop("namespace-controller");
  assert(isNotFound(await assertRejects(() => ask(cluster, "cm/none"))));
  const message = `the server doesn't have a resource type "flies"`;
  await assertRejects(() => ask(cluster, "flies/x"), ExplainError, message);
});

Deno.test("explain: kinds that fail to list and kinds without rights are told apart", async () => {
  await using cluster = await shop("namespace-controller");
  await cluster.client.delete(NAMESPACES, { name: "shop" });
  cluster.fault({ verb: "list", resource: "secrets", status: { code: 403, reason: "Forbidden", message: "not you" } });
  cluster.fault({ verb: "list", resource: "configmaps", status: { code: 500, message: "conversion webhook failed" } });
  const { text, answer } = await ask(cluster, "ns/shop");
  assertStringIncludes(text, "configmaps cannot be listed: conversion webhook failed");
  assertStringIncludes(text, "secrets in namespace shop: not you");
  assertEquals(answer.unread.map(({ what }) => what), ["configmaps in namespace shop", "secrets in namespace shop"]);
});

Deno.test("explain answers about the cluster of `kubeloop apiserver`, as text and as JSON, and refuses in one line", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/kubeconfig`;
    await using server = new KubeloopProcess("apiserver", "--port=0", `--kubeconfig=${path}`);
    await server.line(/^ready /);
    const [text, json, missing, unknown, help] = await Promise.all([
      kubeloop("explain", "ns/default", `--kubeconfig=${path}`),
      kubeloop("explain", "namespace", "default", "-o", "json", `--kubeconfig=${path}`),
      kubeloop("explain", "cm", "nothing", "-n", "default", `--kubeconfig=${path}`),
      kubeloop("explain", "ns/default", "--fly"),
      kubeloop("explain", "--help"),
    ]);
    assertEquals([text.code, json.code, missing.code, unknown.code, help.code], [0, 0, 1, 1, 0]);
    assertStringIncludes(text.out, "namespace/default is not being deleted");
    assertEquals(JSON.parse(json.out).object.name, "default");
    assertEquals(missing, { code: 1, out: "", err: 'Error: configmaps "nothing" not found\n' });
    assertEquals(unknown.err.trim().split("\n").at(-1), "Error: unknown flag: --fly");
    assertStringIncludes(help.out, "kubeloop explain TYPE/NAME [flags]");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
