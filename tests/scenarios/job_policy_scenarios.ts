/** What ends Jobs and their indexes: limits, and policies of failure and success. */
import { JOBS, PODS } from "../../src/api/mod.ts";
import { ended, indexed, job, runJob } from "./job_kit.ts";
import type { Scenario } from "./scenario.ts";

const onExitCodes = (operator: string, ...values: number[]) => ({ onExitCodes: { operator, values } });

/** All of them. */
export const JOB_POLICY_SCENARIOS: readonly Scenario[] = [
  {
    name: "job-policy-fails-job",
    run: (kit) => {
      const rules = [{ action: "FailJob", onExitCodes: { containerName: "c", operator: "In", values: [3, 4] } }];
      return runJob(kit, "Failed", { podFailurePolicy: { rules } }, { "exit-code": "3" });
    },
  },
  {
    name: "job-policy-ignores",
    run: (kit) => {
      const rules = [{ action: "Ignore", ...onExitCodes("In", 5) }];
      return runJob(kit, "Complete", { backoffLimit: 0, podFailurePolicy: { rules } }, { "exit-code": "5,0" });
    },
  },
  {
    name: "job-policy-counts",
    run: (kit) => {
      const rules = [
        { action: "Count", ...onExitCodes("In", 7) },
        { action: "FailJob", ...onExitCodes("NotIn", 0) },
      ];
      return runJob(kit, "Complete", { podFailurePolicy: { rules } }, { "exit-code": "7,0" });
    },
  },
  {
    name: "job-policy-by-condition",
    run: async (kit) => {
      const rules = [{ action: "FailJob", onPodConditions: [{ type: "example.com/broken", status: "True" }] }];
      await kit.create(JOBS, job("a", { podFailurePolicy: { rules } }, { "run-for": "3s", "exit-code": "1" }));
      const [pod] = await kit.untilAll(PODS, "one runs", ([pod]) => pod?.status?.phase === "Running");
      const conditions = [{ type: "example.com/broken", status: "True" }];
      await kit.client.patch(PODS, { namespace: kit.namespace, name: pod.metadata!.name! }, {
        type: "strategic",
        subresource: "status",
        body: { status: { conditions } },
      });
      await ended(kit, "Failed");
    },
  },
  {
    name: "job-policy-fails-index",
    run: (kit) => {
      const rules = [{ action: "FailIndex", ...onExitCodes("In", 9) }];
      const spec = { ...indexed(3), backoffLimitPerIndex: 2, podFailurePolicy: { rules } };
      return runJob(kit, "Failed", spec, { "exit-code": "0,@1=9" });
    },
  },
  {
    name: "job-limit-per-index",
    run: (kit) =>
      runJob(kit, "Failed", { ...indexed(3), backoffLimitPerIndex: 0 }, {
        "exit-code": "0,@1=1",
      }),
  },
  {
    name: "job-limit-per-index-retries",
    run: (kit) =>
      runJob(kit, "Complete", { ...indexed(3), backoffLimitPerIndex: 1 }, {
        "exit-code": "0,@1=1,0",
      }),
  },
  {
    name: "job-most-failed-indexes",
    run: (kit) =>
      runJob(kit, "Failed", { ...indexed(4, 1), backoffLimitPerIndex: 0, maxFailedIndexes: 1 }, {
        "exit-code": "1",
      }),
  },
  {
    name: "job-success-policy-by-index",
    run: (kit) => {
      const successPolicy = { rules: [{ succeededIndexes: "0" }] };
      return runJob(kit, "Complete", { ...indexed(3), successPolicy }, { "run-for": "forever,@0=2s" });
    },
  },
  {
    name: "job-success-policy-by-count",
    run: (kit) => {
      const successPolicy = { rules: [{ succeededIndexes: "0" }, { succeededCount: 1 }] };
      return runJob(kit, "Complete", { ...indexed(2), successPolicy }, { "run-for": "forever,@1=2s" });
    },
  },
];
