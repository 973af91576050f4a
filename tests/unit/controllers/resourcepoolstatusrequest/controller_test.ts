import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  RESOURCECLAIMS,
  type ResourcePoolStatusRequest,
  RESOURCEPOOLSTATUSREQUESTS,
  type ResourceSlice,
  RESOURCESLICES,
  type ResourceV1ResourceClaim,
} from "../../../../src/api/mod.ts";
import { buildPoolStatusController } from "../../../../src/controllers/resourcepoolstatusrequest/controller.ts";
import { RequestMetrics } from "../../../../src/controllers/resourcepoolstatusrequest/metrics.ts";
import { CachedInformer } from "../cached_informer.ts";
import { fakeContext } from "../context.ts";
import { statusError } from "../status_errors.ts";

const DRIVER = "gpu.example.com";

class Rig implements AsyncDisposable {
  readonly world = new FakeWorld();
  readonly metrics = new MetricsRegistry();
  readonly requests = new CachedInformer<ResourcePoolStatusRequest>();
  readonly slices = new CachedInformer<ResourceSlice>();
  readonly claims = new CachedInformer<ResourceV1ResourceClaim>();
  readonly calls: string[] = [];
  refusals = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const client = {
      updateStatus: (_resource: object, request: ResourcePoolStatusRequest) => {
        this.calls.push(`PUT ${request.metadata.name}`);
        if (this.refusals-- > 0) return Promise.reject(statusError(500, "InternalError"));
        this.requests.set(request);
        return Promise.resolve(request);
      },
      delete: (_resource: object, { name }: { name: string }, options: { preconditions: { uid: string } }) => {
        this.calls.push(`DELETE ${name} ${options.preconditions.uid}`);
        return Promise.reject(statusError(404, "NotFound"));
      },
    };
    const informers = [[RESOURCEPOOLSTATUSREQUESTS, this.requests], [RESOURCESLICES, this.slices], [
      RESOURCECLAIMS,
      this.claims,
    ]] as const;
    const context = fakeContext({ world: this.world, metrics: this.metrics, client, informers });
    this.#running = buildPoolStatusController(context).run(this.#stop.signal);
  }

  ask(name: string, more: Partial<ResourcePoolStatusRequest> = {}): void {
    const creationTimestamp = "2026-01-01T00:00:00Z";
    this.requests.set({ metadata: { name, uid: `uid ${name}`, creationTimestamp }, spec: { driver: DRIVER }, ...more });
  }

  offer(expected: number): void {
    const pool = { name: "p", generation: 1, resourceSliceCount: expected };
    this.slices.set({ metadata: { name: "s" }, spec: { driver: DRIVER, pool, devices: [{ name: "d" }] } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.world.clock.advance(0);
    await this.#running;
  }
}

Deno.test("resourcepoolstatusrequest: a request is answered once", async () => {
  await using rig = new Rig();
  rig.offer(1);
  rig.ask("a");
  await rig.world.clock.advance(1000);
  rig.ask("a", { status: rig.requests.indexer.get("a")!.status });
  await rig.world.clock.advance(1000);
  assertEquals(rig.calls, ["PUT a"]);
});

Deno.test("resourcepoolstatusrequest: a pool without all its slices is waited for five times", async () => {
  await using rig = new Rig();
  rig.offer(3);
  rig.ask("a");
  await rig.world.clock.advance(60_000);
  rig.offer(1);
  await rig.world.clock.advance(60_000);
  assertEquals(rig.calls, [], "pools that change later answer nothing");
  rig.ask("a");
  await rig.world.clock.advance(1000);
  assertEquals(rig.calls, ["PUT a"]);
});

Deno.test("resourcepoolstatusrequest: what nobody will read any more is deleted", async () => {
  await using rig = new Rig();
  rig.offer(3);
  rig.ask("old", { metadata: { name: "old", uid: "u", creationTimestamp: "2025-12-30T00:00:00Z" } });
  rig.ask("young");
  await rig.world.clock.advance(0);
  await rig.world.clock.advance(10 * 60_000);
  assertEquals([...new Set(rig.calls)], ["DELETE old u"]);
});

Deno.test("RequestMetrics: a request counts once for each attempt to write its answer, and as an error, too, if that failed", async () => {
  await using rig = new Rig();
  rig.offer(1);
  rig.refusals = 2;
  rig.ask("a");
  await rig.world.clock.advance(1000);
  const lines = rig.metrics.render();
  for (const [name, count] of [["requests_processed_total", 3], ["request_processing_errors_total", 2]]) {
    const line = `resourcepoolstatusrequest_controller_${name}{driver_name="${DRIVER}"} ${count}\n`;
    assertEquals(lines.includes(line), true, line);
  }
});

Deno.test("RequestMetrics: beyond a thousand drivers further ones are counted together, as one without a name", () => {
  const registry = new MetricsRegistry();
  const metrics = new RequestMetrics(registry);
  for (let i = 0; i < 1100; i++) metrics.processed(`d${i}.example.com`, { isWritten: true, tookMs: 1 });
  const lines = registry.render().split("\n").filter((line) => line.includes("requests_processed_total{"));
  assertEquals([lines.length, lines.at(-1)], [
    1001,
    'resourcepoolstatusrequest_controller_requests_processed_total{driver_name=""} 100',
  ]);
});
