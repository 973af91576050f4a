/** What a user does with Jobs and what must come of it, on any server and under either manager. */
import { type Job, JOBS, type JobSpec, NAMESPACES, type Pod, PODS } from "../../src/api/mod.ts";
import { ended, FOREVER, indexed, isTrue, job, podsSettled, runJob, running } from "./job_kit.ts";
import { JOB_POLICY_SCENARIOS } from "./job_policy_scenarios.ts";
import type { Kit } from "./kit.ts";
import { limitPods } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";

const COMPLETION: readonly Scenario[] = [
  { name: "job", run: (kit) => runJob(kit, "Complete") },
  { name: "job-parallel", run: (kit) => runJob(kit, "Complete", { completions: 6, parallelism: 3 }) },
  {
    name: "job-work-queue",
    run: (kit) => runJob(kit, "Complete", { parallelism: 2 }),
  },
  { name: "job-without-work", run: (kit) => runJob(kit, "Complete", { completions: 0 }) },
  {
    name: "job-at-rest",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { completions: 2, parallelism: 0 }));
      await kit.until(JOBS, "a", "is observed", ({ status }) => status?.startTime && status.ready === 0);
    },
  },
  { name: "job-indexed", run: (kit) => runJob(kit, "Complete", indexed(5, 2)) },
  {
    name: "job-indexed-variable",
    run: (kit) => {
      const env = [{ name: "JOB_COMPLETION_INDEX", value: "mine" }];
      const template = {
        metadata: { annotations: { team: "blue" }, finalizers: ["example.com/mine"] },
        spec: {
          hostname: "overwritten",
          restartPolicy: "Never",
          initContainers: [{ name: "i", image: "busybox:1" }],
          containers: [{ name: "c", image: "busybox:1", env }, { name: "d", image: "busybox:1" }],
        },
      };
      return runJob(kit, "Complete", { ...indexed(2), template });
    },
  },
  {
    name: "job-with-a-long-name",
    run: async (kit) => {
      const name = `long-${"x".repeat(50)}`;
      await kit.create(JOBS, job(name, indexed(2)));
      await kit.until(JOBS, name, "is complete", isTrue("Complete"));
      await podsSettled(kit);
    },
  },
];

/** Deletes the running pod of a Job, which gets another one. */
async function deletePodOf(kit: Kit, spec: Partial<JobSpec>): Promise<void> {
  await kit.create(JOBS, job("a", spec, FOREVER));
  await running(kit, 1);
  const [pod] = await kit.list(PODS);
  await kit.delete(PODS, pod.metadata!.name!);
  await kit.untilGone(PODS, pod.metadata!.name!);
  await kit.until(JOBS, "a", "has counted it", ({ status }) => status?.failed === 1);
  await running(kit, 1);
}

const FAILURE: readonly Scenario[] = [
  { name: "job-fails", run: (kit) => runJob(kit, "Failed", { backoffLimit: 0 }, { "exit-code": "1" }) },
  { name: "job-fails-twice", run: (kit) => runJob(kit, "Failed", { backoffLimit: 1 }, { "exit-code": "1" }) },
  { name: "job-recovers", run: (kit) => runJob(kit, "Complete", { backoffLimit: 2 }, { "exit-code": "1,0" }) },
  {
    name: "job-fails-with-running-pods",
    run: async (kit) => {
      const script = { "exit-code": "@2=1", "run-for": "forever,@2=2s" };
      await runJob(kit, "Failed", { ...indexed(3), backoffLimit: 0 }, script);
    },
  },
  {
    name: "job-restarts-in-place",
    run: (kit) => {
      const { template } = job("a", {}, { "exit-code": "1" }).spec!;
      const spec = { ...template.spec!, restartPolicy: "OnFailure" };
      return runJob(kit, "Failed", { backoffLimit: 1, template: { ...template, spec } });
    },
  },
  { name: "job-deadline", run: (kit) => runJob(kit, "Failed", { activeDeadlineSeconds: 3, parallelism: 2 }, FOREVER) },
  {
    name: "job-deadline-shortened",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { activeDeadlineSeconds: 3600 }, FOREVER));
      await running(kit, 1);
      await kit.merge(JOBS, "a", { spec: { activeDeadlineSeconds: 1 } });
      await ended(kit, "Failed");
    },
  },
  { name: "job-pod-deleted", run: (kit) => deletePodOf(kit, { backoffLimit: 3 }) },
  { name: "job-replaces-only-failed-pods", run: (kit) => deletePodOf(kit, { podReplacementPolicy: "Failed" }) },
];

const CHANGES: readonly Scenario[] = [
  {
    name: "job-suspended-and-resumed",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { suspend: true, completions: 2 }));
      await kit.until(JOBS, "a", "is suspended", isTrue("Suspended"));
      await kit.merge(JOBS, "a", { spec: { suspend: false } });
      await ended(kit, "Complete");
    },
  },
  {
    name: "job-suspended-while-running",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { parallelism: 2 }, FOREVER));
      await running(kit, 2);
      await kit.merge(JOBS, "a", { spec: { suspend: true } });
      await kit.until(JOBS, "a", "is suspended", isTrue("Suspended"));
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
      await running(kit, 0);
    },
  },
  {
    name: "job-suspended-resumed-running",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { parallelism: 2 }, FOREVER));
      await running(kit, 2);
      await kit.merge(JOBS, "a", { spec: { suspend: true } });
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
      await running(kit, 0);
      await kit.merge(JOBS, "a", { spec: { suspend: false } });
      await running(kit, 2);
    },
  },
  {
    name: "job-parallelism-lowered",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { completions: 8, parallelism: 4 }, FOREVER));
      await running(kit, 4);
      await kit.merge(JOBS, "a", { spec: { parallelism: 1 } });
      await running(kit, 1);
      await kit.untilAll(PODS, "is one", (pods) => pods.length === 1);
    },
  },
  {
    name: "job-elastic",
    run: async (kit) => {
      await kit.create(JOBS, job("a", indexed(4), FOREVER));
      await running(kit, 4);
      await kit.merge(JOBS, "a", { spec: { completions: 2, parallelism: 2 } });
      await running(kit, 2);
      await kit.untilAll(PODS, "are two", (pods) => pods.length === 2);
      await kit.merge(JOBS, "a", { spec: { completions: 3, parallelism: 3 } });
      await running(kit, 3);
    },
  },
  {
    name: "job-elastic-after-success",
    run: async (kit) => {
      await kit.create(JOBS, job("a", indexed(4), { "run-for": "forever,@3=1s" }));
      await kit.until(JOBS, "a", "has completed one", ({ status }) => status?.completedIndexes === "3");
      await kit.merge(JOBS, "a", { spec: { completions: 3, parallelism: 3 } });
      await kit.until(JOBS, "a", "has forgotten it", ({ status }) => !status?.completedIndexes);
      await running(kit, 3);
    },
  },
  {
    name: "job-managed-by-another",
    run: async (kit) => {
      await kit.create(JOBS, job("other", { managedBy: "acme.io/x" }));
      await runJob(kit, "Complete");
    },
  },
];

const OWNERSHIP: readonly Scenario[] = [
  {
    name: "job-orphans-pods",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { parallelism: 2 }, FOREVER));
      await running(kit, 2);
      await kit.delete(JOBS, "a", "Orphan");
      await kit.untilGone(JOBS, "a");
      const isFree = ({ metadata }: Pod) => !metadata?.ownerReferences?.length && !metadata?.finalizers?.length;
      await kit.untilAll(PODS, "belong to nobody", (pods) => pods.length === 2 && pods.every(isFree));
    },
  },
  {
    name: "job-deleted-in-background",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { parallelism: 2 }, FOREVER));
      await running(kit, 2);
      await kit.delete(JOBS, "a", "Background");
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
  {
    name: "job-deleted-in-foreground",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { parallelism: 2 }, FOREVER));
      await running(kit, 2);
      await kit.delete(JOBS, "a", "Foreground");
      await kit.untilGone(JOBS, "a");
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
  {
    name: "job-adopts",
    run: async (kit) => {
      const manual: Job = job("a", {
        manualSelector: true,
        selector: { matchLabels: { app: "a" } },
        parallelism: 2,
      }, FOREVER);
      const spec = { ...manual.spec!.template.spec! };
      await kit.create(PODS, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "orphan", labels: { app: "a" }, annotations: manual.spec!.template.metadata!.annotations },
        spec,
      });
      await kit.until(PODS, "orphan", "runs", ({ status }) => status?.phase === "Running");
      await kit.create(JOBS, manual);
      await running(kit, 2);
      await kit.untilAll(
        PODS,
        "are two, with finalizers",
        (pods) => pods.length === 2 && pods.every(({ metadata }) => metadata?.finalizers?.length === 1),
      );
    },
  },
  {
    name: "job-releases",
    run: async (kit) => {
      await kit.create(JOBS, job("a", {}, FOREVER));
      await running(kit, 1);
      const [pod] = await kit.list(PODS);
      const gone = { "batch.kubernetes.io/controller-uid": null, "controller-uid": null };
      await kit.merge(PODS, pod.metadata!.name!, { metadata: { labels: gone } });
      await kit.untilAll(
        PODS,
        "are two, one released",
        (pods) => pods.length === 2 && pods.some(({ metadata }) => !metadata?.finalizers && !metadata?.ownerReferences),
      );
      await running(kit, 1);
    },
  },
  {
    name: "job-refused-by-quota",
    run: async (kit) => {
      await limitPods(kit, 0);
      await kit.create(JOBS, job("a", { parallelism: 3 }));
      await kit.until(JOBS, "a", "has tried", ({ status }) => status?.startTime);
    },
  },
  {
    name: "job-in-a-terminating-namespace",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { parallelism: 2 }, FOREVER));
      await running(kit, 2);
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];

const TTL: readonly Scenario[] = [
  {
    name: "job-ttl",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { ttlSecondsAfterFinished: 2 }));
      await kit.create(JOBS, job("stays", { ttlSecondsAfterFinished: 3600 }));
      await kit.untilGone(JOBS, "a");
      await kit.until(JOBS, "stays", "is complete", isTrue("Complete"));
      await kit.untilAll(PODS, "is one", (pods) => pods.length === 1);
      await podsSettled(kit);
    },
  },
  {
    name: "job-ttl-of-a-failure",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { ttlSecondsAfterFinished: 0, backoffLimit: 0 }, { "exit-code": "1" }));
      await kit.untilGone(JOBS, "a");
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
  {
    name: "job-ttl-set-late",
    run: async (kit) => {
      await runJob(kit, "Complete");
      await kit.merge(JOBS, "a", { spec: { ttlSecondsAfterFinished: 1 } });
      await kit.untilGone(JOBS, "a");
    },
  },
];

export const JOB_SCENARIOS: readonly Scenario[] = [
  ...COMPLETION,
  ...FAILURE,
  ...JOB_POLICY_SCENARIOS,
  ...CHANGES,
  ...OWNERSHIP,
  ...TTL,
];
