import { assertEquals } from "@std/assert";
import { type Deployment, newControllerRef, type Pod, type ReplicaSet, REPLICASETS } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown, type EventHandler } from "../../../../src/cache/mod.ts";
import { deploymentHandler, podHandler, replicaSetHandler } from "../../../../src/controllers/deployment/handlers.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { deployment, DeploymentHarness, type DeploymentTraits, replicaSet } from "./fixtures.ts";
import { takeLines } from "../../workqueue/queue_contents.ts";

class Handlers extends DeploymentHarness {
  readonly handler = {
    deployment: deploymentHandler(this.context) as Required<EventHandler<Deployment>>,
    replicaSet: replicaSetHandler(this.context) as Required<EventHandler<ReplicaSet>>,
    pod: podHandler(this.context) as { onDelete(pod: Pod | DeletedFinalStateUnknown<Pod>): void | Promise<void> },
  };

  constructor(traits: DeploymentTraits = {}, ...replicaSets: ReplicaSet[]) {
    super(deployment(traits), ...replicaSets);
    this.deployments.add(deployment({ name: "e", uid: "uid-e" }));
  }

  queued(): Promise<string[]> {
    return takeLines(this.queue);
  }
}

const v = (version: number) => ({ resourceVersion: String(version) });
const ofE = { ownerReferences: [{ ...replicaSet("r", 0).metadata!.ownerReferences![0], name: "e", uid: "uid-e" }] };
const stranger = { ownerReferences: [{ ...replicaSet("r", 0).metadata!.ownerReferences![0], uid: "other" }] };

Deno.test("deploymentHandler() enqueues a Deployment whatever happens to it", async () => {
  const handlers = new Handlers();
  handlers.handler.deployment.onAdd(deployment(), true);
  handlers.handler.deployment.onUpdate(deployment(v(1)), deployment(v(1)));
  handlers.handler.deployment.onDelete(deployment());
  handlers.handler.deployment.onDelete(new DeletedFinalStateUnknown("a/e", deployment({ name: "e" })));
  handlers.handler.deployment.onDelete(new DeletedFinalStateUnknown<Deployment>("a/f", undefined));
  assertEquals(await handlers.queued(), [
    "a/d: deployment/a/d added, deployment/a/d resynced at 1, deployment/a/d deleted",
    "a/e: deployment/a/e deleted",
    "a/f: deployment/a/f deleted",
  ]);
});

const EVENTS: { name: string; send: (handler: Required<EventHandler<ReplicaSet>>) => void; queued: string[] }[] = [
  {
    name: "the owner of one that is added",
    send: (h) => h.onAdd(replicaSet("r", 1), false),
    queued: ["a/d: replicaset/a/r added"],
  },
  {
    name: "the owner of one that is added while going, as deleted",
    send: (h) => h.onAdd(replicaSet("r", 1, { deletionTimestamp: ago(1) }), true),
    queued: ["a/d: replicaset/a/r deleted"],
  },
  {
    name: "every match of an orphan that is added",
    send: (h) => h.onAdd(replicaSet("r", 1, { isOwned: false }), false),
    queued: ["a/d: replicaset/a/r added", "a/e: replicaset/a/r added"],
  },
  {
    name: "nobody for an orphan without labels",
    send: (h) => h.onAdd(replicaSet("r", 1, { isOwned: false, labels: undefined }), false),
    queued: [],
  },
  { name: "nobody for one of another owner", send: (h) => h.onAdd(replicaSet("r", 1, stranger), false), queued: [] },
  {
    name: "nobody for a replay",
    send: (h) => h.onUpdate(replicaSet("r", 1, v(1)), replicaSet("r", 1, v(1))),
    queued: [],
  },
  {
    name: "the owner of one that is updated",
    send: (h) => h.onUpdate(replicaSet("r", 1, v(1)), replicaSet("r", 2, v(2))),
    queued: ["a/d: replicaset/a/r updated at 2"],
  },
  {
    name: "the old and the new owner",
    send: (h) => h.onUpdate(replicaSet("r", 1, v(1)), replicaSet("r", 1, { ...ofE, ...v(2) })),
    queued: ["a/d: replicaset/a/r updated at 2", "a/e: replicaset/a/r updated at 2"],
  },
  {
    name: "the old owner and every match of one that was released",
    send: (h) => h.onUpdate(replicaSet("r", 1, v(1)), replicaSet("r", 1, { isOwned: false, ...v(2) })),
    queued: ["a/d: replicaset/a/r updated at 2", "a/e: replicaset/a/r updated at 2"],
  },
  {
    name: "every match of an orphan whose labels changed",
    send: (h) =>
      h.onUpdate(
        replicaSet("r", 1, { isOwned: false, labels: {}, ...v(1) }),
        replicaSet("r", 1, { isOwned: false, ...v(2) }),
      ),
    queued: ["a/d: replicaset/a/r updated at 2", "a/e: replicaset/a/r updated at 2"],
  },
  {
    name: "nobody for an orphan of which only the status changed",
    send: (h) =>
      h.onUpdate(replicaSet("r", 1, { isOwned: false, ...v(1) }), replicaSet("r", 2, { isOwned: false, ...v(2) })),
    queued: [],
  },
  {
    name: "the owner of one that is deleted",
    send: (h) => h.onDelete(replicaSet("r", 1)),
    queued: ["a/d: replicaset/a/r deleted"],
  },
  {
    name: "the owner of one whose deletion was missed",
    send: (h) => h.onDelete(new DeletedFinalStateUnknown("a/r", replicaSet("r", 1))),
    queued: ["a/d: replicaset/a/r deleted"],
  },
  {
    name: "nobody for an orphan that is deleted",
    send: (h) => h.onDelete(replicaSet("r", 1, { isOwned: false })),
    queued: [],
  },
];
for (const { name, send, queued } of EVENTS) {
  Deno.test(`replicaSetHandler() enqueues ${name}`, async () => {
    const handlers = new Handlers();
    send(handlers.handler.replicaSet);
    assertEquals(await handlers.queued(), queued);
  });
}

const OWNER = replicaSet("r-1", 0);
const pod = (name: string, owner = OWNER): Pod => ({
  metadata: { namespace: "a", name, ownerReferences: [newControllerRef(owner, REPLICASETS)] },
});

Deno.test("podHandler() enqueues a Deployment with Recreate when its last pod is deleted", async () => {
  const handlers = new Handlers({ type: "Recreate" }, OWNER);
  await handlers.handler.pod.onDelete(pod("p"));
  assertEquals(handlers.client.calls.map(({ text }) => text), ["list replicasets a/app=x"]);
  await handlers.handler.pod.onDelete(new DeletedFinalStateUnknown("a/p", pod("p")));
  assertEquals(await handlers.queued(), ["a/d: pod/a/p deleted"]);
});

Deno.test("podHandler() waits for other pods of the Deployment, whatever their phase", async () => {
  const handlers = new Handlers({ type: "Recreate" }, OWNER);
  handlers.pods.add({ ...pod("q"), status: { phase: "Failed" } });
  await handlers.handler.pod.onDelete(pod("p"));
  assertEquals(handlers.client.calls, [], "no request is needed to know");
  assertEquals(await handlers.queued(), []);
});

Deno.test("podHandler() counts the pods of a ReplicaSet that only the server knows, if the Deployment controls it", async () => {
  for (const owner of [replicaSet("r-2", 0), replicaSet("r-2", 0, { isOwned: false })]) {
    const handlers = new Handlers({ type: "Recreate" }, OWNER);
    handlers.client.store(REPLICASETS, owner);
    handlers.pods.add(pod("q", owner));
    await handlers.handler.pod.onDelete(pod("p"));
    assertEquals((await handlers.queued()).length, owner.metadata?.ownerReferences ? 0 : 1);
  }
});

Deno.test("podHandler() ignores pods of rolling updates, of other owners, and of none", async () => {
  const rolling = new Handlers({}, OWNER);
  await rolling.handler.pod.onDelete(pod("p"));
  const recreate = new Handlers({ type: "Recreate" }, OWNER);
  await recreate.handler.pod.onDelete(pod("p", replicaSet("r-1", 0, { uid: "other" })));
  await recreate.handler.pod.onDelete({ metadata: { namespace: "a", name: "p" } });
  await recreate.handler.pod.onDelete(new DeletedFinalStateUnknown<Pod>("a/p", undefined));
  assertEquals([await rolling.queued(), await recreate.queued(), recreate.client.calls], [[], [], []]);
});

Deno.test("podHandler() logs that it could not count", async () => {
  const handlers = new Handlers({ type: "Recreate" }, OWNER);
  handlers.client.fail("list", statusError(500, "InternalError", "broken"));
  await handlers.handler.pod.onDelete(pod("p"));
  assertEquals(await handlers.queued(), []);
  assertEquals(handlers.world.log.lines.map(({ severity }) => severity), ["error"]);
});
