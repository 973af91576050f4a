/** What `kubeloop explain` says of stuck objects on a real API server. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  APISERVICES,
  CONFIGMAPS,
  CUSTOMRESOURCEDEFINITIONS,
  DEPLOYMENTS,
  type KubeObject,
  NAMESPACES,
  type ObjectMeta,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  REPLICASETS,
} from "../../src/api/mod.ts";
import { defineResource } from "../../src/controllers/mod.ts";
import { deployment } from "../../src/testkit/objects.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { type Ended, kubeloop } from "../sandbox/kubeloop_process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const HOLD = "example.com/hold";
const UNKNOWN = `finalizer ${HOLD}: no built-in controller removes it, whoever uses it must; written by cluster-tests`;

/** Explains until the answer holds `text`: controllers may not have come that far yet. */
async function explained(cluster: Cluster, args: readonly string[], text: string): Promise<string> {
  return await eventually(`explain ${args.join(" ")} says ${text}`, async () => {
    const { code, out, err } = await explain(cluster, ...args);
    assertEquals({ code, err }, { code: 0, err: "" });
    assertStringIncludes(out, text);
    return out;
  }, { withinMs: 90_000 });
}

function explain({ plane }: Cluster, ...args: string[]): Promise<Ended> {
  return kubeloop("explain", `--kubeconfig=${plane.kubeconfig}`, ...args);
}

function pod(name: string, metadata: ObjectMeta = {}, spec: Partial<Pod["spec"]> = {}): Pod {
  return { metadata: { name, ...metadata }, spec: { ...spec, containers: [{ name: "main", image: "pause" }] } };
}

async function namespaceHeldByFinalizer(cluster: Cluster): Promise<void> {
  const kit = await cluster.namespace("held");
  await kit.create<KubeObject>(CONFIGMAPS, { metadata: { name: "keep", finalizers: [HOLD] } });
  await cluster.client.delete(NAMESPACES, { name: "held" });
  const out = await explained(cluster, ["ns/held"], "configmaps: 1; being deleted");
  assertMatch(out, /^namespace\/held is still there: its deletion was asked for \d+s ago \(20/);
  assertStringIncludes(out, "finalizer kubernetes: namespace-controller (kube-controller-manager) removes it when");
  assertStringIncludes(out, `└─ configmap/keep: deletion asked for`);
  assertStringIncludes(out, UNKNOWN);
  assert(!out.includes("no kube-controller-manager"), "somebody leads");
  const [, patch] = /^ +(kubectl patch configmaps\/keep .*)$/m.exec(out)!;
  await cluster.plane.kubectl(words(patch));
  await eventually("the namespace is gone", async () => (await explain(cluster, "ns/held")).code === 1);
}

/** A command as a shell would split it; the first word is left out. */
function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare)
    .map((word) => word.replace(/^-p$/, "--patch")).slice(1);
}

async function foregroundDeletionHeld(cluster: Cluster, kit: Kit): Promise<void> {
  const { namespace } = kit;
  await kit.create(DEPLOYMENTS, deployment("web", { replicas: 1 }));
  const set = await eventually("its pod exists", async () => {
    const { items } = await cluster.client.list(REPLICASETS, { namespace });
    const pods = await cluster.client.list(PODS, { namespace, labelSelector: "app=web" });
    if (pods.items.length === 0 || items.length === 0) return false;
    await kit.merge(PODS, pods.items[0].metadata!.name!, { metadata: { finalizers: [HOLD] } });
    return items[0].metadata!.name!;
  });
  const present = await explained(cluster, ["rs", set, "-n", namespace], "is not being deleted");
  assertStringIncludes(present, "kept by deployment.apps/web, its controller");
  assertStringIncludes(present, "owns pods (1), which would go with it");
  await kit.delete(DEPLOYMENTS, "web", "Foreground");
  const out = await explained(cluster, ["deploy", "web", "-n", namespace], UNKNOWN);
  const depth = (text: string) => out.split("\n").find((line) => line.includes(text))?.indexOf(text) ?? -1;
  assertEquals(depth("finalizer foregroundDeletion: garbage-collector-controller"), 3, out);
  assertEquals([depth("replicaset.apps/web-"), depth("pod/web-"), depth(`finalizer ${HOLD}`)], [6, 12, 15], out);
}

async function podWithFinalizer(cluster: Cluster, kit: Kit): Promise<void> {
  await kit.create(PODS, pod("held", { finalizers: [HOLD] }));
  await kit.delete(PODS, "held");
  const out = await explained(cluster, ["pod/held", "-n", kit.namespace, "-o", "json"], "deleting");
  const { object, state, findings, nextSteps } = JSON.parse(out);
  assertEquals([object.kind, object.name, state.type], ["Pod", "held", "deleting"]);
  assertEquals(findings.map(({ code }: { code: string }) => code), ["UnknownFinalizer"]);
  assertStringIncludes(nextSteps[0].command, `kubectl patch pods/held -n ${kit.namespace}`);
}

async function claimInUse(cluster: Cluster, kit: Kit): Promise<void> {
  const claim: PersistentVolumeClaim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await kit.create(PERSISTENTVOLUMECLAIMS, claim);
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  await kit.create(PODS, pod("user", {}, { nodeName: "nowhere", volumes }));
  const { metadata } = await kit.get(PERSISTENTVOLUMECLAIMS, "data");
  assertEquals(metadata?.finalizers, ["kubernetes.io/pvc-protection"]);
  await kit.delete(PERSISTENTVOLUMECLAIMS, "data");
  const out = await explained(cluster, ["pvc/data", "-n", kit.namespace], "in use by 1 pod");
  assertStringIncludes(
    out,
    "persistentvolumeclaim-protection-controller (kube-controller-manager) removes it when no pod",
  );
  assertStringIncludes(out, "└─ pod/user: not being deleted");
  await kit.delete(PODS, "user");
  const node = await explained(cluster, ["pod", "user", "-n", kit.namespace], "its node nowhere does not exist");
  assertStringIncludes(node, "kubectl delete pods/user -n explained --grace-period=0 --force");
}

async function definitionWithInstances(cluster: Cluster, kit: Kit): Promise<void> {
  const lamps = defineResource<KubeObject>({ group: "example.com", version: "v1", kind: "Lamp", plural: "lamps" });
  await cluster.client.create(CUSTOMRESOURCEDEFINITIONS, {
    metadata: { name: "lamps.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "lamps", kind: "Lamp", shortNames: ["lp"] },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  await eventually("lamps are served", async () => Boolean(await cluster.client.list(lamps)));
  await kit.create<KubeObject>(lamps, { metadata: { name: "desk", finalizers: [HOLD] } });
  await explained(
    cluster,
    ["lp/desk", "-n", kit.namespace],
    "lamp.example.com/desk in namespace explained is not being",
  );
  await cluster.client.delete(CUSTOMRESOURCEDEFINITIONS, { name: "lamps.example.com" });
  const out = await explained(cluster, ["crd/lamps.example.com"], "lamps.example.com: 1; being deleted");
  assertStringIncludes(out, "finalizer customresourcecleanup.apiextensions.k8s.io: the API server removes it when");
  assertStringIncludes(out, "lamp.example.com/desk in namespace explained: deletion asked for");
  assertStringIncludes(out, UNKNOWN);
}

async function namespaceHeldByApi(cluster: Cluster): Promise<void> {
  await cluster.namespace("unfinished");
  await cluster.client.create(APISERVICES, {
    metadata: { name: "v1.nowhere.example.com" },
    spec: {
      group: "nowhere.example.com",
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "nowhere" },
    },
  });
  await cluster.client.delete(NAMESPACES, { name: "unfinished" });
  const out = await explained(cluster, ["namespace", "unfinished"], "ServiceNotFound");
  assertStringIncludes(out, "API nowhere.example.com/v1 ");
  assertStringIncludes(out, "kubectl delete apiservice v1.nowhere.example.com");
}

async function oneLineAnswers(cluster: Cluster): Promise<void> {
  const active = await explain(cluster, "ns/kube-public");
  assertMatch(active.out, /^namespace\/kube-public is not being deleted/);
  const cases: [args: string[], line: string][] = [
    [["ns/missing"], 'Error: namespaces "missing" not found\n'],
    [["cm/missing", "-n", "missing"], 'Error: configmaps "missing" not found\n'],
    [["thing/x"], `Error: the server doesn't have a resource type "thing"\n`],
    [["ns/x", "--context=other"], "Error: invalid configuration: context was not found for specified context: other\n"],
  ];
  for (const [args, line] of cases) assertEquals(await explain(cluster, ...args), { code: 1, out: "", err: line });
}

async function withoutRights(cluster: Cluster): Promise<void> {
  const user = await cluster.plane.authority.client("viewer", ["viewers"]);
  const kubeconfig = await cluster.plane.writeKubeconfig("viewer", { user });
  const args = ["--verb=get,list", "--resource=namespaces,configmaps"];
  await cluster.plane.kubectl(["create", "clusterrole", "viewer", ...args]);
  await cluster.plane.kubectl(["create", "clusterrolebinding", "viewer", "--clusterrole=viewer", "--user=viewer"]);
  await eventually("the viewer may read", () => cluster.plane.kubectl(["get", "ns", "explained"], { kubeconfig }));
  const { code, out, err } = await kubeloop("explain", `--kubeconfig=${kubeconfig}`, "ns/explained");
  assertEquals({ code, err }, { code: 0, err: "" });
  assertStringIncludes(out, "This could not be read");
  assertStringIncludes(out, 'secrets in namespace explained: secrets is forbidden: User "viewer" cannot list');
  assertStringIncludes(out, "configmaps: 1");
}

clusterTest("explain says what holds deletions on a real API server", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await startManager(cluster.plane, "kubeloop");
  const kit = await cluster.namespace("explained");
  await namespaceHeldByFinalizer(cluster);
  await Promise.all([
    foregroundDeletionHeld(cluster, kit),
    podWithFinalizer(cluster, kit),
    claimInUse(cluster, kit),
    definitionWithInstances(cluster, kit),
    oneLineAnswers(cluster),
    withoutRights(cluster),
  ]);
  await namespaceHeldByApi(cluster);
});
