/** What a user does with Deployments and what must come of it. */
import { type Deployment, DEPLOYMENTS, PODS, REPLICASETS } from "../../src/api/mod.ts";
import { deployment, isRolledOut, type Kit, podTemplate, replicaSet } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const setImage = (kit: Kit, image: string) =>
  kit.merge(DEPLOYMENTS, "a", { spec: { template: { spec: { containers: [{ name: "c", image }] } } } });

const scale = (kit: Kit, replicas: number) => kit.merge(DEPLOYMENTS, "a", { spec: { replicas } });

/** Rolls out one image after the other. */
async function update(kit: Kit, ...images: string[]): Promise<void> {
  for (const image of images) {
    await setImage(kit, image);
    await kit.rolledOut("a");
  }
}

async function resize(kit: Kit, replicas: number): Promise<void> {
  await scale(kit, replicas);
  await kit.rolledOut("a");
}

/** Rolls out what cannot be pulled, until that has taken too long. */
async function getStuck(kit: Kit): Promise<void> {
  await kit.create(DEPLOYMENTS, deployment("a", { image: "nginx:never-pull", progressDeadlineSeconds: 2 }));
  const isLate = (d: Deployment) => reasonOf("Progressing")(d) === "ProgressDeadlineExceeded";
  await kit.until(DEPLOYMENTS, "a", "exceeds its deadline", isLate);
}

const reasonOf = (type: string) => (d: Deployment) => d.status?.conditions?.find((c) => c.type === type)?.reason;

const STEPS_OVERLAP = "how far a step of a rolling update goes depends on which pod became ready first";

async function rollOut(kit: Kit, options: Parameters<typeof deployment>[1] = {}): Promise<void> {
  await kit.create(DEPLOYMENTS, deployment("a", options));
  await kit.rolledOut("a");
}

export const DEPLOYMENT_SCENARIOS: readonly Scenario[] = [
  { name: "create", run: (kit) => rollOut(kit) },
  {
    name: "scale-up",
    run: async (kit) => {
      await rollOut(kit);
      await resize(kit, 5);
    },
  },
  {
    name: "scale-down",
    run: async (kit) => {
      await rollOut(kit, { replicas: 5 });
      await resize(kit, 1);
    },
  },
  {
    name: "scale-to-zero",
    run: async (kit) => {
      await rollOut(kit);
      await resize(kit, 0);
    },
  },
  {
    name: "new-image",
    eventsDiffer: STEPS_OVERLAP,
    run: async (kit) => {
      await rollOut(kit);
      await update(kit, "nginx:2");
    },
  },
  {
    name: "new-image-one-by-one",
    run: async (kit) => {
      await rollOut(kit, { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } });
      await update(kit, "nginx:2");
    },
  },
  {
    name: "undo",
    eventsDiffer: STEPS_OVERLAP,
    run: async (kit) => {
      await rollOut(kit);
      await update(kit, "nginx:2", "nginx:3");
      await kit.undo("a", "1");
      await kit.rolledOut("a");
    },
  },
  {
    name: "restart",
    eventsDiffer: STEPS_OVERLAP,
    run: async (kit) => {
      await rollOut(kit);
      // As `kubectl rollout restart` does, with a time that is the same for both managers.
      await kit.merge(DEPLOYMENTS, "a", {
        spec: {
          template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" } } },
        },
      });
      await kit.rolledOut("a");
    },
  },
  {
    name: "pause-scale-resume",
    eventsDiffer: STEPS_OVERLAP,
    run: async (kit) => {
      await rollOut(kit);
      await kit.merge(DEPLOYMENTS, "a", { spec: { paused: true } });
      await setImage(kit, "nginx:2");
      await scale(kit, 4);
      await kit.until(
        DEPLOYMENTS,
        "a",
        "has 4 old pods",
        (d) => d.status?.availableReplicas === 4 && reasonOf("Progressing")(d) === "DeploymentPaused",
      );
      await kit.merge(DEPLOYMENTS, "a", { spec: { paused: null } });
      await kit.until(
        DEPLOYMENTS,
        "a",
        "is rolled out again",
        (d) => isRolledOut(d) && reasonOf("Progressing")(d) === "NewReplicaSetAvailable",
      );
      await kit.rolledOut("a");
    },
  },
  {
    name: "recreate",
    run: async (kit) => {
      await rollOut(kit, { strategy: { type: "Recreate" } });
      await update(kit, "nginx:2");
    },
  },
  {
    name: "progress-deadline",
    run: async (kit) => {
      await getStuck(kit);
      await kit.untilAll(PODS, "all exist", (pods) => pods.length === 3);
    },
  },
  {
    name: "progress-deadline-recovered",
    eventsDiffer: STEPS_OVERLAP,
    run: async (kit) => {
      await getStuck(kit);
      await update(kit, "nginx:2");
    },
  },
  {
    name: "history-limit",
    eventsDiffer: STEPS_OVERLAP,
    run: async (kit) => {
      await rollOut(kit, { replicas: 1, revisionHistoryLimit: 1 });
      await update(kit, "nginx:2", "nginx:3", "nginx:4");
      await kit.untilAll(REPLICASETS, "two are left", (sets) => sets.length === 2);
    },
  },
  {
    name: "proportional-scaling",
    eventsDiffer: STEPS_OVERLAP,
    run: async (kit) => {
      await rollOut(kit, { replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
      await setImage(kit, "nginx:never-pull");
      const sizes = async () => (await kit.list(REPLICASETS)).map((set) => set.spec?.replicas).sort().join();
      await kit.untilAll(REPLICASETS, "stuck at 8 and 5", async () => await sizes() === "5,8");
      await kit.until(
        DEPLOYMENTS,
        "a",
        "is stuck",
        (d) => d.status?.replicas === 13 && d.status.availableReplicas === 8,
      );
      await kit.settled();
      await scale(kit, 30);
      await kit.until(
        DEPLOYMENTS,
        "a",
        "is stuck at 33",
        (d) => d.status?.replicas === 33 && d.status.availableReplicas === 20,
      );
      await kit.settled();
    },
  },
  {
    name: "annotations-follow",
    run: async (kit) => {
      await rollOut(kit, { replicas: 1 });
      await kit.merge(DEPLOYMENTS, "a", { metadata: { annotations: { team: "blue" } } });
      await kit.untilAll(
        REPLICASETS,
        "carry the annotation",
        (sets) => sets.every((s) => s.metadata?.annotations?.team === "blue"),
      );
      await kit.settled();
    },
  },
  {
    name: "min-ready-seconds",
    run: (kit) => rollOut(kit, { replicas: 2, minReadySeconds: 2 }),
  },
  {
    name: "no-progress-deadline",
    run: (kit) => rollOut(kit, { replicas: 1, progressDeadlineSeconds: 2147483647 }),
  },
  {
    name: "adopts-replicaset",
    run: async (kit) => {
      const template = podTemplate("a");
      await kit.create(REPLICASETS, {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "made-by-hand", labels: { app: "a" } },
        spec: { replicas: 2, selector: { matchLabels: { app: "a" } }, template },
      });
      await kit.untilAll(PODS, "run", (pods) => pods.length === 2);
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 2 }));
      await kit.rolledOut("a");
    },
  },
  {
    name: "name-collision",
    run: async (kit) => {
      const probe = await kit.create(DEPLOYMENTS, deployment("a", { replicas: 1 }));
      const [set] = await kit.untilAll(REPLICASETS, "one exists", (sets) => sets.length === 1);
      await kit.delete(DEPLOYMENTS, "a", "Foreground");
      await kit.untilGone(DEPLOYMENTS, "a");
      const taken = replicaSet(set.metadata!.name!, { replicas: 0 });
      taken.spec!.selector = { matchLabels: { app: "other" } };
      taken.spec!.template = podTemplate("other");
      await kit.create(REPLICASETS, taken);
      await kit.create(DEPLOYMENTS, { ...deployment("a", { replicas: 1 }), metadata: { name: probe.metadata!.name } });
      await kit.rolledOut("a");
    },
  },
  {
    name: "orphan-delete",
    run: async (kit) => {
      await rollOut(kit);
      await kit.delete(DEPLOYMENTS, "a", "Orphan");
      await kit.untilGone(DEPLOYMENTS, "a");
      await kit.untilAll(REPLICASETS, "are orphans", (sets) => sets.length === 1 && !sets[0].metadata?.ownerReferences);
    },
  },
  {
    name: "orphan-delete-and-recreate",
    run: async (kit) => {
      await rollOut(kit);
      await kit.delete(DEPLOYMENTS, "a", "Orphan");
      await kit.untilGone(DEPLOYMENTS, "a");
      await rollOut(kit);
    },
  },
  {
    name: "background-delete",
    run: async (kit) => {
      await rollOut(kit);
      await kit.delete(DEPLOYMENTS, "a", "Background");
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
      await kit.untilAll(REPLICASETS, "are gone", (sets) => sets.length === 0);
    },
  },
  {
    name: "foreground-delete",
    run: async (kit) => {
      await rollOut(kit);
      await kit.delete(DEPLOYMENTS, "a", "Foreground");
      await kit.untilGone(DEPLOYMENTS, "a");
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
];
