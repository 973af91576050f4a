import { controllerOf, type CronJob, type Job, joinKey, objectKey } from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";

/** Jobs by namespace and name of their controller, whatever its kind. */
const CONTROLLER_NAME_INDEX = "controllerName";

/** Adds the index that {@link jobsOf} needs. */
export function indexJobs(informer: Indexable<Job>): void {
  ensureIndexer(informer, CONTROLLER_NAME_INDEX, (job) => {
    const controller = controllerOf(job);
    return controller ? [joinKey(job.metadata?.namespace, controller.name)] : [];
  });
}

/**
 * The Jobs whose controller has this CronJob's name. As upstream, this includes those of an earlier CronJob of the
 * name, so its history is cleaned up too.
 */
export function jobsOf(cronJob: CronJob, indexer: Pick<Indexer<Job>, "byIndex">): Job[] {
  return indexer.byIndex(CONTROLLER_NAME_INDEX, objectKey(cronJob));
}
