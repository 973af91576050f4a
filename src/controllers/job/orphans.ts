import {
  apiVersionOf,
  controllerOf,
  type Job,
  JOBS,
  NOTHING,
  objectKey,
  parseLabelSelector,
  type Pod,
} from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { finishedCondition } from "../pods/mod.ts";
import { byKey, resolveControllerRef, serverSays, validSelectorOfCached } from "../running/mod.ts";
import type { JobContext } from "./context.ts";
import { removeFinalizer } from "./actions.ts";
import { otherManager } from "./spec.ts";

/** Separates a namespace and a selector; names cannot contain it. */
const SELECTOR_MARK = "?";

/** The key of one pod that may have lost its Job. */
export function orphanKey(pod: Pod): string {
  return objectKey(pod);
}

/** The key of all pods that a Job selects; `undefined` if it selects none. */
export function selectorKey(job: Job): string | undefined {
  const selector = validSelectorOfCached(job.spec?.selector);
  if (!selector || selector === NOTHING) return undefined;
  return `${job.metadata?.namespace}${SELECTOR_MARK}${selector}`;
}

type OrphanContext = Pick<JobContext, "client" | "guard" | "jobs" | "podLister" | "world">;

/**
 * Removes the tracking finalizer from pods that no Job will count, so that they can be deleted.
 * Upstream: `pkg/controller/job/job_controller.go` (syncOrphanPod).
 *
 * @param key A key from {@link orphanKey} or {@link selectorKey}.
 * @throws {StatusError} If the finalizer of a single pod could not be removed.
 */
export async function syncOrphans(key: string, context: OrphanContext): Promise<void> {
  const { podLister, world: { log } } = context;
  const mark = key.indexOf(SELECTOR_MARK);
  if (mark < 0) {
    const pod = byKey(podLister, key);
    return pod && await releaseOrphan(pod, context);
  }
  const namespace = key.slice(0, mark);
  const selector = parseLabelSelector(key.slice(mark + 1));
  for (const pod of podLister.list({ namespace, selector })) {
    await releaseOrphan(pod, context).catch((error) =>
      log.error("Syncing an orphan pod failed", { err: error, pod: objectKey(pod) })
    );
  }
}

async function releaseOrphan(pod: Pod, context: OrphanContext): Promise<void> {
  const controller = controllerOf(pod);
  if (controller) {
    if (controller.kind !== JOBS.kind || controller.apiVersion !== apiVersionOf(JOBS)) return;
    const job = resolveControllerRef(context.jobs, JOBS.kind, pod, controller);
    if (job && (otherManager(job) !== undefined || !finishedCondition(job))) return;
  }
  try {
    await removeFinalizer(pod, context);
  } catch (error) {
    if (!serverSays(error, isNotFound)) throw error;
  }
}
