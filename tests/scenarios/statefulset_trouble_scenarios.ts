/** What others do to StatefulSets and their pods, and what must come of it. */
import { NAMESPACES, PODS, STATEFULSETS } from "../../src/api/mod.ts";
import { orphanPod, podTemplate } from "./kit.ts";
import { limitPods } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  endPod,
  evict,
  podsAre,
  revisionsAre,
  rollOutSet,
  setRolledOut,
  statefulSet,
  untilReplaced,
} from "./set_kit.ts";

const REPAIRS: readonly Scenario[] = [
  {
    name: "sts-adopts",
    run: async (kit) => {
      await rollOutSet(kit);
      await kit.delete(STATEFULSETS, "a", "Orphan");
      await kit.untilGone(STATEFULSETS, "a");
      await kit.untilAll(PODS, "have no owner", (pods) => pods.every((pod) => !pod.metadata?.ownerReferences));
      await kit.create(PODS, orphanPod("stranger", "a"));
      await rollOutSet(kit, { image: "nginx:2" });
      await kit.until(PODS, "stranger", "is ready", ({ status }) => status?.phase === "Running");
    },
  },
  {
    name: "sts-label-lost",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 2 });
      const name = "statefulset.kubernetes.io/pod-name";
      await kit.merge(PODS, "a-1", { metadata: { labels: { [name]: null } } });
      await kit.until(PODS, "a-1", "has its label again", ({ metadata }) => metadata?.labels?.[name] === "a-1");
      await kit.untilEvent("SuccessfulUpdate");
    },
  },
  {
    name: "sts-pod-released",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 1 });
      await kit.merge(PODS, "a-0", { metadata: { labels: { app: "b" } } });
      await kit.until(PODS, "a-0", "has no owner", ({ metadata }) => !metadata?.ownerReferences);
      await kit.until(STATEFULSETS, "a", "has no pod", ({ status }) => status?.replicas === 0);
    },
  },
  {
    name: "sts-failed-pod",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 2 });
      await endPod(kit, "a-0", "Failed");
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-quota",
    run: async (kit) => {
      await limitPods(kit, 1);
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2 }));
      await kit.untilEvent("FailedCreate");
      await kit.until(STATEFULSETS, "a", "has one pod", ({ status }) => status?.readyReplicas === 1);
    },
  },
];

const TROUBLE: readonly Scenario[] = [
  {
    name: "sts-evicted",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 2 });
      const replaced = await kit.get(PODS, "a-0");
      await evict(kit, "a-0");
      await untilReplaced(kit, replaced);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-no-account",
    run: async (kit) => {
      const template = podTemplate("a");
      const spec = { ...template.spec!, serviceAccountName: "missing" };
      await kit.create(STATEFULSETS, statefulSet("a", { template: { ...template, spec } }));
      await kit.untilEvent("FailedCreate");
      await kit.until(STATEFULSETS, "a", "has counted", ({ status }) => status?.observedGeneration === 1);
    },
  },
  {
    name: "sts-overlapping",
    run: async (kit) => {
      const selector = { matchLabels: { app: "a" } };
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2 }));
      await kit.create(STATEFULSETS, statefulSet("b", { replicas: 2, selector, template: podTemplate("a") }));
      for (const name of ["a", "b"]) await setRolledOut(kit, name);
    },
  },
  {
    name: "sts-name-taken",
    run: async (kit) => {
      const pod = orphanPod("a-0", "other");
      await kit.create(PODS, pod);
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2 }));
      await kit.until(STATEFULSETS, "a", "has counted", ({ status }) => status?.observedGeneration === 1);
      await kit.delete(PODS, "a-0");
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "sts-recreated",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 2 });
      await kit.delete(STATEFULSETS, "a", "Background");
      await kit.untilGone(STATEFULSETS, "a");
      await rollOutSet(kit, { replicas: 1, image: "nginx:2" });
      await podsAre(kit, ["a-0"]);
      await revisionsAre(kit, 1);
      await setRolledOut(kit, "a");
    },
    eventsDiffer: "pods of the first set may still be there when the second one begins",
  },
  {
    name: "sts-namespace-deleted",
    run: async (kit) => {
      await rollOutSet(kit, { replicas: 2 });
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];

/** All of them. */
export const STATEFULSET_TROUBLE: readonly Scenario[] = [...REPAIRS, ...TROUBLE];
