/** What comes of Jobs whose pods are to run all at once, where the gate `WorkloadWithJob` is on. */
import { type Job, JOBS, PODGROUPS, PODS, type Workload, WORKLOADS } from "../../src/api/mod.ts";
import { podGroupName, workloadName } from "../../src/controllers/job/gang_objects.ts";
import { ended, FOREVER, isTrue, job, type Script } from "./job_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const GANG = { completionMode: "Indexed", completions: 2, parallelism: 2 };

async function start(kit: Kit, spec: Job["spec"] | Record<string, unknown> = {}, script: Script = {}): Promise<Job> {
  return await kit.create(JOBS, job("a", { ...GANG, ...spec }, script));
}

/** Waits until the Job's group exists under the names that upstream's manager would give it. */
export async function isGrouped(kit: Kit, owner: Job): Promise<void> {
  const name = workloadName(owner);
  await kit.untilAll(WORKLOADS, "are there", (all) => all.some(({ metadata }) => metadata?.name === name));
  const group = podGroupName(name, "a-pgt-0");
  await kit.untilAll(PODGROUPS, "are there", (all) => all.some(({ metadata }) => metadata?.name === group));
}

/** Waits until pods are there, all in one group or all in none. */
async function untilPods(kit: Kit, count: number, podGroupName: string | undefined): Promise<void> {
  await kit.untilAll(
    PODS,
    `are ${count}, in group ${podGroupName}`,
    (pods) => pods.length === count && pods.every(({ spec }) => spec?.schedulingGroup?.podGroupName === podGroupName),
  );
}

/** A Workload that somebody made for the Job `a`. */
function workloadBy(name: string): Workload {
  const template = { name: "t", schedulingPolicy: { gang: { minCount: 2 } } };
  return {
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "Workload",
    metadata: { name },
    spec: { controllerRef: { apiGroup: "batch", kind: "Job", name: "a" }, podGroupTemplates: [template] },
  };
}

/** Deletes `owner` and waits until what it led to is gone. */
async function isGone(kit: Kit, owner: Job): Promise<void> {
  await kit.delete(JOBS, "a", "Background");
  const group = podGroupName(workloadName(owner), "a-pgt-0");
  await kit.untilAll(
    WORKLOADS,
    "are gone",
    (all) => all.every(({ metadata }) => metadata?.name !== workloadName(owner)),
  );
  await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
  await kit.untilGone(PODGROUPS, group);
}

export const GANG_SCENARIOS: readonly Scenario[] = [
  {
    name: "gang",
    run: async (kit) => {
      await isGrouped(kit, await start(kit));
      await ended(kit, "Complete");
    },
  },
  {
    name: "gang-suspended",
    run: async (kit) => {
      await isGrouped(kit, await start(kit, { suspend: true }));
      await kit.until(JOBS, "a", "is suspended", isTrue("Suspended"));
      await kit.merge(JOBS, "a", { spec: { suspend: false } });
      await ended(kit, "Complete");
    },
  },
  {
    name: "gang-replaces-a-pod",
    run: async (kit) => {
      await isGrouped(kit, await start(kit, { backoffLimit: 3 }, { "exit-code": "@1=1,@1=0" }));
      await ended(kit, "Complete");
    },
  },
  {
    name: "gang-with-a-workload-of-somebody",
    run: async (kit) => {
      await kit.create(WORKLOADS, workloadBy("theirs"));
      await start(kit);
      await ended(kit, "Complete");
      await untilPods(kit, 2, undefined);
    },
  },
  {
    name: "gang-with-two-workloads",
    run: async (kit) => {
      for (const name of ["one", "two"]) await kit.create(WORKLOADS, workloadBy(name));
      await start(kit);
      await ended(kit, "Complete");
      await untilPods(kit, 2, undefined);
    },
  },
  {
    name: "gang-in-a-group-of-its-own",
    run: async (kit) => {
      const { template } = job("a", {}, FOREVER).spec!;
      const schedulingGroup = { podGroupName: "theirs" };
      await start(kit, { template: { ...template, spec: { ...template.spec, schedulingGroup } } });
      await untilPods(kit, 2, "theirs");
    },
  },
  {
    name: "gang-not",
    run: async (kit) => {
      await start(kit, { completions: 3 });
      await ended(kit, "Complete");
      await untilPods(kit, 3, undefined);
    },
  },
  {
    name: "gang-deleted-and-made-again",
    run: async (kit) => {
      const first = await start(kit, {}, FOREVER);
      await isGrouped(kit, first);
      await isGone(kit, first);
      await isGrouped(kit, await start(kit));
      await ended(kit, "Complete");
    },
  },
];
