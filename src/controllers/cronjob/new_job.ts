import { apiVersionOf, type CronJob, CRONJOBS, type Job, JOBS, newControllerRef } from "../../api/mod.ts";
import { TimeZone } from "../../rules/mod.ts";

/** The annotation with a Job's scheduled time. */
const SCHEDULED_TIMESTAMP = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The name of the Job for a time. Because names are unique, two controllers cannot start a Job for the same time. */
export function jobName(cronJob: CronJob, scheduledMs: number): string {
  return `${cronJob.metadata?.name}-${Math.floor(scheduledMs / 60_000)}`;
}

/** The Job for a time. Upstream: `pkg/controller/cronjob/utils.go` (getJobFromTemplate2). */
export function jobFor(cronJob: CronJob, scheduledMs: number): Job {
  const { timeZone = "", jobTemplate } = cronJob.spec;
  const scheduledAt = TimeZone.load(timeZone).format(scheduledMs);
  return {
    apiVersion: apiVersionOf(JOBS),
    kind: JOBS.kind,
    metadata: {
      namespace: cronJob.metadata?.namespace,
      name: jobName(cronJob, scheduledMs),
      labels: jobTemplate.metadata?.labels,
      annotations: { ...jobTemplate.metadata?.annotations, [SCHEDULED_TIMESTAMP]: scheduledAt },
      ownerReferences: [newControllerRef(cronJob, CRONJOBS)],
    },
    spec: jobTemplate.spec,
  };
}
