import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  newControllerRef,
  type Pod,
  PODS,
  type ReplicationController,
  REPLICATIONCONTROLLERS,
  type ReplicationControllerSpec,
} from "../../../../src/api/mod.ts";
import { controllerIndexOf, Lister, POD_CONTROLLER_INDEX } from "../../../../src/cache/mod.ts";
import { PodControl, UidExpectations } from "../../../../src/controllers/pods/mod.ts";
import { podHandler } from "../../../../src/controllers/replicaset/handlers.ts";
import { deletionAgeRatio } from "../../../../src/controllers/replicaset/metrics.ts";
import { syncReplicas } from "../../../../src/controllers/replicaset/sync.ts";
import { REPLICATIONCONTROLLER_KIND } from "../../../../src/controllers/replicationcontroller/mod.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { statusError } from "../status_errors.ts";

function controller(
  { replicas = 2, ...spec }: Partial<ReplicationControllerSpec> = {},
  status: ReplicationController["status"] = { replicas: 0 },
): ReplicationController {
  return {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { namespace: "a", name: "r", uid: "uid-r", generation: 1 },
    spec: {
      replicas,
      selector: { app: "x" },
      template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      ...spec,
    },
    status,
  };
}

function pod(
  name: string,
  { kind = "ReplicationController", ...metadata }: Pod["metadata"] & { kind?: string } = {},
): Pod {
  const owner = { ...newControllerRef(controller(), REPLICATIONCONTROLLERS), kind };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "a", name, uid: `uid-${name}`, labels: { app: "x" }, ownerReferences: [owner], ...metadata },
    spec: { containers: [{ name: "c", image: "i" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

class Harness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly recorder = new FakeRecorder();
  readonly owners = new FakeCache(this.client, REPLICATIONCONTROLLERS);
  readonly pods = new FakeCache(this.client, PODS, { [POD_CONTROLLER_INDEX]: controllerIndexOf });
  readonly expectations = new UidExpectations(this.world.clock);

  constructor(owner: ReplicationController, ...pods: Pod[]) {
    this.owners.begin(owner);
    this.pods.begin(...pods);
  }

  sync(): Promise<void> {
    const { world, client, recorder, pods, expectations } = this;
    return syncReplicas("a/r", {
      kind: REPLICATIONCONTROLLER_KIND,
      world,
      client,
      podControl: new PodControl({ client, recorder }),
      owners: new Lister(this.owners),
      pods,
      expectations,
      queue: new WorkQueue({ world }),
      relatedPods: () => Promise.resolve([]),
      ageRatio: deletionAgeRatio(new MetricsRegistry()),
    });
  }

  get status(): ReplicationController["status"] {
    return this.client.find(REPLICATIONCONTROLLERS, "a/r")?.status;
  }

  get podWrites(): string[] {
    return this.client.writes.filter((text) => text.includes(" pods "));
  }
}

Deno.test("a ReplicationController makes pods that it owns by its own version and kind", async () => {
  const harness = new Harness(controller());
  await harness.sync();
  assertEquals(harness.podWrites.length, 2);
  const [{ metadata }] = harness.client.bodies<Pod>("create pods");
  assertEquals(metadata?.generateName, "r-");
  assertEquals(metadata?.ownerReferences, [{
    apiVersion: "v1",
    kind: "ReplicationController",
    name: "r",
    uid: "uid-r",
    controller: true,
    blockOwnerDeletion: true,
  }]);
});

Deno.test("a ReplicationController deletes pods that are too many, and tells so", async () => {
  const harness = new Harness(controller({ replicas: 0 }), pod("p"));
  await harness.sync();
  assertEquals(harness.podWrites, ["delete pods a/p"]);
  assertEquals(harness.recorder.lines, ["Normal SuccessfulDelete a/r Deleted pod: p"]);
});

Deno.test("a ReplicationController adopts a matching orphan, and releases a pod that matches no longer", async () => {
  const harness = new Harness(
    controller(),
    pod("orphan", { ownerReferences: [] }),
    pod("strange", { labels: { app: "y" } }),
  );
  await harness.sync();
  assertEquals(harness.podWrites.slice(0, 2).sort(), ["patch pods a/orphan", "patch pods a/strange"]);
  const adoption = harness.client.bodies<{ metadata: Pod["metadata"] }>("patch pods a/orphan")[0].metadata;
  assertEquals([adoption?.ownerReferences?.[0].apiVersion, adoption?.uid], ["v1", "uid-orphan"]);
});

Deno.test("a ReplicationController counts no terminating pods", async () => {
  const going = pod("going", { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const harness = new Harness(controller({ replicas: 1 }), pod("p"), going);
  await harness.sync();
  assertEquals(harness.status, {
    replicas: 1,
    fullyLabeledReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    observedGeneration: 1,
  });
});

Deno.test("a ReplicationController is not queued by the pod of a ReplicaSet of its name", async () => {
  const harness = new Harness(controller());
  const queue = new WorkQueue({ world: harness.world });
  const owners = new Lister(harness.owners);
  const handler = podHandler({ kind: REPLICATIONCONTROLLER_KIND, owners, queue, expectations: harness.expectations });
  handler.onAdd?.(pod("p", { kind: "ReplicaSet" }), false);
  assertEquals(queue.length, 0);
  handler.onAdd?.(pod("p"), false);
  assertEquals(queue.length, 1);
  await queue.get();
});

Deno.test("a ReplicationController without selector adopts nothing, and lets its pods go", async () => {
  const harness = new Harness(
    controller({ replicas: 0, selector: undefined }),
    pod("orphan", { ownerReferences: [] }),
    pod("own"),
  );
  await harness.sync();
  assertEquals(harness.podWrites, ["patch pods a/own"]);
});

Deno.test("a ReplicationController without template fails to make pods", async () => {
  const harness = new Harness(controller({ replicas: 1, template: undefined }));
  await assertRejects(() => harness.sync(), Error, "unable to create pods, no labels");
});

Deno.test("a ReplicationController says in a condition what failed, and keeps others", async () => {
  const conditions = [{ type: "Other", status: "True" }];
  const harness = new Harness(controller({ replicas: 1 }, { replicas: 0, conditions }));
  harness.client.fail("create", statusError(403, "Forbidden", "quota"));
  await assertRejects(() => harness.sync(), Error, "quota");
  assertEquals(harness.status?.conditions?.map(({ type, reason }) => [type, reason]), [
    ["Other", undefined],
    ["ReplicaFailure", "FailedCreate"],
  ]);
  assertEquals(harness.recorder.lines, ["Warning FailedCreate a/r Error creating: quota"]);
});
