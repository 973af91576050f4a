/** What becomes of groups that are deleted while pods are scheduled with them, where the gate `GenericWorkload` is on. */
import { CONFIGMAPS, type Pod, type PodGroup, PODGROUPS, PODS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const GUARD = "scheduling.k8s.io/podgroup-protection";

async function createGroup(kit: Kit, name: string, more: PodGroup["metadata"] = {}): Promise<void> {
  await kit.create(PODGROUPS, {
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "PodGroup",
    metadata: { name, ...more },
    spec: { schedulingPolicy: { basic: {} } },
  });
}

/** Makes a pod of the group `a` that nobody schedules. */
async function createPod(kit: Kit, name: string): Promise<void> {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      containers: [{ name: "c", image: "nginx:1" }],
      schedulerName: "nobody",
      schedulingGroup: { podGroupName: "a" },
      terminationGracePeriodSeconds: 1,
    },
  };
  await kit.create(PODS, pod);
}

async function setPhase(kit: Kit, name: string, phase: string): Promise<void> {
  await kit.merge(PODS, name, { status: { phase } }, "status");
}

/** Deletes a group and waits until one that was deleted after it is gone: then the controller has looked at it. */
async function deleteAndLook(kit: Kit): Promise<void> {
  await kit.delete(PODGROUPS, "a");
  await look(kit, "later");
}

async function look(kit: Kit, other: string): Promise<void> {
  await createGroup(kit, other);
  await kit.delete(PODGROUPS, other);
  await kit.untilGone(PODGROUPS, other);
}

/** Writes down whether the group is there, and what holds it. */
async function writeDown(kit: Kit, name: string): Promise<void> {
  const group = await kit.find(PODGROUPS, "a");
  const { deletionTimestamp, finalizers } = group?.metadata ?? {};
  const data = {
    isThere: String(group !== undefined),
    isDeleted: String(deletionTimestamp !== undefined),
    finalizers: String(finalizers),
  };
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

export const PODGROUP_SCENARIOS: readonly Scenario[] = [
  {
    name: "podgroup-without-pods",
    run: async (kit) => {
      await createGroup(kit, "a");
      await writeDown(kit, "before");
      await kit.delete(PODGROUPS, "a");
      await kit.untilGone(PODGROUPS, "a");
    },
  },
  {
    name: "podgroup-with-a-pod",
    run: async (kit) => {
      await createGroup(kit, "a");
      await createPod(kit, "x");
      await deleteAndLook(kit);
      await writeDown(kit, "while-used");
      await kit.delete(PODS, "x");
      await kit.untilGone(PODGROUPS, "a");
    },
  },
  {
    name: "podgroup-whose-pods-end",
    run: async (kit) => {
      await createGroup(kit, "a");
      await createPod(kit, "x");
      await createPod(kit, "y");
      await deleteAndLook(kit);
      await setPhase(kit, "x", "Succeeded");
      await look(kit, "still-later");
      await writeDown(kit, "half-used");
      await setPhase(kit, "y", "Failed");
      await kit.untilGone(PODGROUPS, "a");
    },
  },
  {
    name: "podgroup-of-ended-pods",
    run: async (kit) => {
      await createGroup(kit, "a");
      await createPod(kit, "x");
      await setPhase(kit, "x", "Failed");
      await kit.delete(PODGROUPS, "a");
      await kit.untilGone(PODGROUPS, "a");
    },
  },
  {
    name: "podgroup-with-another-guard",
    run: async (kit) => {
      await createGroup(kit, "a", { finalizers: ["example.com/guard"] });
      await kit.delete(PODGROUPS, "a");
      await kit.until(PODGROUPS, "a", "has lost its guard", ({ metadata }) => !metadata?.finalizers?.includes(GUARD));
      await writeDown(kit, "other-guard");
      await kit.merge(PODGROUPS, "a", { metadata: { finalizers: null } });
    },
  },
  {
    name: "podgroup-without-guard",
    run: async (kit) => {
      await createGroup(kit, "a", { finalizers: ["example.com/guard"] });
      await kit.merge(PODGROUPS, "a", { metadata: { finalizers: ["example.com/guard"] } });
      await look(kit, "later");
      await writeDown(kit, "not-guarded-again");
      await createPod(kit, "x");
      await kit.delete(PODGROUPS, "a");
      await kit.merge(PODGROUPS, "a", { metadata: { finalizers: null } });
      await kit.untilGone(PODGROUPS, "a");
    },
  },
];
