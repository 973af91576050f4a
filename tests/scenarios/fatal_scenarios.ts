/**
 * Objects that no API server of today lets in and over which upstream's manager crashes, each time it starts. Here the object is
 * left alone, or taken for something near, and others of its kind go on.
 */
import { CRONJOBS, JOBS, REPLICASETS, REPLICATIONCONTROLLERS, STATEFULSETS } from "../../src/api/mod.ts";
import { cronJob, LONG_AGO } from "./cronjob_scenarios.ts";
import { isTrue, job } from "./job_kit.ts";
import { type Kit, replicaSet } from "./kit.ts";
import { replicationController } from "./replication_scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { setRolledOut, statefulSet } from "./set_kit.ts";

async function jobIsFine(kit: Kit): Promise<void> {
  await kit.create(JOBS, job("ok"));
  await kit.until(JOBS, "ok", "is complete", isTrue("Complete"));
}

export const FATAL_SCENARIOS: readonly Scenario[] = [
  {
    name: "fatal-rc-negative-replicas",
    run: async (kit) => {
      await kit.createUnchecked(REPLICATIONCONTROLLERS, replicationController("a"), ({ spec }) => {
        spec!.replicas = -3;
      });
      await kit.create(REPLICATIONCONTROLLERS, replicationController("ok", { replicas: 1 }));
      await kit.until(REPLICATIONCONTROLLERS, "ok", "has its pod", ({ status }) => status?.availableReplicas === 1);
    },
  },
  {
    name: "fatal-replicaset-negative-replicas",
    run: async (kit) => {
      await kit.createUnchecked(REPLICASETS, replicaSet("a"), ({ spec }) => {
        spec!.replicas = -3;
      });
      await kit.create(REPLICASETS, replicaSet("ok", { replicas: 1 }));
      await kit.until(REPLICASETS, "ok", "has its pod", ({ status }) => status?.availableReplicas === 1);
    },
  },
  {
    name: "fatal-sts-negative-replicas",
    run: async (kit) => {
      await kit.createUnchecked(STATEFULSETS, statefulSet("a"), ({ spec }) => {
        spec!.replicas = -2;
      });
      await kit.create(STATEFULSETS, statefulSet("ok", { replicas: 2 }));
      await setRolledOut(kit, "ok");
    },
  },
  {
    name: "fatal-sts-negative-partition",
    run: async (kit) => {
      await kit.createUnchecked(STATEFULSETS, statefulSet("a", { replicas: 1 }), ({ spec }) => {
        spec!.updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: -3 } };
      });
      await kit.create(STATEFULSETS, statefulSet("ok", { replicas: 2 }));
      await setRolledOut(kit, "ok");
    },
  },
  {
    name: "fatal-job-indexed-without-completions",
    run: async (kit) => {
      await kit.createUnchecked(JOBS, job("a", { completionMode: "Indexed", completions: 2 }), ({ spec }) => {
        delete spec!.completions;
      });
      await jobIsFine(kit);
    },
  },
  {
    name: "fatal-cron-negative-history",
    run: async (kit) => {
      await kit.createUnchecked(CRONJOBS, cronJob({ suspend: false }, {}), (made) => {
        made.status = { lastScheduleTime: LONG_AGO };
        made.spec.successfulJobsHistoryLimit = -1;
        made.spec.failedJobsHistoryLimit = -1;
      });
      await kit.createUnchecked(CRONJOBS, { ...cronJob({ suspend: false }, {}), metadata: { name: "ok" } }, (made) => {
        made.status = { lastScheduleTime: LONG_AGO };
      });
      await kit.until(CRONJOBS, "ok", "has run", ({ status }) => status?.lastSuccessfulTime && !status.active?.length);
    },
  },
];
