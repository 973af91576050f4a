// deno-lint-ignore-file no-console -- a test that is skipped says why
/** The image of `manifests/Containerfile`, on a real API server: as either static pod, and with as little as it needs. */
import { assertEquals, assertFalse, assertNotEquals } from "@std/assert";
import { DEPLOYMENTS } from "../../src/api/mod.ts";
import type { ControlPlane } from "../controlplane/control_plane.ts";
import { leaseHolder } from "../controlplane/manager.ts";
import { Authority } from "../controlplane/pki.ts";
import { eventually, freePort, type Process } from "../controlplane/process.ts";
import { deployment } from "../scenarios/kit.ts";
import { documents, manifestPath } from "../unit/manifests/reading.ts";
import { Cluster, SKIPPED } from "../cluster/cluster.ts";
import { addBalanced, untilGiven } from "../cluster/ippool_kit.ts";
import { Containers } from "./containers.ts";
import { EXECUTABLE } from "./executable.ts";

interface StaticPod {
  readonly spec: {
    readonly containers: readonly [{
      readonly command: readonly string[];
      readonly volumeMounts: readonly { name: string; mountPath: string; readOnly: boolean }[];
    }];
    readonly volumes: readonly { name: string; hostPath: { path: string; type: string } }[];
  };
}

const found = await Containers.find();
if (typeof found === "string") console.warn(`tests of the image are skipped: ${found}`);

function imageTest(name: string, fn: (containers: Containers) => Promise<void>): void {
  Deno.test({
    name,
    ignore: typeof found === "string" || SKIPPED !== undefined,
    fn: () => fn(found as Containers),
    sanitizeResources: false,
    sanitizeOps: false,
  });
}

/** Waits until `process` leads and rolls a Deployment out, then ends it. */
async function rollsOutAndEnds(cluster: Cluster, process: Process, port: number): Promise<void> {
  const { plane } = cluster;
  await eventually("it leads", async () => {
    if (process.exit) throw new Error(`it ended with ${process.exit.code}: ${process.output.slice(-3000)}`);
    return await leaseHolder(plane) !== "";
  });
  const kit = await cluster.namespace("shop").catch((error) => {
    throw new Error(`${error}: ${process.output.slice(-3000)}`);
  });
  await kit.create(DEPLOYMENTS, deployment("web", { replicas: 5 }));
  await kit.rolledOut("web");
  const probe = ["--silent", "--insecure", "--fail", `https://127.0.0.1:${port}/healthz`];
  await eventually("the kubelet's probe succeeds", async () => {
    const { stdout } = await new Deno.Command("curl", { args: probe }).output();
    return new TextDecoder().decode(stdout) === "ok";
  });
  assertEquals(await process.stop({ graceMs: 30_000 }), { code: 0, signal: null });
  assertEquals(await leaseHolder(plane), "", "the lease was not released");
  const errors = process.output.split("\n").filter((line) => /^E\d{4} |uncaught|panicked|NotCapable/i.test(line));
  assertEquals(errors, []);
}

/** A node's files as kubeadm leaves them, below `root`: only root reads keys, and there are no other certificates. */
async function writeNodeFiles(plane: ControlPlane, root: string): Promise<void> {
  const pki = `${root}/etc/kubernetes/pki`;
  await Deno.mkdir(pki, { recursive: true });
  const kubeconfig = await plane.writeKubeconfig("node", {
    user: await plane.authority.client("system:kube-controller-manager"),
  });
  const front = await Authority.create("front-proxy-ca");
  const files: [path: string, text: string, mode: number][] = [
    [`${root}/etc/kubernetes/controller-manager.conf`, await Deno.readTextFile(kubeconfig), 0o600],
    [`${pki}/ca.crt`, await Deno.readTextFile(plane.rootCaFile), 0o644],
    [`${pki}/ca.key`, await Deno.readTextFile(plane.rootCaKeyFile), 0o600],
    [`${pki}/front-proxy-ca.crt`, front.cert, 0o644],
    [`${pki}/sa.key`, await Deno.readTextFile(plane.serviceAccountKeyFile), 0o600],
  ];
  for (const [path, text, mode] of files) await Deno.writeTextFile(path, text, { mode });
}

imageTest(
  "the image holds the command that kubeadm's pod names, users, and neither shell nor package manager",
  async (containers) => {
    for (const [target, user] of [["root", ""], [undefined, "65532:65532"]] as const) {
      await using image = await containers.build(EXECUTABLE, target);
      const inspected = await containers.podman("image", "inspect", "--format={{json .Config}}", image.name);
      const { User = "", Entrypoint, Env } = JSON.parse(inspected.out);
      assertEquals([User, Entrypoint], [user, ["/usr/local/bin/kube-controller-manager"]]);
      assertFalse(Env.some((each: string) => each.startsWith("SSL_CERT_FILE=")), Env.join());
      const runs = (...args: string[]) => containers.podman("run", "--rm", "--network=none", ...args);
      // As a pod's `command` does, found by PATH.
      const named = await runs(`--entrypoint=["kube-controller-manager"]`, image.name, "--version");
      assertEquals([named.code, named.out.slice(0, 13)], [0, "Kubernetes v1"], named.err);
      for (const program of ["sh", "bash", "/bin/sh", "busybox", "apt-get", "dpkg"]) {
        assertNotEquals((await runs(`--entrypoint=["${program}"]`, image.name)).code, 0, `the image has ${program}`);
      }
    }
  },
);

/** What `podman run` needs to run a static pod of a manifest as a kubelet would, on a node whose files are below `node`. */
async function podArguments(
  manifest: string,
  node: string,
  image: string,
  flags: readonly string[],
): Promise<string[]> {
  const [{ spec: { containers: [{ command, volumeMounts }], volumes } }] = await documents<StaticPod>(manifest);
  const mounts: string[] = [];
  for (const { name, mountPath, readOnly } of volumeMounts) {
    const { hostPath: { path, type } } = volumes.find((volume) => volume.name === name)!;
    // The folder of certificates, too, is empty where a node has none.
    if (type === "DirectoryOrCreate") await Deno.mkdir(node + path, { recursive: true });
    mounts.push(`--volume=${node}${path}:${mountPath}${readOnly ? ":ro" : ""}`);
  }
  const [program, ...args] = command;
  return [...mounts, `--entrypoint=["${program}"]`, image, ...args, ...flags];
}

imageTest("the image takes the place of upstream's in kubeadm's static pod", async (containers) => {
  await using cluster = await Cluster.start();
  const node = `${cluster.plane.folder}/node`;
  await writeNodeFiles(cluster.plane, node);
  await using image = await containers.build(EXECUTABLE, "root");
  const port = freePort();
  // That of kubeadm may be taken on this machine.
  const flags = [`--secure-port=${port}`];
  const args = await podArguments("kubeadm/kube-controller-manager.yaml", node, image.name, flags);
  await using container = containers.start(...args);
  await rollsOutAndEnds(cluster, container.process, port);
});

imageTest(
  "the image is cloud-controller-manager in its static pod, with the rights of rbac-cloud.yaml",
  async (containers) => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { plane } = cluster;
    const component = "cloud-controller-manager";
    const node = `${plane.folder}/node`;
    await writeNodeFiles(plane, node);
    await plane.kubectl(["apply", "-f", manifestPath("rbac-cloud.yaml")]);
    const kubeconfig = await plane.writeKubeconfig(component, { user: await plane.authority.client(component) });
    await Deno.copyFile(kubeconfig, `${node}/etc/kubernetes/${component}.conf`);
    await Deno.mkdir(`${node}/etc/kubernetes/cloud`);
    const config = `${node}/etc/kubernetes/cloud/config.yaml`;
    await Deno.copyFile(manifestPath("cloud/ippool.yaml"), config);
    await using image = await containers.build(EXECUTABLE, "root");
    const flags = [`--secure-port=${freePort()}`];
    const args = await podArguments("kubeadm/cloud-controller-manager.yaml", node, image.name, flags);
    await using container = containers.start(...args);
    const kit = await cluster.namespace("shop", { account: false });
    await addBalanced(kit, "web");
    try {
      assertEquals(await untilGiven(kit, "web"), ["192.0.2.16"]);
    } catch (error) {
      throw new Error(`${error}: ${container.process.output.slice(-3000)}`);
    }
    assertEquals(await container.process.stop({ graceMs: 30_000 }), { code: 0, signal: null });
    assertEquals(await leaseHolder(plane, component), "", "the lease was not released");
    const errors = container.process.output.split("\n").filter((line) =>
      /^E\d{4} |uncaught|panicked|NotCapable/i.test(line)
    );
    assertEquals(errors, []);
  },
);

imageTest(
  "the image works in threads as a user without rights, with no file to write, and trusts the node's certificates",
  async (containers) => {
    await using cluster = await Cluster.start();
    const { plane } = cluster;
    // No authority in the kubeconfig: the API server's is among those of the mounted folder.
    const kubeconfig = JSON.parse(await Deno.readTextFile(plane.kubeconfig));
    delete kubeconfig.clusters[0].cluster["certificate-authority-data"];
    const files = `${plane.folder}/files`;
    await Deno.mkdir(`${files}/certs`, { recursive: true });
    await Deno.writeTextFile(`${files}/certs/ca-certificates.crt`, plane.authority.cert);
    await Deno.writeTextFile(`${files}/kubeconfig`, JSON.stringify(kubeconfig), { mode: 0o644 });
    await using image = await containers.build(EXECUTABLE);
    const port = freePort();
    await using container = containers.start(
      "--read-only",
      "--read-only-tmpfs=false",
      "--cap-drop=all",
      "--security-opt=no-new-privileges",
      `--volume=${files}/certs:/etc/ssl/certs:ro`,
      `--volume=${files}/kubeconfig:/kubeconfig:ro`,
      image.name,
      "--kubeconfig=/kubeconfig",
      "--authentication-kubeconfig=/kubeconfig",
      "--authorization-kubeconfig=/kubeconfig",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--controller-groups=auto",
    );
    await rollsOutAndEnds(cluster, container.process, port);
  },
);
