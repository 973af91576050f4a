/** What people may call things: kinds, objects, flags, finalizers. */
import { assertEquals, assertThrows } from "@std/assert";
import { CONFIGMAPS, DEPLOYMENTS, EVENTS, EVENTS_EVENTS, PODS, type Resource } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { type DiscoveredResource, inClusterConfig } from "../../../../src/client/mod.ts";
import { readRequest } from "../../../../src/cli/explain/flags.ts";
import { whoSetFinalizer } from "../../../../src/cli/explain/field_manager.ts";
import { removerOf, REMOVERS } from "../../../../src/cli/explain/finalizer_table.ts";
import { Kinds } from "../../../../src/cli/explain/kinds.ts";
import { ageText, kubectlName, shellWord } from "../../../../src/cli/explain/wording.ts";
import { FlagError } from "../../../../src/manager/mod.ts";

function discovered(resource: Resource, names: Partial<DiscoveredResource> = {}): DiscoveredResource {
  return { verbs: ["delete", "list"], subresources: [], singular: "", ...resource, ...names };
}

const PROXIES = { group: "z.example.com", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const kinds = new Kinds({
  groups: [
    { name: "", versions: ["v1"], preferredVersion: "v1" },
    { name: "apps", versions: ["v1", "v1beta1"], preferredVersion: "v1" },
    { name: "events.k8s.io", versions: ["v1"], preferredVersion: "v1" },
    { name: "z.example.com", versions: ["v1"], preferredVersion: "v1" },
  ],
  resources: new Map([
    ["v1", [
      discovered(CONFIGMAPS, { shortNames: ["cm"] }),
      discovered(PODS, { singular: "pod", shortNames: ["po"] }),
      discovered(EVENTS),
      discovered({ ...PODS, plural: "bindings", kind: "Binding" }, { verbs: ["create"] }),
    ]],
    ["apps/v1", [discovered(DEPLOYMENTS, { shortNames: ["deploy"] })]],
    ["apps/v1beta1", [discovered({ ...DEPLOYMENTS, version: "v1beta1" }, { shortNames: ["deploy"] })]],
    ["events.k8s.io/v1", [discovered(EVENTS_EVENTS)]],
    ["z.example.com/v1", [discovered(PROXIES, { shortNames: ["configmap"] })]],
  ]),
  failures: new Map(),
});

Deno.test("Kinds: find takes plurals, singulars, kinds and short names in any case, and names with group and version", () => {
  const cases: [text: string, found: string | undefined][] = [
    ["configmaps", "v1 configmaps"],
    ["cm", "v1 configmaps"],
    ["ConfigMap", "v1 configmaps"],
    ["pod", "v1 pods"],
    ["PO", "v1 pods"],
    ["pods.z.example.com", "z.example.com/v1 pods"],
    ["deploy", "apps/v1 deployments"],
    ["deployments.apps", "apps/v1 deployments"],
    ["deploy.v1beta1.apps", "apps/v1beta1 deployments"],
    ["deployments.v9.apps", undefined],
    ["nothing", undefined],
    ["", undefined],
  ];
  for (const [text, found] of cases) {
    const resource = kinds.find(text);
    const { group, version, plural } = resource ?? {};
    assertEquals(resource && `${group ? `${group}/` : ""}${version} ${plural}`, found, text);
  }
});

Deno.test("Kinds: if several groups have a name, the first in the server's order wins; full names come before short ones", () => {
  assertEquals(kinds.find("pods")?.group, "");
  assertEquals(kinds.find("configmap")?.plural, "configmaps");
});

Deno.test("Kinds: ofKind answers only for the version asked for, as the garbage collector does", () => {
  assertEquals(kinds.ofKind("apps/v1beta1", "Deployment")?.version, "v1beta1");
  assertEquals(kinds.ofKind("apps/v2", "Deployment"), undefined);
  assertEquals(kinds.ofKind("v1", "Deployment"), undefined);
});

Deno.test("Kinds: listable gives what can be listed and deleted, events once", () => {
  const names = kinds.listable("namespaced").map(({ group, plural }) => `${plural}.${group}`);
  assertEquals(names, ["configmaps.", "pods.", "events.", "deployments.apps", "pods.z.example.com"]);
});

Deno.test("readRequest takes kubectl's short flags and both ways to name an object", () => {
  const cases: [args: string[], type: string, name: string, namespace: string, output: string][] = [
    [["ns/x"], "ns", "x", "", "text"],
    [["pvc/data", "-n", "y"], "pvc", "data", "y", "text"],
    [["-n=y", "deploy", "web", "-o", "json"], "deploy", "web", "y", "json"],
    [["-ny", "deploy", "web", "-ojson"], "deploy", "web", "y", "json"],
    [["--namespace=y", "--output=text", "--", "deploy", "-n"], "deploy", "-n", "y", "text"],
  ];
  for (const [args, type, name, namespace, output] of cases) {
    const request = readRequest(args);
    if (request.type !== "explain") throw new Error("no question");
    assertEquals([request.target, request.namespace, request.output], [{ type, name }, namespace, output]);
  }
  assertEquals(readRequest(["-h"]).type, "help");
});

Deno.test("readRequest refuses what it does not understand, in one line", () => {
  const cases: [args: string[], message: string][] = [
    [[], "which object? Name it as TYPE/NAME, such as namespace/x"],
    [["x"], 'there must be one object, as TYPE/NAME or TYPE NAME, got "x"'],
    [["a/"], 'there must be one object, as TYPE/NAME or TYPE NAME, got "a/"'],
    [["a/b", "c/d"], 'there must be one object, as TYPE/NAME or TYPE NAME, got "a/b c/d"'],
    [["a", "b", "c"], 'there must be one object, as TYPE/NAME or TYPE NAME, got "a b c"'],
    [["a/b", "-o", "yaml"], 'invalid argument "yaml" for "--output" flag: it must be text or json'],
    [["a/b", "-n"], "flag needs an argument: --namespace"],
    [["a/b", "--fly"], "unknown flag: --fly"],
  ];
  for (const [args, message] of cases) assertThrows(() => readRequest(args), FlagError, message);
});

Deno.test("removerOf knows the finalizers of Kubernetes, and families of them by their beginning", () => {
  const cases: [finalizer: string, controller: string | undefined][] = [
    ["kubernetes", "namespace-controller"],
    ["foregroundDeletion", "garbage-collector-controller"],
    ["orphan", "garbage-collector-controller"],
    ["kubernetes.io/pvc-protection", "persistentvolumeclaim-protection-controller"],
    ["kubernetes.io/pv-protection", "persistentvolume-protection-controller"],
    ["batch.kubernetes.io/job-tracking", "job-controller"],
    ["service.kubernetes.io/load-balancer-cleanup", "service-lb-controller"],
    ["customresourcecleanup.apiextensions.k8s.io", "the API server"],
    ["external-attacher/ebs-csi-aws-com", "the CSI driver's external-attacher"],
    ["kubernetes.io/pvc-protection2", undefined],
    ["example.com/hold", undefined],
  ];
  for (const [finalizer, controller] of cases) assertEquals(removerOf(finalizer)?.controller, controller, finalizer);
  assertEquals(new Set(REMOVERS.map(({ finalizer }) => finalizer)).size, REMOVERS.length);
});

Deno.test("whoSetFinalizer names who wrote a finalizer last, and nobody where managedFields do not tell", () => {
  const entry = (manager: string, time: string, finalizer: string) => ({
    manager,
    operation: "Update",
    time,
    fieldsV1: { "f:metadata": { "f:finalizers": { ".": {}, [`v:"${finalizer}"`]: {} } } },
  });
  const managedFields = [
    entry("second", "2026-01-02T00:00:00Z", "a"),
    entry("first", "2026-01-01T00:00:00Z", "a"),
    entry("other", "2026-01-03T00:00:00Z", "b"),
    { manager: "none", fieldsV1: { "f:spec": {} } },
  ];
  assertEquals(whoSetFinalizer({ managedFields }, "a")?.manager, "second");
  assertEquals(whoSetFinalizer({ managedFields }, "c"), undefined);
  assertEquals(whoSetFinalizer({}, "a"), undefined);
});

Deno.test("kubectlName quotes what a shell would take for something else", () => {
  assertEquals(kubectlName(PODS, { metadata: { name: "web-0", namespace: "shop" } }), "pods/web-0 -n shop");
  const evil = { ...PODS, plural: "clusterroles", group: "rbac.authorization.k8s.io", namespaced: false };
  assertEquals(
    kubectlName(evil, { metadata: { name: "a; $(rm) 'b'" } }),
    String.raw`'clusterroles.rbac.authorization.k8s.io/a; $(rm) '\''b'\'''`,
  );
  assertEquals(shellWord(""), "''");
});

Deno.test("ageText gives the largest unit, as people say it", () => {
  const cases: [seconds: number, text: string][] = [
    [-5, "0s"],
    [119, "119s"],
    [120, "2m"],
    [7199, "119m"],
    [7200, "2h"],
    [172_799, "47h"],
    [172_800, "2d"],
  ];
  for (const [seconds, text] of cases) assertEquals(ageText(seconds * 1000), text);
});

Deno.test("inClusterConfig takes the namespace of the pod's service account", async () => {
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  const files = { [`${folder}/token`]: "abc", [`${folder}/ca.crt`]: "", [`${folder}/namespace`]: "shop\n" };
  const env = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
  assertEquals((await inClusterConfig(new FakeWorld({ files }), env))?.namespace, "shop");
});
