import { CRONJOBS, JOBS } from "../../api/mod.ts";
import { TimeZone } from "../../rules/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { CronJobContext } from "./context.ts";
import { cronJobHandler, jobHandler } from "./handlers.ts";
import { indexJobs } from "./jobs_of.ts";
import { syncCronJob } from "./sync.ts";

export const NAME = "cronjob-controller";

export function buildCronJobController(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, journal } = context;
  const jobs = informers.informer(JOBS, ["status.startTime", "status.completionTime", "status.conditions"]);
  const cronJobs = informers.informer(CRONJOBS);
  indexJobs(jobs);
  const queue = new WorkQueue({ world, name: "cronjob", metrics });
  const working: CronJobContext = {
    world,
    client: context.clients.client(NAME),
    recorder: context.recorder(NAME),
    queue,
    cronJobs: cronJobs.lister,
    jobs: jobs.indexer,
    localZone: TimeZone.local(),
    skew: metrics.histogram({
      name: "cronjob_controller_job_creation_skew_duration_seconds",
      help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
      stability: "STABLE",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    }),
  };
  return queueController({
    name: NAME,
    resource: CRONJOBS,
    world,
    journal,
    queue,
    caches: [jobs.addEventHandler(jobHandler(working)), cronJobs.addEventHandler(cronJobHandler(working))],
    workers,
    sync: (key) => syncCronJob(key, working),
  });
}
