/** From one manager to the other while Jobs run and CronJobs are between runs: no pod is counted twice, no time is run twice. */
import { assertEquals } from "@std/assert";
import { CRONJOBS, type Job, JOBS, newControllerRef, type Pod, PODS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { isTrue, job, podsSettled } from "../scenarios/job_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const INDEXES = 24;
const COUNTED = 12;
/** Of a pod that ends at once. */
const BRIEF = { restartPolicy: "Never", containers: [{ name: "c", image: "busybox:1" }] };

async function startJobs(kit: Kit): Promise<void> {
  await kit.create(CRONJOBS, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "yearly" },
    spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: job("yearly").spec } },
  });
  await kit.merge(CRONJOBS, "yearly", { status: { lastScheduleTime: "2024-06-01T00:00:00Z" } }, "status");
  await kit.merge(CRONJOBS, "yearly", { spec: { suspend: false } });
  await kit.until(CRONJOBS, "yearly", "has run", ({ status }) => status?.lastSuccessfulTime && !status.active?.length);
  // Only now, or they might be done by then.
  const spread = { "run-for": "2s", "exit-code": "0" };
  await kit.create(JOBS, job("indexed", { completionMode: "Indexed", completions: INDEXES, parallelism: 4 }, spread));
  await kit.create(JOBS, job("plain", { completions: COUNTED, parallelism: 2 }, spread));
  await kit.until(JOBS, "indexed", "is half done", ({ status }) => (status?.succeeded ?? 0) >= INDEXES / 3);
  await kit.until(JOBS, "plain", "is under way", ({ status }) => (status?.succeeded ?? 0) >= 2);
}

/** Leaves the status as a manager does that ends between writing a pod's uid and taking off its finalizer. */
async function leaveUncounted(kit: Kit): Promise<void> {
  const plain = await kit.get(JOBS, "plain");
  const pod = await kit.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "uncounted",
      labels: plain.spec?.template.metadata?.labels,
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ownerReferences: [newControllerRef(plain, JOBS)],
    },
    spec: BRIEF,
  });
  await kit.until(PODS, "uncounted", "has ended", ({ status }) => status?.phase === "Succeeded");
  const { status } = await kit.get(JOBS, "plain");
  const succeeded = [...status?.uncountedTerminatedPods?.succeeded ?? [], pod.metadata!.uid!];
  await kit.merge(JOBS, "plain", { status: { uncountedTerminatedPods: { succeeded } } }, "status");
}

const podsOf = (pods: readonly Pod[], name: string) =>
  pods.filter(({ metadata }) => metadata?.labels?.["batch.kubernetes.io/job-name"] === name);

async function takeOver(first: ManagerKind, second: ManagerKind): Promise<void> {
  await using cluster = await Cluster.start();
  const before = await startManager(cluster.plane, first);
  const kit = await cluster.namespace("live");
  await startJobs(kit);
  await before.process.stop({ signal: "SIGKILL" });
  await dropLease(cluster.plane);
  await leaveUncounted(kit);

  await startManager(cluster.plane, second);
  const done = (name: string): Promise<Job> => kit.until(JOBS, name, "is complete", isTrue("Complete"));
  const [indexed, plain] = [await done("indexed"), await done("plain")];
  await podsSettled(kit);
  assertEquals([indexed.status?.succeeded, indexed.status?.completedIndexes], [INDEXES, `0-${INDEXES - 1}`]);
  assertEquals([plain.status?.succeeded, plain.status?.failed, indexed.status?.failed], [
    COUNTED,
    undefined,
    undefined,
  ]);

  const pods = await kit.list(PODS);
  const indexes = podsOf(pods, "indexed").map(({ metadata }) =>
    Number(metadata?.annotations?.["batch.kubernetes.io/job-completion-index"])
  );
  assertEquals(indexes.sort((a, b) => a - b), Array.from({ length: INDEXES }, (_, i) => i), "no index ran twice");
  assertEquals(podsOf(pods, "plain").length, COUNTED, "no pod was superfluous");
  const runs = (await kit.list(JOBS)).filter(({ metadata }) => metadata?.ownerReferences?.[0].name === "yearly");
  assertEquals(runs.length, 1, "the CronJob ran once");
}

clusterTest(
  "kubeloop takes over Jobs and CronJobs from upstream's manager in the midst of their work",
  () => takeOver("upstream", "kubeloop"),
);
clusterTest(
  "upstream's manager takes over Jobs and CronJobs from kubeloop in the midst of their work",
  () => takeOver("kubeloop", "upstream"),
);
