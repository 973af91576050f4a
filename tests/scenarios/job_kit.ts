/** Jobs for scenarios, and what is waited for. */
import { findCondition, type Job, JOBS, type JobSpec, type Pod, PODS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";

/** What simulated nodes do with a Job's pods: the annotations `kubeloop.dev/*`, without their prefix. */
export type Script = Readonly<Record<string, string>>;

export const FOREVER: Script = { "run-for": "forever" };

/** A Job of one container that ends at once with success, unless the script says otherwise. */
export function job(name: string, spec: Partial<JobSpec> = {}, script: Script = {}): Job {
  const annotations = Object.fromEntries(Object.entries(script).map(([key, value]) => [`kubeloop.dev/${key}`, value]));
  const template = {
    metadata: { annotations, labels: { app: name } },
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "c", image: "busybox:1" }],
      terminationGracePeriodSeconds: 1,
    },
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { template, ...spec } };
}

/** What makes a Job an indexed one. */
export const indexed = (completions: number, parallelism = completions) => ({
  completionMode: "Indexed",
  completions,
  parallelism,
});

export const isTrue = (type: string) => ({ status }: Job) => findCondition(status?.conditions, type)?.status === "True";

/** Makes the Job `a` and waits until it has this condition and nothing of it is left to do. */
export async function runJob(
  kit: Kit,
  type: "Complete" | "Failed",
  spec: Partial<JobSpec> = {},
  script: Script = {},
): Promise<void> {
  await kit.create(JOBS, job("a", spec, script));
  await ended(kit, type);
}

/** Waits until the Job `a` has this condition and its pods are counted. */
export async function ended(kit: Kit, type: "Complete" | "Failed"): Promise<void> {
  await kit.until(JOBS, "a", `is ${type}`, isTrue(type));
  await podsSettled(kit);
}

/** Waits until no pod is on its way out, and no ended pod waits to be counted. */
export async function podsSettled(kit: Kit): Promise<void> {
  const isOpen = ({ metadata, status }: Pod) =>
    Boolean(metadata?.deletionTimestamp) ||
    (/^(Succeeded|Failed)$/.test(status?.phase ?? "") &&
      metadata?.finalizers?.includes("batch.kubernetes.io/job-tracking"));
  await kit.untilAll(PODS, "are settled", (pods) => !pods.some(isOpen));
}

/** Waits until the Job `a` has this many running pods, and says so. */
export async function running(kit: Kit, count: number): Promise<void> {
  await kit.until(
    JOBS,
    "a",
    `has ${count} ready pods and none on its way out`,
    ({ status }) => (status?.active ?? 0) === count && status?.ready === count && status.terminating === 0,
  );
}
