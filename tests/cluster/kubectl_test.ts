/** What an operator types, with kubeloop as the cluster's only manager. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CONFIGMAPS, DEPLOYMENTS, NAMESPACES, type Pod, PODS, REPLICASETS } from "../../src/api/mod.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import type { Kit } from "../scenarios/kit.ts";

/**
 * Looks at pods and ReplicaSets of `kit` again and again until `stop`; gives the fewest pods that were ready and the most that were
 * wanted at once. A Deployment counts what its ReplicaSets are to have: one may create its pods before another has deleted its own,
 * under upstream's manager, too.
 */
async function watchNumbers(kit: Kit, stop: AbortSignal): Promise<{ fewestReady: number; mostWanted: number }> {
  const isReady = (pod: Pod) => pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True") ?? false;
  let fewestReady = Infinity;
  let mostWanted = 0;
  while (!stop.aborted) {
    const pods = (await kit.list(PODS)).filter((pod) => !pod.metadata?.deletionTimestamp);
    fewestReady = Math.min(fewestReady, pods.filter(isReady).length);
    const sets = await kit.list(REPLICASETS);
    mostWanted = Math.max(mostWanted, sets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 1), 0));
  }
  return { fewestReady, mostWanted };
}

clusterTest("kubectl drives Deployments, deletion and namespaces with kubeloop as the only manager", async () => {
  await using cluster = await Cluster.start();
  await startManager(cluster.plane, "kubeloop");
  const { plane } = cluster;

  await eventually("every namespace has its ServiceAccount and root CA", async () => {
    const all = await plane.kubectl(["get", "serviceaccounts,configmaps", "-A", "-o", "name"]);
    return all.match(/serviceaccount\/default/g)?.length === 4 &&
      all.match(/configmap\/kube-root-ca\.crt/g)?.length === 4;
  });

  const kit = await cluster.namespace("shop");
  const ctl = (...args: string[]) => plane.kubectl(["-n", "shop", ...args]);

  // create and scale
  await ctl("create", "deployment", "web", "--image=nginx:1", "--replicas=4");
  assertStringIncludes(await ctl("rollout", "status", "deployment/web", "--timeout=90s"), "successfully rolled out");
  await ctl("scale", "deployment/web", "--replicas=8");
  assertStringIncludes(await ctl("rollout", "status", "deployment/web", "--timeout=90s"), "successfully rolled out");
  assertMatch(await ctl("get", "deployment", "web"), /web\s+8\/8\s+8\s+8/);

  // a new image, never fewer than 8 - 1 ready nor more than 8 + 2 in all
  await kit.merge(DEPLOYMENTS, "web", { spec: { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } } } });
  const stop = new AbortController();
  const numbers = watchNumbers(kit, stop.signal);
  await ctl("set", "image", "deployment/web", "nginx=nginx:2");
  assertStringIncludes(await ctl("rollout", "status", "deployment/web", "--timeout=90s"), "successfully rolled out");
  stop.abort();
  const { fewestReady, mostWanted } = await numbers;
  assert(fewestReady >= 7, `maxUnavailable 1 of 8, but only ${fewestReady} were ready`);
  assert(mostWanted <= 10, `maxSurge 2 over 8, but ${mostWanted} were wanted`);

  // history and undo
  await ctl("annotate", "deployment/web", "kubernetes.io/change-cause=second");
  await kit.untilAll(
    REPLICASETS,
    "one carries the change cause",
    (sets) => sets.some((s) => s.metadata?.annotations?.["kubernetes.io/change-cause"] === "second"),
  );
  assertMatch(await ctl("rollout", "history", "deployment/web"), /1\s+<none>\n2\s+second/);
  assertStringIncludes(await ctl("rollout", "history", "deployment/web", "--revision=1"), "nginx:1");
  await ctl("rollout", "undo", "deployment/web");
  await ctl("rollout", "status", "deployment/web", "--timeout=90s");
  assertEquals(
    await ctl("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}"),
    "nginx:1",
  );
  assertMatch(await ctl("rollout", "history", "deployment/web"), /2\s+.*\n3\s+/);

  // pause, change, resume, restart
  await ctl("rollout", "pause", "deployment/web");
  await ctl("set", "image", "deployment/web", "nginx=nginx:3");
  await kit.until(
    DEPLOYMENTS,
    "web",
    "is paused",
    (d) =>
      d.status?.conditions?.some((c) => c.reason === "DeploymentPaused") &&
      d.status.observedGeneration === d.metadata?.generation,
  );
  assertEquals((await kit.list(REPLICASETS)).length, 2);
  await ctl("rollout", "resume", "deployment/web");
  await ctl("rollout", "status", "deployment/web", "--timeout=90s");
  assertEquals((await kit.list(REPLICASETS)).length, 3);
  await ctl("rollout", "restart", "deployment/web");
  await ctl("rollout", "status", "deployment/web", "--timeout=90s");
  assertEquals((await kit.list(REPLICASETS)).length, 4);

  // a deadline that passes, and recovery
  await kit.merge(DEPLOYMENTS, "web", { spec: { progressDeadlineSeconds: 3 } });
  await ctl("set", "image", "deployment/web", "nginx=nginx:never-pull");
  const stuck = await ctl("rollout", "status", "deployment/web", "--timeout=60s").catch((error: Error) =>
    error.message
  );
  assertStringIncludes(stuck, "exceeded its progress deadline");
  // Or a machine that is slow for three seconds would be taken for a rollout that is stuck again.
  await kit.merge(DEPLOYMENTS, "web", { spec: { progressDeadlineSeconds: 600 } });
  await ctl("set", "image", "deployment/web", "nginx=nginx:4");
  assertStringIncludes(await ctl("rollout", "status", "deployment/web", "--timeout=90s"), "successfully rolled out");
  assertStringIncludes(await ctl("describe", "deployment", "web"), "NewReplicaSetAvailable");

  // the three ways of deleting
  await ctl("delete", "deployment", "web", "--cascade=orphan");
  await kit.untilAll(
    REPLICASETS,
    "are orphans",
    (sets) => sets.length === 6 && sets.every((s) => !s.metadata?.ownerReferences),
  );
  await ctl("delete", "replicaset", "--all", "--cascade=foreground", "--timeout=90s");
  assertEquals(await kit.list(PODS), []);
  await ctl("create", "deployment", "gone", "--image=nginx:1", "--replicas=2");
  await ctl("rollout", "status", "deployment/gone", "--timeout=90s");
  await ctl("delete", "deployment", "gone", "--cascade=background");
  await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);

  // a namespace with something in it that will not go
  await kit.create(CONFIGMAPS, { metadata: { name: "stuck", finalizers: ["example.com/wait"] } });
  await plane.kubectl(["delete", "namespace", "shop", "--wait=false"]);
  await kit.until(
    NAMESPACES,
    "shop",
    "says what holds it",
    (ns) => ns.status?.conditions?.some((c) => c.type === "NamespaceFinalizersRemaining" && c.status === "True"),
  );
  assertStringIncludes(
    await plane.kubectl(["describe", "namespace", "shop"]),
    "example.com/wait in 1 resource instances",
  );
  await kit.merge(CONFIGMAPS, "stuck", { metadata: { finalizers: null } });
  await eventually("namespace shop is gone", async () => await kit.find(NAMESPACES, "shop") === undefined);
});
