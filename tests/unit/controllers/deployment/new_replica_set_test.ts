import { assertEquals } from "@std/assert";
import { FakeWorld, parseJson, runAtOnce } from "../../../../src/base/mod.ts";
import type { PodTemplateSpec, ReplicaSet } from "../../../../src/api/mod.ts";
import { newReplicaSet, replicaSetName } from "../../../../src/controllers/deployment/new_replica_set.ts";
import { findReplicaSets } from "../../../../src/controllers/deployment/replica_sets.ts";
import { deployment, DESIRED, MAX, replicaSet, REVISION, template } from "./fixtures.ts";

Deno.test("newReplicaSet() makes the ReplicaSet of the template", () => {
  const pods = template();
  const selector = { matchLabels: { app: "x" }, matchExpressions: [{ key: "tier", operator: "Exists" }] };
  const wanted = deployment({
    template: pods,
    selector,
    replicas: 10,
    maxSurge: 2,
    minReadySeconds: 5,
    annotations: { note: "n", [REVISION]: "9", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
  });
  const made = runAtOnce(newReplicaSet(wanted, [replicaSet("r-1", 11)], 4n));
  const hash = made.metadata?.labels?.["pod-template-hash"]!;
  const labels = { app: "x", "pod-template-hash": hash };
  assertEquals(made, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `d-${hash}`,
      namespace: "a",
      labels,
      annotations: { note: "n", [REVISION]: "4", [DESIRED]: "10", [MAX]: "12" },
      ownerReferences: [{
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "d",
        uid: "uid-d",
        controller: true,
        blockOwnerDeletion: true,
      }],
    },
    spec: {
      replicas: 1,
      minReadySeconds: 5,
      selector: { ...selector, matchLabels: labels },
      template: { metadata: { labels }, spec: pods.spec },
    },
  });
  assertEquals(pods, template(), "the Deployment's template is as it was");
  assertEquals(selector.matchLabels, { app: "x" });
});

/** From a running v1.36.2: `kubectl create deployment nginx --image=nginx`, as the API server completed it. */
const NGINX: PodTemplateSpec = {
  metadata: { labels: { app: "nginx" } },
  spec: {
    containers: [{
      name: "nginx",
      image: "nginx",
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: "Always",
    }],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  },
};
for (const [collisionCount, hash] of [[undefined, "7f8fbb96d"], [0, "646474d8d4"], [1, "79dbfc4f57"]] as const) {
  Deno.test(`newReplicaSet() takes upstream's name with collision count ${collisionCount}`, () => {
    const wanted = deployment({ name: "nginx", template: NGINX, status: { collisionCount } });
    assertEquals(runAtOnce(newReplicaSet(wanted, [], 1n)).metadata?.name, `nginx-${hash}`);
  });
}

Deno.test("newReplicaSet() keeps integers beyond 2^53", () => {
  const text = '{"tolerationSeconds":9223372036854775807}';
  const pods: PodTemplateSpec = { spec: { containers: [], tolerations: [parseJson(text) as object] } };
  const made = runAtOnce(newReplicaSet(deployment({ template: pods }), [], 1n));
  assertEquals(JSON.stringify(made.spec?.template?.spec?.tolerations), `[${text}]`);
});

Deno.test("newReplicaSet() has all pods with Recreate, and none when the surge is used up", () => {
  const sizeOf = (traits: Parameters<typeof deployment>[0], old: number) =>
    runAtOnce(newReplicaSet(deployment({ replicas: 3, ...traits }), [replicaSet("r", old)], 1n)).spec?.replicas;
  assertEquals(sizeOf({ type: "Recreate" }, 3), 3);
  assertEquals(sizeOf({ maxSurge: 1 }, 4), 0);
  assertEquals(sizeOf({ maxSurge: 1 }, 9), 0);
  assertEquals(sizeOf({ maxSurge: 9 }, 0), 3);
});

Deno.test("replicaSetName() cuts the Deployment's name where the whole would be too long", () => {
  const hash = "1234567890";
  assertEquals(replicaSetName("x".repeat(250), hash), `${"x".repeat(242)}-${hash}`);
  assertEquals(replicaSetName("x".repeat(242), hash).length, 253);
  assertEquals(replicaSetName("web", hash), `web-${hash}`);
});

Deno.test("findReplicaSets() finds the current one by template, whatever its hash, and the oldest of several", async () => {
  const find = (replicaSets: ReplicaSet[]) => findReplicaSets(deployment(), replicaSets, new FakeWorld());
  const image = "nginx:1";
  const old = replicaSet("r-9", 1, { image: "nginx:2" });
  const younger = replicaSet("r-1", 1, { image });
  const older = replicaSet("r-5", 1, { image });
  const { current, old: others } = await find([younger, old, older]);
  assertEquals(current, older);
  assertEquals(others, [younger, old]);
  const twins = [replicaSet("b", 1, { image }), replicaSet("a", 1, { image })];
  assertEquals((await find(twins)).current?.metadata?.name, "a");
  assertEquals((await find([old])).current, undefined);
});
