/** Garbage collection and namespace deletion of custom resources, whose definition comes while the manager runs. */
import { assert, assertEquals } from "@std/assert";
import {
  apiVersionOf,
  CONFIGMAPS,
  CUSTOMRESOURCEDEFINITIONS,
  type KubeObject,
  NAMESPACES,
  type ObjectMeta,
  type OwnerReference,
  type Resource,
} from "../../src/api/mod.ts";
import { defineResource } from "../../src/controllers/mod.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const BOXES = defineResource<KubeObject>({ group: "example.com", version: "v1", kind: "Box", plural: "boxes" });
const HOLD = "example.com/hold";
/** Discovery is asked every 30 s; the first list of a new resource may wait for one backoff more. */
const PICKED_UP_WITHIN_MS = 60_000;

/** Makes the resource known to the API server and waits until it serves it. */
async function define({ client }: Cluster, resource: Resource): Promise<void> {
  const { group, version, kind, plural } = resource;
  await client.create(CUSTOMRESOURCEDEFINITIONS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: resource.namespaced ? "Namespaced" : "Cluster",
      names: { plural, kind },
      versions: [{
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      }],
    },
  });
  await eventually(`${plural}.${group} is served`, async () => Boolean(await client.list(resource)));
}

function make(kit: Kit, resource: Resource, name: string, metadata: ObjectMeta = {}): Promise<KubeObject> {
  const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name, ...metadata } };
  return kit.create<KubeObject>(resource, object);
}

/** A reference that blocks the owner's foreground deletion. */
function ownedBy(resource: Resource, owner: KubeObject): OwnerReference {
  const { name = "", uid = "" } = owner.metadata ?? {};
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, blockOwnerDeletion: true };
}

/** A Box that owns a Box, which owns a ConfigMap. */
async function family(kit: Kit, name: string, child: ObjectMeta = {}): Promise<void> {
  const owner = await make(kit, BOXES, name);
  const box = await make(kit, BOXES, `${name}-child`, { ownerReferences: [ownedBy(BOXES, owner)], ...child });
  await make(kit, CONFIGMAPS, `${name}-grandchild`, { ownerReferences: [ownedBy(BOXES, box)] });
}

async function deletesInBackground(kit: Kit): Promise<void> {
  await family(kit, "background", { finalizers: [HOLD] });
  await kit.delete(BOXES, "background", "Background");
  await kit.untilGone(BOXES, "background"); // although its child is held
  await kit.until(BOXES, "background-child", "is being deleted", ({ metadata }) => metadata?.deletionTimestamp);
  await kit.merge(BOXES, "background-child", { metadata: { finalizers: null } });
  await kit.untilGone(BOXES, "background-child");
  await kit.untilGone(CONFIGMAPS, "background-grandchild");
}

async function deletesInForeground(kit: Kit): Promise<void> {
  await family(kit, "foreground", { finalizers: [HOLD] });
  await kit.delete(BOXES, "foreground", "Foreground");
  await kit.untilGone(CONFIGMAPS, "foreground-grandchild");
  await kit.until(
    BOXES,
    "foreground-child",
    "waits for its last finalizer",
    ({ metadata }) => metadata?.deletionTimestamp && metadata.finalizers?.join() === HOLD,
  );
  const { metadata } = await kit.get(BOXES, "foreground");
  assertEquals(metadata?.finalizers, ["foregroundDeletion"], "the owner waits for its child");
  await kit.merge(BOXES, "foreground-child", { metadata: { finalizers: null } });
  await kit.untilGone(BOXES, "foreground-child");
  await kit.untilGone(BOXES, "foreground");
}

async function orphans(kit: Kit): Promise<void> {
  const owner = await make(kit, BOXES, "orphaning");
  const ownerReferences = [ownedBy(BOXES, owner)];
  const before = [
    await make(kit, BOXES, "orphan", { ownerReferences }),
    await make(kit, CONFIGMAPS, "orphan", { ownerReferences }),
  ];
  await kit.delete(BOXES, "orphaning", "Orphan");
  await kit.untilGone(BOXES, "orphaning");
  const after = [await kit.get(BOXES, "orphan"), await kit.get(CONFIGMAPS, "orphan")];
  for (const [i, { metadata }] of after.entries()) {
    assertEquals(metadata?.uid, before[i].metadata?.uid);
    assertEquals(metadata?.ownerReferences, undefined);
    assertEquals(metadata?.deletionTimestamp, undefined);
  }
}

async function collectsWhatNobodyOwns(kit: Kit): Promise<void> {
  const solid = await make(kit, CONFIGMAPS, "solid");
  const nobody = (resource: Resource) => ownedBy(resource, { metadata: { name: "nobody", uid: crypto.randomUUID() } });
  await make(kit, BOXES, "of-no-box", { ownerReferences: [nobody(BOXES)] });
  await make(kit, BOXES, "of-no-configmap", { ownerReferences: [nobody(CONFIGMAPS)] });
  await make(kit, CONFIGMAPS, "of-no-box", { ownerReferences: [nobody(BOXES)] });
  await make(kit, BOXES, "of-one", { ownerReferences: [nobody(BOXES), ownedBy(CONFIGMAPS, solid)] });
  const unknown = { apiVersion: "example.com/v1", kind: "Unheard", name: "of", uid: crypto.randomUUID() };
  await make(kit, BOXES, "of-unknown-kind", { ownerReferences: [unknown] });
  for (const name of ["of-no-box", "of-no-configmap"]) await kit.untilGone(BOXES, name);
  await kit.untilGone(CONFIGMAPS, "of-no-box");
  await kit.until(
    BOXES,
    "of-one",
    "names only the owner that exists",
    ({ metadata }) => metadata?.ownerReferences?.map(({ name }) => name).join() === "solid",
  );
  assert(!(await kit.get(BOXES, "of-unknown-kind")).metadata?.deletionTimestamp, "an unknown kind proves nothing");
}

async function deletesNamespace({ client }: Cluster, kit: Kit): Promise<void> {
  await family(kit, "inside");
  await make(kit, BOXES, "held", { finalizers: [HOLD] });
  await client.delete(NAMESPACES, { name: kit.namespace });
  const { status } = await kit.until(
    NAMESPACES,
    kit.namespace,
    "says what is left",
    ({ status }) =>
      status?.conditions?.some((one) => one.type === "NamespaceContentRemaining" && one.status === "True"),
  );
  const messages = status?.conditions?.filter((one) => one.status === "True").map(({ message }) => message);
  assertEquals(messages, [
    "Some resources are remaining: boxes.example.com has 1 resource instances",
    `Some content in the namespace has finalizers remaining: ${HOLD} in 1 resource instances`,
  ]);
  await kit.merge(BOXES, "held", { metadata: { finalizers: null } });
  await kit.untilGone(NAMESPACES, kit.namespace);
}

clusterTest("custom resources are collected, orphaned and emptied from namespaces like built-in ones", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const { process } = await startManager(cluster.plane, "kubeloop");
  const kit = await cluster.namespace("boxes");
  const doomed = await cluster.namespace("doomed");

  await define(cluster, BOXES);
  const definedMs = performance.now();
  const owner = await make(kit, BOXES, "first");
  await make(kit, BOXES, "first-child", { ownerReferences: [ownedBy(BOXES, owner)] });
  await kit.delete(BOXES, "first");
  await kit.untilGone(BOXES, "first-child");
  const tookMs = performance.now() - definedMs;
  assert(tookMs < PICKED_UP_WITHIN_MS, `a new kind was picked up after ${Math.round(tookMs)} ms only`);

  await Promise.all([
    deletesInBackground(kit),
    deletesInForeground(kit),
    orphans(kit),
    collectsWhatNobodyOwns(kit),
    deletesNamespace(cluster, doomed),
  ]);
  assertEquals(process.exit, undefined);
});
