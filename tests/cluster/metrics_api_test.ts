/** The metrics APIs as upstream's programs use them: kubectl and the autoscaler, on both servers. */
import { assertEquals, assertMatch } from "@std/assert";
import {
  APISERVICES,
  DEPLOYMENTS,
  findCondition,
  type Namespace,
  NAMESPACES,
  PODS,
  SERVICEACCOUNTS,
} from "../../src/api/mod.ts";
import { assetsFolder } from "../controlplane/binaries.ts";
import { FIRST_SIX, startManager } from "../controlplane/manager.ts";
import { ServedMetrics } from "../controlplane/metrics_api.ts";
import { eventually, freePort } from "../controlplane/process.ts";
import { deployment, type Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { EmbeddedPlane } from "./embedded_plane.ts";
import { EAGER_FLAGS, scaleByMetrics } from "./scaled_by_metrics.ts";

// What upstream's manager does with all of them on the embedded server is another test's subject.
const CONTROLLERS = `--controllers=${FIRST_SIX},horizontal-pod-autoscaler-controller`;

type Kubectl = (...args: string[]) => Promise<string>;

/** What kubectl shows of what pods and nodes use, by themselves and after it was set. */
async function topShowsUsage(kit: Kit, metrics: ServedMetrics["api"], kubectl: Kubectl): Promise<void> {
  const { namespace } = kit;
  const busy = deployment("busy", { replicas: 1 });
  busy.spec!.template!.metadata!.annotations = { "kubeloop.dev/cpu-usage": "250m" };
  await kit.create(DEPLOYMENTS, busy);
  const [pod] = await kit.untilAll(PODS, "one runs", (pods) => pods.some(({ status }) => status?.phase === "Running"));
  const top = await eventually(
    "the pod is measured",
    () => kubectl("top", "pods", "-n", namespace),
    { withinMs: 90_000 },
  );
  assertMatch(top, new RegExp(`^NAME +CPU\\(cores\\) +MEMORY\\(bytes\\) *\\n${pod.metadata!.name} +250m +16Mi *\\n$`));
  metrics.setPodUsage({ namespace, labelSelector: "app=busy", usage: { cpu: "1500m", memory: "2Gi" } });
  assertMatch(await kubectl("top", "pods", "-n", namespace, "--no-headers", "--containers"), / 1500m +2048Mi/);
  assertMatch(await kubectl("top", "pods", "-n", namespace, "-l", "app=busy", "--no-headers"), / 1500m +2048Mi/);
  assertMatch(await kubectl("top", "nodes", "--no-headers"), /^\S+ +\d+m +\d+% +\d+Mi +\d+%/);
  assertMatch(
    await kubectl("get", "podmetrics", "-n", namespace),
    /^NAME +CPU +MEMORY +WINDOW *\n\S+ +1500m +2Gi +15s *\n$/,
  );
  const named = await kubectl("get", "pods.metrics.k8s.io", pod.metadata!.name!, "-n", namespace, "-o", "yaml");
  assertMatch(named, /cpu: 1500m/);
  await kit.delete(DEPLOYMENTS, "busy");
  await kit.untilAll(PODS, "none is left", (pods) => pods.length === 0);
}

/** Waits until all is found that is served: what an API server says of others follows them. */
async function registered(kubectl: Kubectl): Promise<void> {
  await eventually("the metrics APIs are registered", () => isRegistered(kubectl), { withinMs: 90_000 });
}

async function isRegistered(kubectl: Kubectl): Promise<true> {
  const services = await kubectl("get", "apiservices");
  for (
    const name of ["v1beta1.metrics", "v1beta1.custom.metrics", "v1beta2.custom.metrics", "v1beta1.external.metrics"]
  ) {
    assertMatch(services, new RegExp(`^${name}.k8s.io +kube-system/metrics-server +True`, "m"));
  }
  const resources = await kubectl("api-resources", "--api-group=metrics.k8s.io");
  assertMatch(resources, /^nodes +metrics.k8s.io\/v1beta1 +false +NodeMetrics$/m);
  assertMatch(resources, /^pods +metrics.k8s.io\/v1beta1 +true +PodMetrics$/m);
  assertMatch(await kubectl("api-versions"), /^custom.metrics.k8s.io\/v1beta2$/m);
  return true;
}

clusterTest("kubectl top and upstream's autoscaler read the metrics APIs behind a real server", async () => {
  await using cluster = await Cluster.start();
  const { plane, client } = cluster;
  await using metrics = await ServedMetrics.start({ plane, client });
  await startManager(plane, "upstream", { flags: EAGER_FLAGS });
  const kubectl: Kubectl = (...args) => plane.kubectl(args);
  await registered(kubectl);
  await topShowsUsage(await cluster.namespace("top"), metrics.api, kubectl);
  await scaleByMetrics(await cluster.namespace("scaled"), metrics.api);
});

clusterTest("kubectl top and upstream's autoscaler read the metrics APIs of the embedded server", async () => {
  await using plane = await EmbeddedPlane.start({ untaint: true });
  const manager = await plane.run("kube-controller-manager", [
    `--secure-port=${freePort()}`,
    `--root-ca-file=${plane.folder}/ca.crt`,
    `--service-account-private-key-file=${plane.folder}/sa.key`,
    "--use-service-account-credentials=true",
    "--leader-elect=false",
    CONTROLLERS,
    ...EAGER_FLAGS,
  ]);
  await plane.run("kube-scheduler", [`--secure-port=${freePort()}`, "--leader-elect=false"]);
  const kubectl = await kubectlOf(plane);
  await registered(kubectl);
  await topShowsUsage(await namespaceOf(plane, "top"), plane.metrics, kubectl);
  await scaleByMetrics(await namespaceOf(plane, "scaled"), plane.metrics);
  const { status } = await plane.client.get(APISERVICES, { name: "v1beta1.metrics.k8s.io" });
  assertEquals(findCondition(status?.conditions, "Available")?.reason, "Passed");
  assertEquals(manager.exit, undefined);
});

async function kubectlOf({ folder, kubeconfig }: EmbeddedPlane): Promise<Kubectl> {
  const bin = await assetsFolder();
  return async (...args) => {
    const { success, stdout, stderr } = await new Deno.Command(`${bin}/kubectl`, {
      args: ["--kubeconfig", kubeconfig, ...args],
      env: { HOME: folder },
    }).output();
    const text = new TextDecoder();
    if (!success) throw new Error(`kubectl ${args.join(" ")}: ${text.decode(stderr).trim()}`);
    return text.decode(stdout);
  };
}

async function namespaceOf(plane: EmbeddedPlane, name: string): Promise<Kit> {
  await plane.client.create<Namespace>(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const kit = plane.kit(name);
  await eventually(
    `namespace ${name} can have pods`,
    () => plane.client.get(SERVICEACCOUNTS, { namespace: name, name: "default" }),
    { withinMs: 90_000 },
  );
  return kit;
}
