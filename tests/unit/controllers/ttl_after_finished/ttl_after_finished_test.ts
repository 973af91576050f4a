/** When a finished Job is deleted, and when its deletion waits. */
import { assertEquals, assertRejects } from "@std/assert";
import { type FakeClock, FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import { type Job, JOBS } from "../../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { jobHandler } from "../../../../src/controllers/ttl_after_finished/handlers.ts";
import { syncTtl } from "../../../../src/controllers/ttl_after_finished/sync.ts";
import { RecordedClient } from "../recorded_client.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { job as jobOf } from "../job/fixtures.ts";

interface Traits {
  readonly ttl?: number;
  /** How many seconds ago it ended; absent: it runs. */
  readonly endedAgo?: number;
  readonly type?: "Complete" | "Failed";
  readonly metadata?: Job["metadata"];
}

function job({ ttl, endedAgo, type = "Complete", metadata }: Traits): Job {
  const conditions = [{ type, status: "True", lastTransitionTime: endedAgo === undefined ? undefined : ago(endedAgo) }];
  const status = endedAgo === undefined ? {} : { conditions };
  return jobOf({ ttlSecondsAfterFinished: ttl }, { ...metadata, status });
}

class Harness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly jobs = new Indexer<Job>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  readonly delays: string[] = [];
  readonly latency = new MetricsRegistry().histogram({ name: "h", help: "", buckets: [1] });
  readonly deletions: unknown[] = [];

  /** @param live What the API server has, if not what the cache has; `null` for nothing. */
  constructor(cached: Job, live: Job | null = cached) {
    this.jobs.add(cached);
    if (live) this.client.store(JOBS, live);
  }

  get clock(): FakeClock {
    return this.world.clock;
  }

  sync(): Promise<void> {
    return syncTtl("a/j", {
      world: this.world,
      client: {
        get: this.client.get,
        delete: (resource, ref, options) => {
          this.deletions.push(options);
          return this.client.delete(resource, ref);
        },
      },
      jobs: new Lister(this.jobs),
      queue: { addAfter: (key, delayMs) => void this.delays.push(`${key} ${delayMs / 1000} s`) },
      latency: this.latency,
    });
  }
}

Deno.test("jobHandler() queues Jobs that have ended, say how long they may stay, and are not being deleted", () => {
  const rows: [traits: Traits, queued: boolean][] = [
    [{ ttl: 10 }, false],
    [{ endedAgo: 0 }, false],
    [{ ttl: 0, endedAgo: 0 }, true],
    [{ ttl: 10, endedAgo: 0, type: "Failed" }, true],
    [{ ttl: 0, endedAgo: 0, metadata: { deletionTimestamp: ago(0) } }, false],
  ];
  for (const [traits, queued] of rows) {
    const keys: string[] = [];
    const handler = jobHandler({ add: (key) => void keys.push(key) });
    handler.onAdd?.(job(traits), true);
    handler.onUpdate?.(job({}), job(traits));
    assertEquals(keys, queued ? ["a/j", "a/j"] : [], JSON.stringify(traits));
  }
});

Deno.test("syncTtl() deletes a Job whose time has come, with its pods, and no other of its name", async () => {
  for (const endedAgo of [0, 9]) {
    const harness = new Harness(job({ ttl: 0, endedAgo }));
    await harness.sync();
    assertEquals(harness.client.calls.map(({ text }) => text), ["get jobs a/j", "delete jobs a/j"]);
    assertEquals(harness.deletions, [{ propagationPolicy: "Foreground", preconditions: { uid: "uid-j" } }]);
    assertEquals(harness.latency.totals(), { count: 1, sum: endedAgo });
  }
});

Deno.test("syncTtl() comes back when the time will have come", async () => {
  const rows: [traits: Traits, delays: string[]][] = [
    [{ ttl: 10, endedAgo: 0 }, ["a/j 10 s"]],
    [{ ttl: 15, endedAgo: 10 }, ["a/j 5 s"]],
    [{ ttl: 15, endedAgo: 10, type: "Failed" }, ["a/j 5 s"]],
    [{ ttl: 0, endedAgo: -5 }, ["a/j 5 s"]],
    [{ ttl: 10 }, []],
    [{ endedAgo: 10 }, []],
    [{ ttl: 0, endedAgo: 10, metadata: { deletionTimestamp: ago(0) } }, []],
  ];
  for (const [traits, delays] of rows) {
    const harness = new Harness(job(traits));
    await harness.sync();
    assertEquals([harness.delays, harness.client.calls], [delays, []], JSON.stringify(traits));
  }
});

Deno.test("syncTtl() warns of a Job that ended in the future, and of no other", async () => {
  for (const endedAgo of [-5, 0, 5]) {
    const harness = new Harness(job({ ttl: 10, endedAgo }));
    await harness.sync();
    assertEquals(harness.world.log.lines.map(({ severity }) => severity), endedAgo < 0 ? ["warning"] : []);
  }
});

Deno.test("syncTtl() believes the API server rather than its cache", async () => {
  const cached = job({ ttl: 5, endedAgo: 10 });
  const forever = new Harness(cached, job({ endedAgo: 10 }));
  await forever.sync();
  assertEquals([forever.client.writes, forever.delays], [[], []]);
  const longer = new Harness(cached, job({ ttl: 30, endedAgo: 10 }));
  await longer.sync();
  assertEquals([longer.client.writes, longer.delays], [[], ["a/j 20 s"]]);
  const anew = new Harness(cached, job({ ttl: 5, metadata: { uid: "another" } }));
  await anew.sync();
  assertEquals(anew.client.writes, []);
  const successor = new Harness(cached, job({ ttl: 5, endedAgo: 8, metadata: { uid: "another" } }));
  await successor.sync();
  assertEquals(successor.deletions, [{ propagationPolicy: "Foreground", preconditions: { uid: "another" } }]);
});

Deno.test("syncTtl() is done when the Job is gone, and tries again after any other failure", async () => {
  const expired = job({ ttl: 5, endedAgo: 10 });
  await new Harness(expired, null).sync();
  const unread = new Harness(expired);
  unread.client.fail("get", statusError(500, "InternalError", "broken"));
  await assertRejects(() => unread.sync(), Error, "broken");
  for (const [code, reason] of [[409, "Conflict"], [404, "NotFound"]] as const) {
    const harness = new Harness(expired);
    harness.client.fail("delete", statusError(code, reason));
    await assertRejects(() => harness.sync(), Error, reason);
    assertEquals(harness.latency.totals().count, 0);
  }
});

Deno.test("syncTtl() reports a Job that does not say when it ended", async () => {
  const timeless = job({ ttl: 5, endedAgo: 0 });
  timeless.status!.conditions![0].lastTransitionTime = undefined;
  const harness = new Harness(timeless);
  await assertRejects(() => harness.sync(), Error, "unable to find the time when the Job a/j finished");
});
