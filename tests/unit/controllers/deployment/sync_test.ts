import { assertEquals, assertRejects } from "@std/assert";
import { deepCopy } from "../../../../src/base/mod.ts";
import { type Deployment, DEPLOYMENTS, type ReplicaSet, REPLICASETS } from "../../../../src/api/mod.ts";
import { isAlreadyExists, isConflict, isNamespaceTerminating } from "../../../../src/client/mod.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { condition, deployment, DeploymentHarness, DESIRED, MAX, replicaSet, REVISION, template } from "./fixtures.ts";

const STATUS = "put deployments/status a/d";

Deno.test("syncDeployment() creates the ReplicaSet of a new Deployment and writes its status twice", async () => {
  const harness = new DeploymentHarness(deployment({ progressDeadlineSeconds: 600, maxSurge: 1 }));
  await harness.sync();
  const [created] = harness.client.all(REPLICASETS);
  const name = created.metadata?.name;
  assertEquals(harness.client.writes, [`create replicasets a/${name}`, STATUS, STATUS]);
  assertEquals(harness.recorder.lines, [`Normal ScalingReplicaSet a/d Scaled up replica set ${name} from 0 to 1`]);
  assertEquals(harness.deployment.metadata?.annotations, { [REVISION]: "1" });
  assertEquals(harness.conditions, [
    "Progressing True NewReplicaSetCreated",
    "Available False MinimumReplicasUnavailable",
  ]);
  assertEquals(harness.deployment.status?.conditions?.[0].message, `Created new replica set "${name}"`);
});

Deno.test("syncDeployment() writes nothing when all is as it should be", async () => {
  const status = {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    terminatingReplicas: 0,
    conditions: [condition("Available", "True", "MinimumReplicasAvailable")],
  };
  const harness = new DeploymentHarness(
    deployment({ status, annotations: { [REVISION]: "1" } }),
    replicaSet("r-1", 1, { image: "nginx:1", revision: "1", desired: 1, max: 1 }),
  );
  await harness.sync();
  assertEquals(harness.client.calls, []);
  assertEquals(harness.recorder.lines, []);
});

Deno.test("syncDeployment() does nothing for a Deployment that is gone", async () => {
  const harness = new DeploymentHarness(deployment());
  await harness.sync("a/other");
  assertEquals(harness.client.calls, []);
});

Deno.test("syncDeployment() refuses an empty selector", async () => {
  const harness = new DeploymentHarness(deployment({ selector: {}, generation: 2 }));
  harness.client.fail("put", statusError(409, "Conflict"), { times: 1 });
  await harness.sync();
  await harness.sync();
  assertEquals(
    harness.recorder.lines.at(-1),
    "Warning SelectingAll a/d This deployment is selecting all pods. A non-empty selector is required.",
  );
  assertEquals(harness.client.writes, [STATUS, STATUS]);
  assertEquals(harness.deployment.status, { observedGeneration: 2 });
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.client.writes.length, 2);
});

Deno.test("syncDeployment() uses an upstream ReplicaSet of any hash with an equal template as it is", async () => {
  const foreign = replicaSet("d-5869d7778c", 1, { image: "nginx:1", revision: "1", desired: 1, max: 1 });
  const harness = new DeploymentHarness(deployment({ annotations: { [REVISION]: "1" } }), foreign);
  await harness.sync();
  assertEquals(harness.client.writes, [STATUS]);
  assertEquals(harness.sizes, { "d-5869d7778c": 1 });
  assertEquals(harness.deployment.status?.updatedReplicas, 1);
});

Deno.test("syncDeployment() takes another name when another owner has the one it wants", async () => {
  const harness = new DeploymentHarness(deployment());
  await harness.sync();
  const taken = harness.client.all(REPLICASETS)[0].metadata!.name!;
  const foreign = replicaSet(taken, 1, { image: "nginx:1", isOwned: false, labels: { app: "y" } });
  const collided = new DeploymentHarness(deployment(), foreign);
  assertEquals(isAlreadyExists(await assertRejects(() => collided.sync())), true);
  assertEquals(collided.client.writes, [`create replicasets a/${taken}`, STATUS]);
  assertEquals(collided.deployment.status?.collisionCount, 1);
  collided.catchUp();
  await collided.sync();
  assertEquals(Object.keys(collided.sizes).length, 2);
  assertEquals(collided.deployment.status?.collisionCount, 1, "carried through");
});

Deno.test("syncDeployment() fails when the ReplicaSet exists and the cache does not have it yet", async () => {
  const harness = new DeploymentHarness(deployment());
  harness.client.fail("create", statusError(409, "AlreadyExists"));
  await assertRejects(() => harness.sync(), Error, "not found");
  assertEquals(harness.client.writes.length, 1);
});

Deno.test("syncDeployment() takes an existing ReplicaSet that is just what it wants for created", async () => {
  const harness = new DeploymentHarness(deployment({ progressDeadlineSeconds: 60, maxSurge: 1 }));
  await harness.sync();
  const created = harness.client.all(REPLICASETS)[0];
  const late = new DeploymentHarness(deployment({ progressDeadlineSeconds: 60, maxSurge: 1 }));
  late.client.store(REPLICASETS, created);
  late.context.replicaSets.get = () => created;
  await late.sync();
  assertEquals(late.client.writes, [`create replicasets a/${created.metadata?.name}`, STATUS, STATUS]);
  assertEquals(late.recorder.lines, [], "it was not this sync that scaled");
  assertEquals(late.conditions, ["Available False MinimumReplicasUnavailable"]);
});

Deno.test("syncDeployment() reports that it cannot create the ReplicaSet", async () => {
  const harness = new DeploymentHarness(deployment({ progressDeadlineSeconds: 60 }));
  harness.client.fail("create", statusError(403, "Forbidden", "quota"));
  await assertRejects(() => harness.sync(), Error, "quota");
  assertEquals(harness.conditions, ["Progressing False ReplicaSetCreateError"]);
  const [line] = harness.recorder.lines;
  const message = harness.deployment.status?.conditions?.[0].message;
  assertEquals(line, `Warning ReplicaSetCreateError a/d ${message}`);
  assertEquals(message?.replace(/d-\w+/, "RS"), 'Failed to create new replica set "RS": quota');
});

Deno.test("syncDeployment() reports nothing from a namespace that is being deleted", async () => {
  const harness = new DeploymentHarness(deployment({ progressDeadlineSeconds: 60 }));
  harness.client.fail("create", namespaceTerminating());
  assertEquals(isNamespaceTerminating(await assertRejects(() => harness.sync())), true);
  assertEquals(harness.client.writes.length, 1);
  assertEquals(harness.recorder.lines, []);
});

Deno.test("syncDeployment() raises the revision of a ReplicaSet that becomes current again", async () => {
  const harness = new DeploymentHarness(
    deployment({ annotations: { [REVISION]: "2", team: "t" }, minReadySeconds: 7 }),
    replicaSet("r-2", 0, { image: "nginx:1", revision: "1" }),
    replicaSet("r-1", 1, { image: "nginx:2", revision: "2", desired: 1, max: 1 }),
  );
  const error = await assertRejects(() => harness.sync());
  assertEquals(isConflict(error), true, "the second of the two revision syncs has an old version");
  const [first] = harness.client.bodies<ReplicaSet>("put replicasets a/r-2");
  assertEquals(first.metadata?.annotations, {
    [REVISION]: "3",
    "deployment.kubernetes.io/revision-history": "1",
    team: "t",
  });
  assertEquals(first.spec?.minReadySeconds, 7);
  harness.catchUp();
  await harness.sync();
  assertEquals(harness.deployment.metadata?.annotations, { [REVISION]: "3", team: "t" });
});

Deno.test("syncDeployment() gives the current ReplicaSet the Deployment's minReadySeconds", async () => {
  const current = replicaSet("r-1", 1, { image: "nginx:1", revision: "1", desired: 1, max: 1 });
  const harness = new DeploymentHarness(deployment({ minReadySeconds: 7, annotations: { [REVISION]: "1" } }), current);
  await assertRejects(() => harness.sync());
  assertEquals(harness.client.find(REPLICASETS, "a/r-1")?.spec?.minReadySeconds, 7);
});

Deno.test("syncDeployment() notes that it found a ReplicaSet when it is given a deadline", async () => {
  const harness = new DeploymentHarness(
    deployment({ progressDeadlineSeconds: 60, annotations: { [REVISION]: "1" } }),
    replicaSet("r-1", 1, { image: "nginx:1", revision: "1", desired: 1, max: 1, available: 0 }),
  );
  await harness.sync();
  const [first] = harness.client.bodies<Deployment>(STATUS);
  assertEquals(first.status?.conditions, [
    condition("Progressing", "True", "FoundNewReplicaSet", { message: 'Found new replica set "r-1"' }),
  ]);
});

Deno.test("syncDeployment() only keeps the status of a Deployment that is being deleted", async () => {
  const harness = new DeploymentHarness(
    deployment({
      deletionTimestamp: ago(1),
      finalizers: ["x/y"],
      replicas: 9,
      progressDeadlineSeconds: 60,
      paused: true,
    }),
    replicaSet("r-2", 3),
  );
  await harness.sync();
  assertEquals(harness.client.writes, [STATUS]);
  assertEquals(harness.conditions, ["Available False MinimumReplicasUnavailable"]);
});

Deno.test("syncDeployment() adopts a matching ReplicaSet and releases one that matches no longer", async () => {
  const harness = new DeploymentHarness(
    deployment(),
    replicaSet("r-1", 1, { image: "nginx:1", isOwned: false, revision: "1" }),
    replicaSet("r-2", 1, { labels: { app: "y" } }),
  );
  await harness.sync();
  assertEquals(harness.client.writes.slice(0, 2).sort(), ["patch replicasets a/r-1", "patch replicasets a/r-2"]);
  assertEquals(harness.client.find(REPLICASETS, "a/r-2")?.metadata?.ownerReferences, undefined);
});

Deno.test("syncDeployment() adopts nothing when the Deployment is being deleted on the server only", async () => {
  const harness = new DeploymentHarness(deployment(), replicaSet("r-1", 1, { isOwned: false }));
  harness.client.store(DEPLOYMENTS, deployment({ deletionTimestamp: ago(1) }));
  await assertRejects(() => harness.sync(), Error, "can't adopt ReplicaSet a/r-1 (uid-r-1): a/d has just been deleted");
  assertEquals(harness.client.calls.map(({ text }) => text), ["get deployments a/d"]);
});

Deno.test("syncDeployment() shares a new size out, with annotations and events", async () => {
  const harness = new DeploymentHarness(
    deployment({ replicas: 30, maxSurge: 3, maxUnavailable: 2 }),
    replicaSet("r-2", 8, { revision: "1", desired: 10, max: 13 }),
    replicaSet("r-1", 5, { image: "nginx:1", revision: "2", desired: 10, max: 13, available: 0 }),
  );
  await harness.sync();
  assertEquals(harness.sizes, { "r-2": 20, "r-1": 13 });
  for (const { metadata } of harness.client.all(REPLICASETS)) {
    assertEquals([metadata?.annotations?.[DESIRED], metadata?.annotations?.[MAX]], ["30", "33"]);
  }
  assertEquals(harness.recorder.lines, [
    "Normal ScalingReplicaSet a/d Scaled up replica set r-2 from 8 to 20",
    "Normal ScalingReplicaSet a/d Scaled up replica set r-1 from 5 to 13",
  ]);
});

Deno.test("syncDeployment() stops at the first ReplicaSet that cannot be sized", async () => {
  const harness = new DeploymentHarness(
    deployment({ replicas: 30 }),
    replicaSet("r-2", 8, { revision: "1", desired: 10, max: 10 }),
    replicaSet("r-1", 5, { image: "nginx:1", revision: "2", desired: 10, max: 10, available: 0 }),
  );
  harness.client.fail("put replicasets a/r-2", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
  assertEquals(harness.sizes, { "r-2": 8, "r-1": 5 });
  assertEquals(harness.recorder.lines, []);
});

Deno.test("syncDeployment() fails for a strategy it does not know", async () => {
  const current = replicaSet("r-1", 1, { image: "nginx:1", revision: "1", desired: 1, max: 1 });
  const harness = new DeploymentHarness(deployment({ type: "Odd" }), current);
  await assertRejects(() => harness.sync(), Error, "unexpected deployment strategy type: Odd");
});

Deno.test("syncDeployment() changes no cached object", async () => {
  const harness = new DeploymentHarness(
    deployment({ replicas: 4, maxSurge: 1, template: template("nginx:3"), progressDeadlineSeconds: 60 }),
    replicaSet("r-2", 3, { desired: 4, max: 5 }),
    replicaSet("r-1", 1, { image: "nginx:3", desired: 4, max: 5 }),
  );
  const before = deepCopy([harness.deployments.list(), harness.replicaSets.list()]);
  await harness.sync().catch(() => {});
  assertEquals([harness.deployments.list(), harness.replicaSets.list()], before);
});
