/** A StatefulSet with volumes, lived through with kubectl: in `kubeloop dev`, and on kube-apiserver under our manager. */
import { assertEquals } from "@std/assert";
import { assetsFolder } from "../controlplane/binaries.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { runProgram } from "../controlplane/run_program.ts";
import { KubeloopProcess } from "../sandbox/kubeloop_process.ts";
import { Kit } from "../scenarios/kit.ts";
import { type Hands, liveWithStorage } from "../scenarios/stateful_storage.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../src/rules/mod.ts";
import { clientOf, Cluster, clusterTest } from "./cluster.ts";

type Kubectl = (args: readonly string[], options?: { readonly input?: string }) => Promise<string>;

/** The story's steps as people take them. */
function typing(kubectl: Kubectl, namespace: string): Hands {
  const type = (args: readonly string[], input?: string) => kubectl(["--namespace", namespace, ...args], { input });
  return {
    apply: (manifest) => type(["apply", "-f", "-"], manifest),
    scale: (replicas) => type(["scale", "statefulset/db", `--replicas=${replicas}`]),
    resize: (claim, storage) =>
      type(["patch", "pvc", claim, "--patch", JSON.stringify({ spec: { resources: { requests: { storage } } } })]),
    delete: () => type(["delete", "statefulset", "db", "--wait=false"]),
  };
}

clusterTest("kubectl lives through a StatefulSet's volumes in dev", async () => {
  const folder = await Deno.makeTempDir();
  const kubeconfig = `${folder}/kubeconfig`;
  const bin = await assetsFolder();
  await using dev = new KubeloopProcess("dev", "--port=0", "--nodes=2", `--kubeconfig=${kubeconfig}`);
  await dev.line(/^ready/);
  const kubectl: Kubectl = async (args, { input } = {}) => {
    const { code, stdout, stderr } = await runProgram(`${bin}/kubectl`, {
      args: ["--kubeconfig", kubeconfig, ...args],
      env: { HOME: folder, KUBECONFIG: kubeconfig },
      input,
    });
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr.trim()}`);
    return stdout;
  };
  const { client } = await clientOf(kubeconfig);
  const patiently: typeof eventually = (what, condition) => eventually(what, condition, { withinMs: 90_000 });
  await liveWithStorage(new Kit({ client, namespace: "default", eventually: patiently }), typing(kubectl, "default"));
  await dev.stop();
  await Deno.remove(folder, { recursive: true });
});

/** What `dev` has from the start. */
const STANDARD_CLASS = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: SIMULATED_STORAGE_DRIVER,
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true,
};

clusterTest(
  "kubectl lives through a StatefulSet's volumes on kube-apiserver, whose nodes and storage are dev's",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const manager = await startManager(cluster.plane, "kubeloop");
    await using dev = new KubeloopProcess(
      "dev",
      `--server=${cluster.config.server}`,
      `--kubeconfig=${cluster.plane.kubeconfig}`,
      "--nodes=2",
      "--scheduler",
    );
    await dev.line(/^ready/);
    await cluster.plane.apply(STANDARD_CLASS);
    const kit = await cluster.namespace("shop");
    await liveWithStorage(kit, typing((args, options) => cluster.plane.kubectl(args, options), "shop"));
    assertEquals((await dev.stop()).code, 0);
    await manager.process.stop();
  },
);
