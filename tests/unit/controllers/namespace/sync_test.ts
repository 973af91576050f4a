import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  CONFIGMAPS,
  DEPLOYMENTS,
  type KubeObject,
  type Namespace,
  type NamespaceCondition,
  NAMESPACES,
  NODES,
  type Pod,
  PODS,
  type Resource,
  SECRETS,
} from "../../../../src/api/mod.ts";
import { ContentDeletion } from "../../../../src/controllers/namespace/content_deletion.ts";
import { ResourceDeletion } from "../../../../src/controllers/namespace/resource_deletion.ts";
import { ContentRemainingError, syncNamespace } from "../../../../src/controllers/namespace/sync.ts";
import { UnsupportedOperations } from "../../../../src/controllers/namespace/unsupported_operations.ts";
import { RecordedClient } from "../recorded_client.ts";
import { FakeDiscovery } from "../garbage_collector/fake_discovery.ts";
import { statusError } from "../status_errors.ts";

/** Three seconds before the fake world begins. */
const DELETED_AT = "2025-12-31T23:59:57Z";

function namespaceOf(status: Namespace["status"], more: Partial<Namespace> = {}): Namespace {
  const metadata = { name: "ns", uid: "u", deletionTimestamp: DELETED_AT };
  return { metadata, spec: { finalizers: ["kubernetes"] }, status, ...more };
}

const TERMINATING = { phase: "Terminating" };

function setUp(
  namespace: Namespace | undefined = namespaceOf(TERMINATING),
  resources: readonly Resource[] = [PODS, CONFIGMAPS, DEPLOYMENTS],
) {
  const world = new FakeWorld();
  const client = new RecordedClient(world);
  const discovery = new FakeDiscovery([NODES, ...resources]); // nodes lie in no namespace: nobody may ask for them
  const unsupported = new UnsupportedOperations(resources);
  const deletion = new ResourceDeletion({ clock: world.clock, client, unsupported });
  const content = new ContentDeletion({ world, client, discovery, resources: deletion });
  if (namespace) client.store(NAMESPACES, namespace);
  const stop = new AbortController();
  // The cache still has it, whatever became of it.
  const namespaces = { get: () => namespace };
  const sync = () => syncNamespace("ns", { client, content, namespaces, signal: stop.signal });
  const stored = () => client.find(NAMESPACES, "ns") as Namespace | undefined;
  /** The first words of each call: verb, resource and name. */
  const calls = () => client.lines.map((call) => call.replace(/ ["{].*/, ""));
  const condition = (type: string): NamespaceCondition | undefined =>
    stored()?.status?.conditions?.find((each) => each.type === type);
  return { world, client, discovery, stop, sync, stored, calls, condition };
}

function inside(name: string, more: KubeObject["metadata"] = {}): KubeObject {
  return { metadata: { name, namespace: "ns", uid: name, ...more } };
}

function runningPod(name: string, terminationGracePeriodSeconds?: number): Pod {
  const held = { ...inside(name).metadata, finalizers: ["test/kubelet"] };
  return { metadata: held, spec: { containers: [], terminationGracePeriodSeconds }, status: { phase: "Running" } };
}

/** Takes the finalizers off, as a pod that takes its time has none. */
function withoutFinalizers(client: RecordedClient): void {
  const { listMetadata } = client;
  client.listMetadata = async (resource, options) => {
    const list = await listMetadata(resource, options);
    for (const { metadata } of list.items) delete metadata?.finalizers;
    return list;
  };
}

Deno.test("syncNamespace does no more than a GET for a namespace that is gone, active, or without finalizers", async () => {
  const active = namespaceOf({ phase: "Active" }, { metadata: { name: "ns", uid: "u" } });
  for (const namespace of [undefined, active, namespaceOf(TERMINATING, { spec: { finalizers: [] } })]) {
    const { client, sync, calls } = setUp(active);
    if (namespace) client.store(NAMESPACES, namespace);
    else client.remove(NAMESPACES, "ns");
    await sync();
    assertEquals(calls(), ["get namespaces ns"]);
  }
});

Deno.test("syncNamespace sets the phase Terminating first", async () => {
  const { client, sync } = setUp(namespaceOf({ phase: "Active" }, { spec: { finalizers: [] } }));
  await sync();
  assertEquals(client.calls.length, 2);
  assertEquals(client.lines[1].includes('"status":{"phase":"Terminating"}'), true);
});

Deno.test("syncNamespace asks for every resource, writes its conditions and finalizes an empty namespace", async () => {
  const { client, sync, stored, calls } = setUp();
  await sync();
  assertEquals(calls(), [
    "get namespaces ns",
    "list pods ns",
    "deletecollection pods ns",
    "list pods ns",
    "deletecollection configmaps ns",
    "list configmaps ns",
    "deletecollection deployments ns",
    "list deployments ns",
    "put namespaces/status ns",
    "put namespaces/finalize ns",
  ]);
  assertEquals(
    client.lines.filter((call) => call.startsWith("deletecollection")).every((call) => call.endsWith('"Background"')),
    true,
  );
  const [{ status: written }] = client.bodies<Namespace>("put namespaces/status");
  assertEquals(written?.conditions?.map(({ status }) => status), Array(5).fill("False"));
  assertEquals(stored(), undefined, "nothing holds the namespace any more");
  const body = JSON.parse(client.lines.at(-1)!.replace(/^put namespaces\/finalize ns /, ""));
  assertEquals(Object.keys(body).sort(), ["apiVersion", "kind", "metadata", "spec"]);
});

Deno.test("syncNamespace leaves the finalizers of others, sorted", async () => {
  const { sync, stored } = setUp(
    namespaceOf(TERMINATING, { spec: { finalizers: ["x/other", "kubernetes", "x/another"] } }),
  );
  await sync();
  assertEquals(stored()?.spec?.finalizers, ["x/another", "x/other"]);
});

Deno.test("ContentDeletion: a pass in which discovery was incomplete fails: syncNamespace deletes what was discovered but never finalizes", async () => {
  const { client, discovery, sync, stored, condition } = setUp();
  client.store(CONFIGMAPS, inside("c"));
  discovery.failures.set("metrics.k8s.io/v1", new Error("stale"));
  discovery.failures.set("a.example.com/v1", new Error("down"));
  const text = "unable to retrieve the complete list of server APIs: a.example.com/v1: down, metrics.k8s.io/v1: stale";
  await assertRejects(sync, Error, text);
  assertEquals(client.find(CONFIGMAPS, "ns/c"), undefined);
  assertEquals(stored()?.spec?.finalizers, ["kubernetes"]);
  assertEquals(condition("NamespaceDeletionDiscoveryFailure")?.status, "True");
  assertEquals(
    condition("NamespaceDeletionDiscoveryFailure")?.message,
    `Discovery failed for some groups, 2 failing: ${text}`,
  );
});

Deno.test("syncNamespace fails and finalizes nothing when discovery fails altogether", async () => {
  const { discovery, sync, stored, condition } = setUp();
  discovery.error = new Error("connection refused");
  await assertRejects(sync, Error, "connection refused");
  assertEquals(condition("NamespaceDeletionDiscoveryFailure")?.message, "connection refused");
  assertEquals(stored()?.spec?.finalizers, ["kubernetes"]);
});

Deno.test("ContentDeletion: nothing but pods is deleted while pods are left, and syncNamespace comes back after half their grace", async () => {
  const { client, sync, calls, condition } = setUp();
  client.store(PODS, runningPod("p", 30));
  client.store(PODS, runningPod("q", 20));
  client.store(CONFIGMAPS, inside("c"));
  const error = await assertRejects(sync, ContentRemainingError);
  assertEquals(error.estimateSeconds, 30);
  assertEquals(calls().filter((call) => !call.includes("pods") && !call.includes("namespaces")), []);
  assertEquals(client.find(CONFIGMAPS, "ns/c") !== undefined, true);
  assertEquals(condition("NamespaceContentRemaining")?.status, "False", "as upstream: counts are left out here");
  assertEquals(condition("NamespaceFinalizersRemaining")?.status, "False");
});

Deno.test("syncNamespace fails when pods without finalizers outlive their grace", async () => {
  const namespace = namespaceOf(TERMINATING);
  namespace.metadata!.deletionTimestamp = "2025-12-31T23:59:20Z";
  const { client, sync, calls, condition } = setUp(namespace);
  client.store(PODS, runningPod("p", 30));
  withoutFinalizers(client);
  const text = "unexpected items still remain in namespace: ns for gvr: /v1, Resource=pods";
  const error = await assertRejects(sync, Error);
  assertEquals(error.message, `failed to delete pods for namespace: ns, err: ${text}`);
  assertEquals(
    condition("NamespaceDeletionContentFailure")?.message,
    `Failed to delete all resource types, 1 remaining: ${text}`,
  );
  assertEquals(calls().some((call) => call.includes("configmaps")), false);
});

Deno.test("syncNamespace goes on to other resources when pods could not even be counted, and fails", async () => {
  const { client, sync, calls, stored } = setUp();
  client.fail("list pods", statusError(500, "InternalError"));
  await assertRejects(sync, Error, "failed to delete pods for namespace: ns, err: InternalError");
  assertEquals(calls().includes("deletecollection configmaps ns"), true);
  assertEquals(stored()?.spec?.finalizers, ["kubernetes"]);
});

Deno.test("syncNamespace never takes a 404 about content for a namespace that is gone", async () => {
  const { client, sync, stored } = setUp();
  client.fail("list pods", statusError(404, "NotFound"));
  await assertRejects(sync, Error, "failed to delete pods for namespace: ns, err: NotFound");
  assertEquals(stored()?.spec?.finalizers, ["kubernetes"]);
});

Deno.test("syncNamespace gives finalizers 15 seconds and says which remain", async () => {
  const { client, sync, condition } = setUp();
  client.store(CONFIGMAPS, inside("c", { finalizers: ["example.com/hold"] }));
  const error = await assertRejects(sync, ContentRemainingError);
  assertEquals(error.estimateSeconds, 15);
  assertEquals(
    condition("NamespaceContentRemaining")?.message,
    "Some resources are remaining: configmaps. has 1 resource instances",
  );
  assertEquals(
    condition("NamespaceFinalizersRemaining")?.message,
    "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
  );
});

Deno.test("syncNamespace lets an error win over an estimate", async () => {
  const { client, sync } = setUp();
  client.store(CONFIGMAPS, inside("c", { finalizers: ["example.com/hold"] }));
  client.fail("deletecollection deployments", statusError(500, "InternalError"));
  await assertRejects(sync, Error, "InternalError");
});

Deno.test("ResourceDeletion: objects that remain without a finalizer and without a grace period are an error", async () => {
  const { client, sync } = setUp();
  client.store(DEPLOYMENTS, inside("d", { finalizers: ["hidden"] }));
  withoutFinalizers(client);
  const text = "unexpected items still remain in namespace: ns for gvr: apps/v1, Resource=deployments";
  await assertRejects(sync, Error, text);
});

Deno.test("ResourceDeletion: every delete is in the background: one by one where a collection cannot be deleted", async () => {
  const noCollection = { ...CONFIGMAPS, verbs: ["list", "delete", "get"] };
  const { client, sync, calls } = setUp(undefined, [PODS, noCollection]);
  client.store(CONFIGMAPS, inside("c1"));
  client.store(CONFIGMAPS, inside("c2"));
  client.fail("delete configmaps ns/c2", statusError(404, "NotFound"), { times: 1 });
  await assertRejects(sync, Error, "unexpected items still remain");
  const [first, second] = client.lines.filter((call) => call.startsWith("delete configmaps"));
  assertEquals(first, `delete configmaps ns/c1 {"propagationPolicy":"Background"}`);
  assertEquals(second, `delete configmaps ns/c2 {"propagationPolicy":"Background"}`);
  await sync();
  assertEquals(calls().some((call) => call.startsWith("deletecollection configmaps")), false);
});

Deno.test("syncNamespace deletes one by one when deleting a collection answers 404 or 405, this time only", async () => {
  for (const error of [statusError(404, "NotFound"), statusError(405, "MethodNotAllowed")]) {
    const { client, sync, calls } = setUp();
    client.store(CONFIGMAPS, inside("c"));
    client.fail("deletecollection configmaps", error, { times: 1 });
    await sync();
    assertEquals(calls().includes("delete configmaps ns/c"), true);
    client.store(NAMESPACES, namespaceOf(TERMINATING));
    await sync();
    assertEquals(calls().filter((call) => call.startsWith("deletecollection configmaps")).length, 2);
  }
});

Deno.test("ResourceDeletion: a resource that cannot be listed (404, 405) holds nothing; any other failed list is an error", async () => {
  const { client, sync, stored } = setUp();
  client.fail("deletecollection configmaps", statusError(404, "NotFound"));
  client.fail("list configmaps", statusError(405, "MethodNotAllowed"));
  await sync();
  assertEquals(stored(), undefined);
});

Deno.test("syncNamespace never takes an error for an empty list", async () => {
  const wrapped = new Error("cannot get a token", { cause: statusError(404, "NotFound") });
  for (const error of [statusError(403, "Forbidden"), statusError(503, "ServiceUnavailable"), wrapped]) {
    for (const call of ["list configmaps", "deletecollection configmaps"]) {
      const { client, sync, stored } = setUp();
      client.fail(call, error);
      await assertRejects(sync, Error, error.message);
      assertEquals(stored()?.spec?.finalizers, ["kubernetes"]);
    }
  }
});

Deno.test("ContentDeletion: a resource that fails stops no other one; the pass fails in the end, and syncNamespace reports it", async () => {
  const { client, sync, calls, condition } = setUp(undefined, [PODS, CONFIGMAPS, DEPLOYMENTS, SECRETS]);
  client.fail("deletecollection configmaps", statusError(500, "InternalError", "b broke"));
  client.fail("deletecollection secrets", statusError(500, "InternalError", "a broke"));
  const error = await assertRejects(sync, AggregateError);
  assertEquals(error.message, "[b broke, a broke]");
  assertEquals(calls().includes("list deployments ns"), true);
  assertEquals(
    condition("NamespaceDeletionContentFailure")?.message,
    "Failed to delete all resource types, 2 remaining: a broke, b broke",
  );
});

Deno.test("syncNamespace repeats a status write after a conflict, and stops when the namespace was replaced", async () => {
  for (const uid of ["u", "another"]) {
    const { client, sync, stored } = setUp(namespaceOf({ phase: "Active" }, { spec: { finalizers: [] } }));
    client.fail("put namespaces/status", statusError(409, "Conflict"), { times: 1 });
    client.onCall = (call) => {
      if (!call.startsWith("put namespaces/status")) return;
      client.onCall = () => {};
      client.store(NAMESPACES, { ...stored()!, metadata: { ...stored()!.metadata, uid } });
    };
    if (uid === "u") await sync();
    else await assertRejects(sync, Error, "namespace uid has changed across retries");
    assertEquals(stored()?.status?.phase, uid === "u" ? undefined : "Active", "without finalizers it goes at once");
  }
});

Deno.test("syncNamespace repeats a finalize after a conflict with a fresh copy", async () => {
  const { client, sync, stored, calls } = setUp();
  client.fail("put namespaces/finalize", statusError(409, "Conflict"), { times: 2 });
  await sync();
  assertEquals(calls().slice(-5), [
    "put namespaces/finalize ns",
    "get namespaces ns",
    "put namespaces/finalize ns",
    "get namespaces ns",
    "put namespaces/finalize ns",
  ]);
  assertEquals(stored(), undefined);
});

Deno.test("syncNamespace is content when somebody else was faster", async () => {
  for (const call of ["put namespaces/status", "put namespaces/finalize"]) {
    const { client, sync } = setUp(namespaceOf({ phase: "Active" }));
    client.fail(call, statusError(404, "NotFound"));
    await sync();
  }
});

Deno.test("syncNamespace finalizes although the conditions could not be written", async () => {
  const { world, client, sync, stored } = setUp();
  client.fail("put namespaces/status", statusError(500, "InternalError"));
  await sync();
  assertEquals(stored(), undefined);
  assertEquals(world.log.lines.map(({ message }) => message), ["couldn't update status condition for namespace"]);
});

Deno.test("syncNamespace writes no status when no condition changed", async () => {
  const { client, sync, calls } = setUp();
  client.store(CONFIGMAPS, inside("c", { finalizers: ["example.com/hold"] }));
  await assertRejects(sync, ContentRemainingError);
  await assertRejects(sync, ContentRemainingError);
  assertEquals(calls().filter((call) => call.startsWith("put namespaces/status")).length, 1);
});

Deno.test("syncNamespace fails and reports a group version that cannot be parsed, and deletes the rest", async () => {
  const broken = { ...CONFIGMAPS, group: "a/b", version: "v1", plural: "things" };
  const { client, sync, calls, condition, stored } = setUp(namespaceOf(TERMINATING), [broken, CONFIGMAPS]);
  client.store(CONFIGMAPS, inside("c"));
  await assertRejects(sync, Error, "unexpected GroupVersion string: a/b/v1");
  const { status, reason, message } = condition("NamespaceDeletionGroupVersionParsingFailure")!;
  assertEquals([status, reason, message], [
    "True",
    "GroupVersionParsingFailed",
    "unexpected GroupVersion string: a/b/v1",
  ]);
  assertEquals(condition("NamespaceDeletionDiscoveryFailure")?.status, "False");
  assertEquals(calls().filter((call) => call.includes("things")), []);
  assertEquals([client.all(CONFIGMAPS), stored() !== undefined], [[], true]);
  assertEquals(calls().some((call) => call.startsWith("put namespaces/finalize")), false);
});

Deno.test("ContentDeletion: a pass ends soon after signal aborts, and fails with its reason: syncNamespace sends nothing more", async () => {
  for (const last of ["list pods", "deletecollection configmaps", "list configmaps"]) {
    const { client, stop, sync, calls } = setUp();
    client.onCall = (call) => {
      if (call.startsWith(last)) stop.abort(new Error("stopped"));
    };
    await assertRejects(sync, Error, "stopped");
    assertEquals(calls().at(-1)?.startsWith(last), true, calls().at(-1));
  }
});

Deno.test("syncNamespace repeats after conflicts no longer than its signal lets it", async () => {
  const { client, stop, sync, calls } = setUp();
  client.fail("put namespaces/finalize", statusError(409, "Conflict"));
  client.onCall = () => {
    if (calls().filter((call) => call.startsWith("put namespaces/finalize")).length === 3) {
      stop.abort(new Error("stopped"));
    }
  };
  await assertRejects(sync, Error, "stopped");
  assertEquals(calls().filter((call) => call.startsWith("put namespaces/finalize")).length, 3);
});

Deno.test("syncNamespace does not finalize when discovery lists nothing at all, and says so", async () => {
  const { sync, calls, condition } = setUp(namespaceOf(TERMINATING), []);
  await assertRejects(sync, Error, "discovery lists no namespaced resource");
  assertEquals(calls().some((call) => call.startsWith("put namespaces/finalize")), false);
  assertEquals(condition("NamespaceDeletionDiscoveryFailure")?.status, "True");
});
