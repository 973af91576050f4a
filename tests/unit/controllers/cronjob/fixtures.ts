import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type CronJob,
  CRONJOBS,
  type CronJobSpec,
  type CronJobStatus,
  formatTime,
  type Job,
  JOBS,
  newControllerRef,
} from "../../../../src/api/mod.ts";
import { TimeZone } from "../../../../src/rules/mod.ts";
import { Lister } from "../../../../src/cache/mod.ts";
import type { CronJobContext } from "../../../../src/controllers/cronjob/context.ts";
import { indexJobs } from "../../../../src/controllers/cronjob/jobs_of.ts";
import { syncCronJob } from "../../../../src/controllers/cronjob/sync.ts";
import { FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";

/** A time on 19 May 2016, on which upstream's tests play too. */
export function at(clock: string, date = "2016-05-19"): number {
  return Date.parse(`${date}T${clock}Z`);
}

/** The CronJob `a/c`, hourly, created a minute before ten. */
export function cronJob(
  spec: Partial<CronJobSpec> = {},
  { status, ...metadata }: CronJob["metadata"] & { status?: CronJobStatus } = {},
): CronJob {
  const creationTimestamp = formatTime(at("09:59:00"));
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { namespace: "a", name: "c", uid: "uid-c", creationTimestamp, ...metadata },
    spec: {
      schedule: "0 * * * *",
      concurrencyPolicy: "Allow",
      suspend: false,
      jobTemplate: {
        metadata: { labels: { app: "x" }, annotations: { team: "blue" } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
      ...spec,
    },
    status: status ?? {},
  };
}

export interface JobTraits {
  /** As which it has ended; absent: it runs. */
  readonly ended?: "Complete" | "Failed";
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly owner?: CronJob;
}

/** A Job of the CronJob `a/c`. */
export function jobOf(name: string, { ended, startTime, completionTime, owner = cronJob() }: JobTraits = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { namespace: "a", name, uid: `uid-${name}`, ownerReferences: [newControllerRef(owner, CRONJOBS)] },
    status: { startTime, completionTime, conditions: ended ? [{ type: ended, status: "True" }] : [] },
  };
}

/** What the status says of running Jobs. */
export function active(...names: string[]): NonNullable<CronJobStatus["active"]> {
  return names.map((name) => ({ apiVersion: "batch/v1", kind: "Job", namespace: "a", name, uid: `uid-${name}` }));
}

/** Everything that a CronJob's sync needs, with caches that show what the harness was given. */
export class CronJobHarness {
  readonly world: FakeWorld;
  readonly client: RecordedClient;
  readonly recorder = new FakeRecorder();
  readonly cronJobs: FakeCache<CronJob>;
  readonly jobs: FakeCache<Job>;
  readonly context: CronJobContext;
  readonly #delays: string[] = [];

  /** @param nowMs What the clock says. */
  constructor(nowMs: number, owner: CronJob, ...jobs: Job[]) {
    this.world = new FakeWorld({ startWallMs: nowMs });
    this.client = new RecordedClient(this.world);
    this.cronJobs = new FakeCache(this.client, CRONJOBS);
    this.jobs = new FakeCache(this.client, JOBS);
    indexJobs(this.jobs);
    this.cronJobs.begin(owner);
    this.jobs.begin(...jobs);
    this.context = {
      world: this.world,
      client: this.client,
      recorder: this.recorder,
      queue: {
        add: (key) => void this.#delays.push(`${key} now`),
        addAfter: (key, delayMs) => void this.#delays.push(`${key} ${delayMs / 1000} s`),
      },
      cronJobs: new Lister(this.cronJobs),
      jobs: this.jobs,
      localZone: TimeZone.UTC,
      skew: new MetricsRegistry().histogram({ name: "h", help: "", buckets: [1] }),
    };
  }

  sync(key = "a/c"): Promise<void> {
    return syncCronJob(key, this.context);
  }

  /** When keys were queued for, and forgets it. */
  delays(): string[] {
    return this.#delays.splice(0);
  }

  get status(): CronJobStatus {
    return this.client.find(CRONJOBS, "a/c")?.status ?? {};
  }

  get activeNames(): (string | undefined)[] {
    return (this.status.active ?? []).map(({ name }) => name);
  }

  get created(): string[] {
    return this.client.writes.filter((text) => text.startsWith("create jobs")).map((text) => text.slice(14));
  }

  get deleted(): string[] {
    return this.client.writes.filter((text) => text.startsWith("delete jobs")).map((text) => text.slice(14));
  }

  /** `type reason` of each event. */
  get reasons(): string[] {
    return this.recorder.lines.map((line) => line.split(" ").slice(0, 2).join(" "));
  }
}
