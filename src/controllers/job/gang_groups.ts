import { errorText, type World } from "../../base/mod.ts";
import {
  isControlledBy,
  type Job,
  JOBS,
  joinKey,
  type KubeObject,
  objectKey,
  type Pod,
  type PodGroup,
  PODGROUPS,
  type Workload,
  WORKLOADS,
} from "../../api/mod.ts";
import { ensureIndexer, type Indexable, type Indexer } from "../../cache/mod.ts";
import { type Client, isAlreadyExists, retryOnConflict } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import { hasNeverStarted, isGang, newPodGroup, newWorkload } from "./gang_objects.ts";

/** Workloads by the key of the Job in their controllerRef. */
const WORKLOAD_JOB_INDEX = "workloadByJobName";
/** PodGroups by the key of the Workload in their template reference. */
const GROUP_WORKLOAD_INDEX = "podGroupByWorkloadName";

/** Options of {@link GangGroups}. */
export interface GangGroupsOptions {
  readonly world: World;
  readonly client: Pick<Client, "create">;
  readonly recorder: EventRecorder;
  /** With the indexes of {@link indexGangs}. */
  readonly workloads: Pick<Indexer<Workload>, "byIndex">;
  readonly groups: Pick<Indexer<PodGroup>, "byIndex">;
}

/**
 * Makes a Workload and a PodGroup for each gang-shaped Job before its first pod, if the gate `WorkloadWithJob` is on.
 *
 * Contract:
 * 1. A Job that has started without a group gets none.
 * 2. There is never a second Workload or PodGroup where one says that it is the Job's.
 * 3. What the Job does not control, what there is more than one of, and a Workload that does not describe exactly one
 *    group, are left alone: the pods are scheduled one by one, as without the gate.
 * 4. No pod is created if the Workload or the PodGroup cannot be.
 *
 * Upstream: `pkg/controller/job/job_scheduling_manager.go` (ensureWorkloadAndPodGroup).
 */
export class GangGroups {
  readonly #options: GangGroupsOptions;

  constructor(options: GangGroupsOptions) {
    this.#options = options;
  }

  /**
   * The name of the group for the Job's pods; `undefined` if they are scheduled one by one.
   *
   * @param pods All the Job's pods.
   * @throws {Error} `ensuring Workload and PodGroup for Job ...` if something that is missing could not be created.
   */
  async groupOf(job: Job, pods: readonly Pod[]): Promise<string | undefined> {
    if (!isGang(job)) return undefined;
    try {
      const workload = await this.#retrying(() => this.#findOrCreateWorkload(job, pods));
      const group = workload && await this.#retrying(() => this.#findOrCreateGroup(job, workload));
      return group?.metadata?.name;
    } catch (error) {
      const message = `ensuring Workload and PodGroup for Job ${objectKey(job)}: ${errorText(error)}`;
      throw new Error(message, { cause: error });
    }
  }

  /** If the object exists although the cache does not show it, the cache will soon. */
  #retrying<T>(find: () => Promise<T>): Promise<T> {
    return retryOnConflict(this.#options.world, find, { isRetriable: isAlreadyExists });
  }

  async #findOrCreateWorkload(job: Job, pods: readonly Pod[]): Promise<Workload | undefined> {
    const { workloads, client, recorder } = this.#options;
    const found = workloads.byIndex(WORKLOAD_JOB_INDEX, objectKey(job));
    if (found.length > 0) {
      const workload = this.#ownOf(found, job, `Workloads referencing Job ${objectKey(job)}`);
      return workload?.spec?.podGroupTemplates?.length === 1 ? workload : undefined;
    }
    if (!hasNeverStarted(job, pods)) return undefined;
    const created = await client.create(WORKLOADS, newWorkload(job));
    const message = `Created Workload ${created.metadata?.name} for Job ${job.metadata?.name}`;
    recorder.event(job, "Normal", "WorkloadCreated", message);
    return created;
  }

  async #findOrCreateGroup(job: Job, workload: Workload): Promise<PodGroup | undefined> {
    const { groups, client } = this.#options;
    const found = groups.byIndex(GROUP_WORKLOAD_INDEX, objectKey(workload));
    if (found.length > 0) return this.#ownOf(found, job, `PodGroups referencing Workload ${objectKey(workload)}`);
    return await client.create(PODGROUPS, newPodGroup(job, workload));
  }

  /** The only one, if the Job controls it. */
  #ownOf<T extends KubeObject>(found: readonly T[], job: Job, which: string): T | undefined {
    const { log } = this.#options.world;
    if (found.length > 1) {
      log.error("Scheduling pods one by one", { err: `found ${found.length} ${which}`, job: objectKey(job) });
      return undefined;
    }
    if (isControlledBy(found[0], job)) return found[0];
    const reason = "The only one is not controlled by the Job";
    log.verbose(2, "Scheduling pods one by one", { job: objectKey(job), object: objectKey(found[0]), reason });
    return undefined;
  }
}

/** The Job in a Workload's controllerRef. Objects other than Jobs may also have Workloads. */
function jobKeysOf({ metadata, spec }: Workload): string[] {
  const { apiGroup, kind, name } = spec?.controllerRef ?? {};
  return apiGroup === JOBS.group && kind === JOBS.kind && name ? [joinKey(metadata?.namespace, name)] : [];
}

/** The Workload from which a PodGroup was made, according to its reference. */
function workloadKeysOf({ metadata, spec }: PodGroup): string[] {
  const name = spec?.podGroupTemplateRef?.workload?.workloadName;
  return name ? [joinKey(metadata?.namespace, name)] : [];
}

/** Adds the indexes of Workloads and PodGroups. */
export function indexGangs(
  { workloads, groups }: { readonly workloads: Indexable<Workload>; readonly groups: Indexable<PodGroup> },
): void {
  ensureIndexer(workloads, WORKLOAD_JOB_INDEX, jobKeysOf);
  ensureIndexer(groups, GROUP_WORKLOAD_INDEX, workloadKeysOf);
}
