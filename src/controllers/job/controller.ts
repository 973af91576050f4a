import { JOBS, PODGROUPS, PODS, WORKLOADS } from "../../api/mod.ts";
import { ConsistencyStore, controllerIndexOf, ensureIndexer, POD_CONTROLLER_INDEX } from "../../cache/mod.ts";
import { ItemExponentialLimiter, WorkQueue } from "../../workqueue/mod.ts";
import { Expectations, PodControl } from "../pods/mod.ts";
import { type Controller, type ControllerContext, queueController, together, WriteGuard } from "../running/mod.ts";
import type { JobContext } from "./context.ts";
import { FinalizerExpectations } from "./finalizer_expectations.ts";
import { GangGroups, type GangGroupsOptions, indexGangs } from "./gang_groups.ts";
import { jobHandler, podHandler } from "./handlers.ts";
import { JobMetrics } from "./metrics.ts";
import { syncOrphans } from "./orphans.ts";
import { syncJob } from "./sync.ts";

export const NAME = "job-controller";
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
const READ_OF_PODS = [
  "spec.nodeName",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "status.phase",
  "status.conditions",
  ...["status.containerStatuses", "status.initContainerStatuses"].flatMap((statuses) =>
    ["name", "restartCount", "state.terminated"].map((field) => `${statuses}.${field}`)
  ),
];

export function buildJobController(context: ControllerContext, { workers }: { readonly workers: number }): Controller {
  const { world, metrics, informers, gates, journal } = context;
  const jobs = informers.informer(JOBS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  ensureIndexer(pods, POD_CONTROLLER_INDEX, controllerIndexOf);

  const client = context.clients.client(NAME);
  const recorder = context.recorder(NAME);
  const gangs = gangsOf(context, { client, recorder });
  const queue = retryingQueue("job", context);
  const orphans = retryingQueue("job_orphan_pod", context);
  const store = new ConsistencyStore({
    clock: world.clock,
    caches: [[JOBS, jobs], [PODS, pods]],
    metrics,
    metricName: "job_controller_stale_sync_skips_total",
  });
  const working: JobContext = {
    world,
    client,
    recorder,
    podControl: new PodControl({ client, recorder }),
    jobs: jobs.lister,
    pods: pods.indexer,
    podLister: pods.lister,
    queue,
    orphans,
    expectations: new Expectations(world.clock),
    finalizers: new FinalizerExpectations(),
    guard: new WriteGuard(store, JOBS, { isOff: !gates.has("StaleControllerConsistencyJob") }),
    keepsStartTime: !gates.has("MutableSchedulingDirectivesForSuspendedJobs"),
    backoffs: new Map(),
    ended: new Set(),
    metrics: new JobMetrics(metrics),
    gangs: gangs?.groups,
  };
  const caches = [
    jobs.addEventHandler(jobHandler(working)),
    pods.addEventHandler(podHandler(working)),
    ...gangs?.caches ?? [],
  ];
  const common = { world, journal, caches, workers };
  const syncing = queueController({
    ...common,
    name: NAME,
    resource: JOBS,
    queue,
    sync: (key) => syncJob(key, working),
  });
  const cleaning = queueController({
    ...common,
    name: `${NAME}/orphan-pods`,
    queue: orphans,
    sync: (key) => syncOrphans(key, working),
  });
  return together(syncing, cleaning);
}

/**
 * The groups in which pods are scheduled, and the caches to wait for. Without the gate, Workloads and PodGroups are not
 * watched.
 */
function gangsOf(
  { gates, informers, world }: ControllerContext,
  writers: Pick<GangGroupsOptions, "client" | "recorder">,
) {
  if (!gates.has("WorkloadWithJob")) return undefined;
  const [workloads, groups] = [informers.informer(WORKLOADS), informers.informer(PODGROUPS)];
  indexGangs({ workloads, groups });
  return {
    groups: new GangGroups({ world, ...writers, workloads: workloads.indexer, groups: groups.indexer }),
    caches: [workloads, groups],
  };
}

/** Retries a key after 1 s to 60 s, independently of other keys. */
function retryingQueue(name: string, { world, metrics }: ControllerContext): WorkQueue {
  const limiter = new ItemExponentialLimiter<string>({ baseMs: FIRST_RETRY_MS, maxMs: LONGEST_RETRY_MS });
  return new WorkQueue({ world, name, metrics, limiter });
}
