/** Jobs whose controller loses a request, each one in turn, or sees the past: they end as if nothing had happened. */
import { assert, assertEquals } from "@std/assert";
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import { type Job, JOBS, type JobSpec, PODS } from "../../src/api/mod.ts";
import { isTrue, job, type Script } from "../scenarios/job_kit.ts";

const REF = { namespace: "faults", name: "a" };

interface Course {
  readonly name: string;
  readonly spec: Partial<JobSpec>;
  readonly script: Script;
  readonly ends: "Complete" | "Failed";
}

const COURSES: readonly Course[] = [
  {
    name: "an Indexed Job with a pod that fails once",
    spec: { completionMode: "Indexed", completions: 4, parallelism: 2 },
    script: { "exit-code": "0,@2=1,0" },
    ends: "Complete",
  },
  {
    name: "a Job whose indexes fail on their own",
    spec: { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 1 },
    script: { "exit-code": "0,@1=1" },
    ends: "Failed",
  },
  {
    name: "a Job that fails while pods run",
    spec: { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimit: 0 },
    script: { "exit-code": "@2=1", "run-for": "forever,@2=2s" },
    ends: "Failed",
  },
  { name: "a Job of three pods", spec: { completions: 3, parallelism: 3 }, script: {}, ends: "Complete" },
];

/** What must be the same however a Job got there. */
async function runToEnd(cluster: TestCluster, { spec, script, ends }: Course): Promise<unknown> {
  await cluster.client.create(JOBS, { ...job("a", spec, script), metadata: REF });
  const find = (): Promise<Job> => cluster.client.get(JOBS, REF);
  await cluster.eventually(`it is ${ends}`, async () => isTrue(ends)(await find()));
  await cluster.settle();
  const { status } = await find();
  const { items: pods } = await cluster.client.list(PODS, { namespace: REF.namespace });
  assert(pods.every(({ metadata }) => !metadata?.finalizers), "no pod keeps its finalizer");
  return {
    succeeded: status?.succeeded,
    failed: status?.failed,
    indexes: [status?.completedIndexes, status?.failedIndexes],
    rest: [status?.active, status?.terminating, status?.uncountedTerminatedPods],
    conditions: status?.conditions?.map(({ type, reason }) => [type, reason]),
  };
}

function inCluster<T>(test: (cluster: TestCluster) => Promise<T>): Promise<T> {
  return withTestCluster({ flags: ["--controllers=job-controller"] }, async (cluster) => {
    await cluster.namespace(REF.namespace);
    return await test(cluster);
  });
}

const LOSSES = [{ drop: "before" }, { drop: "after" }, { status: { code: 409 } }] as const;

for (const course of COURSES) {
  Deno.test(`${course.name} ends the same whichever of its controller's requests is lost`, async () => {
    const expected = await inCluster((cluster) => runToEnd(cluster, course));
    for (const loss of LOSSES) {
      for (let after = 0, isMet = true; isMet; after++) {
        await inCluster(async (cluster) => {
          const fault = cluster.fault({ ...loss, userAgent: "job-controller", after, times: 1 });
          assertEquals(await runToEnd(cluster, course), expected, `${JSON.stringify(loss)} after ${after} requests`);
          isMet = fault.hits > 0;
        });
      }
    }
  });

  Deno.test(`${course.name} ends the same when its controller sees everything three seconds late`, async () => {
    const expected = await inCluster((cluster) => runToEnd(cluster, course));
    await inCluster(async (cluster) => {
      cluster.fault({ verb: "watch", lagMs: 3_000 });
      assertEquals(await runToEnd(cluster, course), expected);
    });
  });
}
