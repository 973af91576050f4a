// deno-lint-ignore-file no-console -- a test that is skipped says why
/** What `manifests/` holds, tried on a real API server and with systemd. */
import { assert, assertEquals, assertFalse, assertGreater, assertLessOrEqual, assertRejects } from "@std/assert";
import { CONFIGMAPS, NAMESPACES } from "../../src/api/mod.ts";
import { parseMetrics } from "../../src/base/mod.ts";
import type { ControlPlane } from "../controlplane/control_plane.ts";
import { leaseHolder, startKubeloop } from "../controlplane/manager.ts";
import { eventually, freePort, type Process } from "../controlplane/process.ts";
import {
  groupings,
  kubernetesManifests,
  manifestPath,
  manifestText,
  metricsIn,
  queries,
} from "../unit/manifests/reading.ts";
import { Cluster, clusterTest, testBeside } from "./cluster.ts";

/** One object for each of the other workload controllers, so that each needs its rights. */
const WORKLOADS = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: store }
spec:
  replicas: 2
  serviceName: store
  persistentVolumeClaimRetentionPolicy: { whenDeleted: Delete, whenScaled: Delete }
  selector: { matchLabels: { app: store } }
  template:
    metadata: { labels: { app: store } }
    spec: { containers: [{ name: c, image: i }] }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: c, image: i }] }
---
apiVersion: v1
kind: ReplicationController
metadata: { name: old }
spec:
  replicas: 1 # the autoscaler wants one more
  selector: { app: old }
  template:
    metadata: { labels: { app: old } }
    spec: { containers: [{ name: c, image: i }] }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: old }
spec:
  scaleTargetRef: { apiVersion: v1, kind: ReplicationController, name: old }
  minReplicas: 2
  maxReplicas: 3
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  completions: 2
  template:
    metadata: { annotations: { kubeloop.dev/run-for: 100ms } }
    spec: { restartPolicy: Never, containers: [{ name: c, image: i }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: old }
spec: { minAvailable: 1, selector: { matchLabels: { app: old } } }
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: pods }
spec: { hard: { pods: "50" } }
`;

const SETTLED = [
  ["statefulset/store", "jsonpath={.status.readyReplicas}=2"],
  ["daemonset/agent", "jsonpath={.status.numberReady}=3"],
  ["replicationcontroller/old", "jsonpath={.status.readyReplicas}=2"],
  ["horizontalpodautoscaler/old", "jsonpath={.status.desiredReplicas}=2"],
  ["job/once", "condition=complete"],
  ["poddisruptionbudget/old", "jsonpath={.status.disruptionsAllowed}=1"],
  ["resourcequota/pods", "jsonpath={.status.hard.pods}=50"],
] as const;

/** Runs the manager as the user that rbac.yaml is about, until it leads. */
async function startAsKubeloop(plane: ControlPlane, flags: readonly string[] = []): Promise<Process> {
  const kubeconfig = await plane.writeKubeconfig("kubeloop", { user: await plane.authority.client("kubeloop") });
  const process = startKubeloop(plane, [
    "kube-controller-manager",
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--root-ca-file=${plane.rootCaFile}`,
    "--bind-address=127.0.0.1",
    ...flags,
  ]);
  await eventually("kubeloop leads", async () => {
    if (process.exit) throw new Error(`kubeloop ended with ${process.exit.code}: ${process.output.slice(-3000)}`);
    return await leaseHolder(plane) !== "";
  });
  return process;
}

clusterTest("every Kubernetes manifest is accepted by the API server as it stands", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const { plane } = cluster;
  // No controller makes the account that a pod in kube-system needs.
  await plane.kubectl(["create", "serviceaccount", "default", "-n", "kube-system"]);
  const names = await kubernetesManifests();
  assertEquals(names.length, 7);
  for (const name of names) {
    const path = manifestPath(name);
    const out = await plane.kubectl(["apply", "--dry-run=server", "--validate=strict", "-f", path]);
    assert(out.trim().split("\n").every((line) => line.endsWith("(server dry run)")), `${name}: ${out}`);
  }
  // That an error would be seen.
  const wrong = (await manifestText("examples/deployment.yaml")).replace("replicas:", "replica:");
  await assertRejects(
    () => plane.kubectl(["apply", "--dry-run=server", "--validate=strict", "-f", "-"], { input: wrong }),
    Error,
    'unknown field "spec.replica"',
  );
});

clusterTest(
  "a user bound by rbac.yaml alone runs every controller on the examples and deletes their namespace",
  async () => {
    await using cluster = await Cluster.start();
    const { plane } = cluster;
    // Not what every user may do by the API server's own roles, but for asking what they may.
    for (const name of ["system:discovery", "system:public-info-viewer"]) {
      await plane.kubectl(["delete", "clusterrolebinding", name]);
    }
    const may = async (...question: string[]) => {
      const args = ["auth", "can-i", ...question, "--as=kubeloop"];
      return (await plane.kubectl(args).catch((error: Error) => error.message)).trim().endsWith("yes");
    };
    assertFalse(await may("create", "pods", "-n", "default"));
    await plane.kubectl(["apply", "-f", manifestPath("rbac.yaml")]);
    await eventually("the binding holds", () => may("create", "pods", "-n", "default"));
    for (
      const question of [
        ["create", "secrets"],
        ["create", "nodes"],
        ["create", "clusterroles"],
        ["create", "clusterrolebindings"],
        ["bind", "clusterroles"],
        ["escalate", "roles", "-n", "kube-system"],
        ["create", "serviceaccounts", "--subresource=token", "-n", "kube-system"],
        ["update", "leases/another", "-n", "kube-system"],
      ]
    ) assertFalse(await may(...question), `kubeloop may ${question.join(" ")}`);

    const process = await startAsKubeloop(plane, ["--secure-port=0"]);
    await plane.kubectl(["apply", "-f", manifestPath("examples/namespace.yaml")]);
    const kit = cluster.kit("shop");
    await eventually("the account exists", () => plane.kubectl(["get", "serviceaccount", "default", "-n", "shop"]));
    await plane.kubectl(["apply", "-n", "shop", "-f", manifestPath("examples/deployment.yaml")]);
    await kit.rolledOut("web");
    await plane.kubectl(["apply", "-n", "shop", "-f", "-"], { input: WORKLOADS });
    for (const [what, condition] of SETTLED) {
      await plane.kubectl(["wait", "-n", "shop", what, `--for=${condition}`, "--timeout=120s"]);
    }
    await kit.until(CONFIGMAPS, "kube-root-ca.crt", "is published", (map) => map.data?.["ca.crt"] !== undefined);
    // The ReplicaSet and its pods go by garbage collection, the rest with the namespace.
    await plane.kubectl(["delete", "-n", "shop", "-f", "-"], { input: WORKLOADS });
    await plane.kubectl(["delete", "deployment", "web", "-n", "shop"]);
    await eventually(
      "no pod is left",
      async () => (await plane.get<{ items: [] }>("pods", "-n", "shop")).items.length === 0,
    );
    await plane.kubectl(["delete", "-f", manifestPath("examples/namespace.yaml"), "--timeout=120s"]);
    const left = await cluster.client.list(NAMESPACES);
    assertFalse(left.items.some(({ metadata }) => metadata?.name === "shop"));
    const events = await plane.get<{ items: { reason: string }[] }>("events", "-n", "kube-system");
    assert(events.items.some(({ reason }) => reason === "LeaderElection"), "the election is not recorded");
    assertEquals((await process.stop()).code, 0);
    assertEquals(await leaseHolder(plane), "", "the lease was not released");
    assertFalse(/forbidden/i.test(process.output), process.output);
  },
);

clusterTest("every metric of alerts and dashboard is served, with the labels they use", async () => {
  await using cluster = await Cluster.start();
  const { plane } = cluster;
  await plane.kubectl(["apply", "-f", manifestPath("rbac.yaml")]);
  const port = freePort();
  await startAsKubeloop(plane, [`--secure-port=${port}`, "--controller-groups=auto"]);
  await cluster.namespace("metered");
  // As Prometheus asks: a service account with the role that scrape-config.yaml names.
  await plane.kubectl(["create", "serviceaccount", "prometheus", "-n", "metered"]);
  const subject = ["--clusterrole=system:monitoring", "--serviceaccount=metered:prometheus"];
  await plane.kubectl(["create", "clusterrolebinding", "prometheus", ...subject]);
  const token = (await plane.kubectl(["create", "token", "prometheus", "-n", "metered"])).trim();
  const kubeconfig = `${plane.folder}/prometheus.conf`;
  await Deno.writeTextFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "manager",
      clusters: [{
        name: "manager",
        cluster: { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true },
      }],
      users: [{ name: "prometheus", user: { token } }],
      contexts: [{ name: "manager", context: { cluster: "manager", user: "prometheus" } }],
    }),
  );
  const scrape = async (path: string) =>
    parseMetrics(await eventually(`${path} answers`, () => plane.kubectl(["get", "--raw", path], { kubeconfig })));
  await scrape("/healthz").catch(() => {});
  const pages = new Map([
    ["kubeloop", await scrape("/metrics")],
    ["kubeloop-slis", await scrape("/metrics/slis")],
  ]);
  let withLabels = 0;
  for (const query of await queries()) {
    for (const { name, labels, job = "" } of metricsIn(query)) {
      if (name === "up") continue; // Prometheus's own
      const family = pages.get(job)!.find((each) => name === each.name || each.name === name.replace(/_bucket$/, ""));
      const sample = family?.samples.find((each) => each.name === name);
      // It counts what has not happened; a unit test looks whether it exists at all.
      if (!sample) continue;
      withLabels++;
      const known = new Set([...Object.keys(sample.labels), "job", "instance"]);
      for (const label of [...labels, ...groupings(query), ...query.shown]) {
        assert(known.has(label), `${query.where}: ${name} has no label ${label}, but ${[...known]}`);
      }
    }
  }
  assertGreater(withLabels, 20);
});

async function systemdAnalyze(...args: string[]): Promise<{ readonly success: boolean; readonly text: string }> {
  const { success, stdout, stderr } = await new Deno.Command("systemd-analyze", { args, env: { NO_COLOR: "1" } })
    .output();
  const decoder = new TextDecoder();
  return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

const NO_SYSTEMD = await systemdAnalyze("--version").then(() => false, () => true);
if (NO_SYSTEMD) console.warn("tests of the systemd unit are skipped: systemd-analyze is not installed");

testBeside(
  "systemd-analyze finds nothing wrong with the unit, and an exposure of 2.0 at most",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-unit-" });
    try {
      // It looks for the program, which is installed nowhere here.
      const text = await manifestText("systemd/kubeloop.service");
      const path = `${folder}/kubeloop.service`;
      await Deno.writeTextFile(path, text.replace("/usr/local/bin/kubeloop", Deno.execPath()));
      assertEquals(await systemdAnalyze("verify", path), { success: true, text: "" });
      await Deno.writeTextFile(path, text.replace("Restart=always", "Restart=alwais"));
      assertFalse((await systemdAnalyze("verify", path)).text === "");
      const { text: report } = await systemdAnalyze(
        "security",
        "--offline=true",
        manifestPath("systemd/kubeloop.service"),
      );
      const exposure = /Overall exposure level for kubeloop\.service: ([\d.]+)/.exec(report);
      assert(exposure, report);
      assertLessOrEqual(Number(exposure![1]), 2.0);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
  NO_SYSTEMD,
);
