import { JOBS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { TtlContext } from "./context.ts";
import { jobHandler } from "./handlers.ts";
import { syncTtl } from "./sync.ts";

export const NAME = "ttl-after-finished-controller";
/** Prometheus histogram bounds: 0.1 s, doubling to 14 min. */
const LATENCY_BUCKETS = Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i);

export function buildTtlController(context: ControllerContext, { workers }: { readonly workers: number }): Controller {
  const { world, metrics, informers, journal } = context;
  const jobs = informers.informer(JOBS, ["spec.ttlSecondsAfterFinished", "status.conditions"]);
  const queue = new WorkQueue({ world, name: "ttl_jobs_to_delete", metrics });
  const working: TtlContext = {
    world,
    client: context.clients.client(NAME),
    jobs: jobs.lister,
    queue,
    latency: metrics.histogram({
      name: "ttl_after_finished_controller_job_deletion_duration_seconds",
      help: "The time it took to delete the job since it became eligible for deletion",
      stability: "ALPHA",
      buckets: LATENCY_BUCKETS,
    }),
  };
  return queueController({
    name: NAME,
    resource: JOBS,
    world,
    journal,
    queue,
    caches: [jobs.addEventHandler(jobHandler(queue))],
    workers,
    sync: (key) => syncTtl(key, working),
  });
}
