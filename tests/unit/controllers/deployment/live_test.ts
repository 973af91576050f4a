import { assertEquals, assertObjectMatch } from "@std/assert";
import type { StatusError } from "../../../../src/client/mod.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";
import { deployment, DESIRED, HISTORY, MAX, REVISION, template } from "./fixtures.ts";
import { LiveDeployments } from "./live.ts";

const web = deployment({
  replicas: 3,
  maxSurge: "25%",
  maxUnavailable: "25%",
  progressDeadlineSeconds: 600,
  revisionHistoryLimit: 10,
});

/** `up new 0-1` for `Scaled up replica set d-abc from 0 to 1`; the ReplicaSets are named after their images. */
function steps(live: LiveDeployments): string[] {
  const names = new Map<string, string>();
  for (const image of ["nginx:1", "nginx:2", "nginx:3"]) {
    names.set(live.replicaSet(image)?.metadata?.name ?? "", image.slice(6));
  }
  return live.events("ScalingReplicaSet").map((line) => {
    const [, direction, , , name, , from, , to] = line.split(" ");
    return `${names.get(name)} ${direction} ${from}-${to}`;
  });
}

Deno.test("three rollouts and an undo end as they do with upstream's manager", async () => {
  await using live = new LiveDeployments();
  await live.start();
  live.apply(web);
  await live.pass(3);
  for (const image of ["nginx:2", "nginx:3", "nginx:1"]) {
    live.apply(web, { template: template(image) });
    await live.pass(8);
  }
  assertEquals(live.deployment?.metadata?.annotations, { [REVISION]: "4" });
  const { conditions, ...counters } = live.deployment!.status!;
  assertEquals(counters, {
    observedGeneration: 4,
    replicas: 3,
    readyReplicas: 3,
    updatedReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
  });
  const current = live.replicaSet("nginx:1");
  assertEquals(conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]), [
    ["Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."],
    [
      "Progressing",
      "True",
      "NewReplicaSetAvailable",
      `ReplicaSet "${current?.metadata?.name}" has successfully progressed.`,
    ],
  ]);
  assertObjectMatch(current!, {
    metadata: { generation: 7, annotations: { [DESIRED]: "3", [MAX]: "4", [REVISION]: "4", [HISTORY]: "1" } },
    spec: { replicas: 3 },
    status: {
      observedGeneration: 7,
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    },
  });
  const old = live.replicaSet("nginx:2");
  assertEquals(old?.metadata?.annotations, { [DESIRED]: "3", [MAX]: "4", [REVISION]: "2" });
  assertEquals([old?.metadata?.generation, old?.status], [6, {
    observedGeneration: 6,
    replicas: 0,
    terminatingReplicas: 0,
  }]);
  const rollout = (from: number, to: number) => [
    `${to} up 0-1`,
    `${from} down 3-2`,
    `${to} up 1-2`,
    `${from} down 2-1`,
    `${to} up 2-3`,
    `${from} down 1-0`,
  ];
  assertEquals(steps(live), ["1 up 0-3", ...rollout(1, 2), ...rollout(2, 3), ...rollout(3, 1)]);
  assertEquals(live.podCount, 3);
});

Deno.test("a Deployment that is scaled creates and deletes just the pods it needs", async () => {
  await using live = new LiveDeployments();
  await live.start();
  live.apply(web);
  await live.pass(3);
  live.apply(web, { replicas: 5 });
  await live.pass(3);
  live.apply(web, { replicas: 1 });
  await live.pass(3);
  assertEquals(steps(live), ["1 up 0-3", "1 up 3-5", "1 down 5-1"]);
  assertEquals([live.events("SuccessfulCreate").length, live.events("SuccessfulDelete").length], [5, 4]);
  assertObjectMatch(live.replicaSet("nginx:1")!, { metadata: { annotations: { [DESIRED]: "1", [MAX]: "2" } } });
});

Deno.test("a Deployment with Recreate ends all old pods before it starts new ones", async () => {
  await using live = new LiveDeployments();
  await live.start();
  live.apply(deployment({ replicas: 3, type: "Recreate" }));
  await live.pass(3);
  live.apply(web, { template: template("nginx:2") });
  await live.pass(5);
  assertEquals(steps(live), ["1 up 0-3", "1 down 3-0", "2 up 0-3"]);
  assertEquals(live.podCount, 3);
});

Deno.test("a Deployment with a broken image gets stuck, says so, and recovers with the next one", async () => {
  await using live = new LiveDeployments();
  live.isHealthy = (image) => image !== "nginx:2";
  await live.start();
  live.apply({ ...web, spec: { ...web.spec!, progressDeadlineSeconds: 8 } });
  await live.pass(3);
  live.apply(web, { template: template("nginx:2") });
  await live.pass(14);
  const progressing = () => live.deployment?.status?.conditions?.find(({ type }) => type === "Progressing");
  assertEquals(progressing()?.reason, "ProgressDeadlineExceeded");
  live.apply(web, { template: template("nginx:3") });
  await live.pass(9);
  assertEquals(progressing()?.reason, "NewReplicaSetAvailable");
  assertEquals(steps(live), [
    "1 up 0-3",
    "2 up 0-1",
    "2 down 1-0",
    "3 up 0-1",
    "1 down 3-2",
    "3 up 1-2",
    "1 down 2-1",
    "3 up 2-3",
    "1 down 1-0",
  ]);
  assertEquals(live.replicaSet("nginx:3")?.metadata?.annotations?.[REVISION], "3");
  assertEquals(live.replicaSet("nginx:3")?.metadata?.generation, 4, "created with 0, since the surge was used up");
});

const RETRIES: { name: string; error: StatusError; creations: number }[] = [
  { name: "15 times", error: statusError(403, "Forbidden", "quota"), creations: 16 },
  { name: "not at all in a namespace that is being deleted", error: namespaceTerminating(), creations: 1 },
];
for (const { name, error, creations } of RETRIES) {
  Deno.test(`a Deployment that fails is tried again ${name}, and then waits for its next event`, async () => {
    await using live = new LiveDeployments();
    live.client.fail("create replicasets", error);
    await live.start();
    live.apply(deployment());
    await live.pass(200);
    const count = () => live.client.calls.filter(({ text }) => text.startsWith("create replicasets")).length;
    assertEquals(count(), creations);
    live.apply(deployment(), { minReadySeconds: 1 });
    await live.pass(0.1);
    assertEquals(count() > creations, true);
  });
}

Deno.test("a Deployment keeps as many old ReplicaSets as its limit says", async () => {
  await using live = new LiveDeployments();
  await live.start();
  live.apply({ ...web, spec: { ...web.spec!, revisionHistoryLimit: 1 } });
  for (const image of ["nginx:2", "nginx:3", "nginx:4", "nginx:5"]) {
    await live.pass(8);
    live.apply(web, { template: template(image) });
  }
  await live.pass(8);
  const left = [1, 2, 3, 4, 5].filter((number) => live.replicaSet(`nginx:${number}`));
  assertEquals(left, [4, 5]);
});
