/** The table of the controller: what a sync of a pod writes, and what queues pods. */
import { assertEquals, assertRejects } from "@std/assert";
import { MetricsRegistry } from "../../../../src/base/mod.ts";
import { type PersistentVolumeClaim, PERSISTENTVOLUMECLAIMS, type Pod } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown, Lister } from "../../../../src/cache/mod.ts";
import { claimHandler, podHandler } from "../../../../src/controllers/ephemeral_volume/handlers.ts";
import { CREATE_FAILURES, CREATES, creationMetrics } from "../../../../src/controllers/ephemeral_volume/metrics.ts";
import { syncPod } from "../../../../src/controllers/ephemeral_volume/sync.ts";
import { indexPodsByClaim } from "../../../../src/controllers/pod_volumes/mod.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { ServerRig } from "../server_rig.ts";

const AT = "2026-01-01T00:00:00Z";
const SPEC = { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } };
const TEMPLATE = {
  metadata: { labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["example.com/x"] },
  spec: SPEC,
};
const OWNER = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true, blockOwnerDeletion: true };

function pod(volumes: readonly string[] = ["e"], metadata: Pod["metadata"] = {}): Pod {
  const ephemeral = { volumeClaimTemplate: TEMPLATE };
  return {
    metadata: { namespace: "a", name: "p", uid: "u", ...metadata },
    spec: {
      containers: [],
      volumes: [{ name: "tmp", emptyDir: {} }, ...volumes.map((name) => ({ name, ephemeral }))],
    },
  };
}

function claim(name: string, metadata: PersistentVolumeClaim["metadata"] = {}): PersistentVolumeClaim {
  return { metadata: { namespace: "a", name, ...metadata }, spec: SPEC };
}

const owned = (name: string) => claim(name, { ownerReferences: [OWNER] });

class Harness {
  readonly rig = new ServerRig();
  readonly pods = this.rig.cache<Pod>();
  readonly claims = this.rig.cache<PersistentVolumeClaim>();
  readonly recorder = new FakeRecorder();
  readonly #registry = new MetricsRegistry();

  constructor(pod?: Pod, ...claims: PersistentVolumeClaim[]) {
    indexPodsByClaim(this.pods);
    if (pod) this.pods.add(pod);
    for (const each of claims) this.claims.add(each);
  }

  sync(): Promise<void> {
    return syncPod("a/p", {
      client: this.rig.client,
      recorder: this.recorder,
      pods: new Lister(this.pods),
      claims: new Lister(this.claims),
      metrics: creationMetrics(this.#registry),
    });
  }

  get counts(): readonly number[] {
    return [CREATES, CREATE_FAILURES].map((name) => this.#registry.counter({ name, help: "" }).value());
  }
}

const POST = "POST persistentvolumeclaims a";

Deno.test("a pod's ephemeral volumes get claims of their own, from labels, annotations and spec of their templates", async () => {
  const harness = new Harness(pod(["e", "f"]), owned("p-other"), {
    ...owned("p-e"),
    metadata: { namespace: "b", name: "p-e" },
  });
  await harness.sync();
  assertEquals([harness.rig.writes, harness.counts], [[POST, POST], [2, 0]]);
  const { metadata, spec } = harness.rig.find(PERSISTENTVOLUMECLAIMS, "a/p-e")!;
  const { labels, annotations, ownerReferences, finalizers } = metadata!;
  assertEquals({ labels, annotations, ownerReferences }, {
    labels: { a: "b" },
    annotations: { c: "d" },
    ownerReferences: [OWNER],
  });
  assertEquals([finalizers, spec?.resources], [["kubernetes.io/pvc-protection"], SPEC.resources]);
});

Deno.test("nothing is done for a pod that is gone, is being deleted, or has what it needs", async () => {
  const idle = [
    new Harness(),
    new Harness(pod(["e"], { deletionTimestamp: AT })),
    new Harness(pod([])),
    new Harness(pod(["e"]), owned("p-e")),
  ];
  for (const harness of idle) await harness.sync();
  assertEquals(idle.map(({ rig }) => rig.calls), [[], [], [], []]);
});

Deno.test("a claim of that name that is not the pod's own is an error, and keeps later volumes waiting", async () => {
  const harness = new Harness(pod(["e", "f"]), claim("p-e"));
  const why = "PVC a/p-e was not created for pod a/p (pod is not owner)";
  await assertRejects(() => harness.sync(), Error, `pod a/p, ephemeral volume e: ${why}`);
  assertEquals(harness.rig.calls, []);
  assertEquals(harness.recorder.lines, [`Warning FailedBinding a/p ephemeral volume e: ${why}`]);
});

Deno.test("a creation that is refused is counted, told and tried again", async () => {
  const harness = new Harness(pod());
  harness.rig.fail(POST, 409, 1);
  await assertRejects(() => harness.sync(), Error, "create PVC p-e: no luck");
  assertEquals(harness.recorder.lines, ["Warning FailedBinding a/p ephemeral volume e: create PVC p-e: no luck"]);
  assertEquals(harness.counts, [1, 1]);
  await harness.sync();
  assertEquals(harness.counts, [2, 1]);
});

Deno.test("pods with ephemeral volumes are queued when they come, and when one of their claims goes", () => {
  const { pods } = new Harness(pod());
  const keys: string[] = [];
  const queue = { add: (key: string) => void keys.push(key) };
  const heard = () => keys.splice(0);
  const handler = podHandler(queue);
  handler.onAdd?.(pod(), true);
  assertEquals(heard(), ["a/p"]);
  handler.onAdd?.(pod([]), true);
  handler.onAdd?.(pod(["e"], { deletionTimestamp: AT }), true);
  handler.onUpdate?.(pod(), pod());
  assertEquals([heard(), handler.onDelete], [[], undefined]);
  handler.onUpdate?.(pod(["e"], { uid: "old" }), pod());
  assertEquals(heard(), ["a/p"]);
  const claims = claimHandler(queue, pods);
  claims.onDelete?.(owned("p-e"));
  claims.onDelete?.(new DeletedFinalStateUnknown<PersistentVolumeClaim>("a/p-e", undefined));
  claims.onDelete?.(owned("p-f"));
  assertEquals(heard(), ["a/p", "a/p"]);
  pods.add(pod(["e"], { deletionTimestamp: AT }));
  claims.onDelete?.(owned("p-e"));
  assertEquals(heard(), []);
});
