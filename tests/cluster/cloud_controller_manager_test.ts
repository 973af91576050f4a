/** The program itself on a real API server, with a provider of a library user's: lease, endpoint, accounts, threads. */
import { assert, assertEquals } from "@std/assert";
import type { Lease, Node, Service } from "../../src/api/mod.ts";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { eventually, freePort, Process } from "../controlplane/process.ts";
import { rawRequest } from "../controlplane/raw_request.ts";
import { servingFlags } from "../controlplane/serving.ts";
import { manifestPath } from "../unit/manifests/reading.ts";
import { clusterTest } from "./cluster.ts";

const PROGRAM = new URL("./own_cloud_manager.ts", import.meta.url).pathname;
const PATIENT = { withinMs: 120_000 };

/** With no more rights than `rbac-cloud.yaml` gives. */
async function start(plane: ControlPlane, port: number, ...args: string[]): Promise<Process> {
  await plane.kubectl(["apply", "-f", manifestPath("rbac-cloud.yaml")]);
  const user = await plane.authority.client("cloud-controller-manager");
  const kubeconfig = await plane.writeKubeconfig("cloud-controller-manager", { user });
  return plane.adopt(
    new Process("cloud-controller-manager", Deno.execPath(), {
      args: [
        "run",
        "-A",
        PROGRAM,
        "--cloud-provider=own",
        `--kubeconfig=${kubeconfig}`,
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        `--secure-port=${port}`,
        "--bind-address=127.0.0.1",
        ...await servingFlags(plane),
        ...args,
      ],
    }),
  );
}

async function holderOf(plane: ControlPlane, lease: string): Promise<string> {
  const found = await plane.get<Lease>("lease", lease, "-n", "kube-system").catch(() => undefined);
  return found?.spec?.holderIdentity ?? "";
}

for (const [groups, isByAccounts] of [["none", false], ["auto", true]] as const) {
  clusterTest(
    `cloud-controller-manager with --controller-groups=${groups} and the rights of rbac-cloud.yaml serves a cluster by somebody's own provider`,
    async () => {
      await using plane = await ControlPlane.start();
      const config = `${plane.folder}/cloud.yaml`;
      await Deno.writeTextFile(config, "region: here\n");
      const port = freePort();
      const manager = await start(
        plane,
        port,
        `--controller-groups=${groups}`,
        `--cloud-config=${config}`,
        `--use-service-account-credentials=${isByAccounts}`,
        "--enable-leader-migration",
      );
      const node = (name: string) => ({
        apiVersion: "v1",
        kind: "Node",
        metadata: { name },
        spec: {
          taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }],
        },
      });
      await plane.apply([
        node("a"),
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "web", namespace: "default" },
          spec: { type: "LoadBalancer", ports: [{ port: 80 }], selector: { app: "web" } },
        },
      ]);
      const alive = () => {
        if (manager.exit) throw new Error(`it ended: ${manager.output.slice(-4000)}`);
      };
      try {
        await eventually("the Service has its address", async () => {
          alive();
          const { status } = await plane.get<Service>("service", "web", "-n", "default");
          return status?.loadBalancer?.ingress?.[0]?.ip === "192.0.2.1";
        }, PATIENT);
        await eventually("the Node is initialised", async () => {
          alive();
          const { spec, metadata, status } = await plane.get<Node>("node", "a");
          return spec?.providerID === "own://a" && !spec.taints?.some(({ key }) => key?.includes("cloudprovider")) &&
            metadata?.labels?.["topology.kubernetes.io/zone"] === "here-1" &&
            status?.addresses?.some(({ address }) => address === "10.1.0.1");
        }, PATIENT);
        // Its machine is gone: deleted by the controller that runs under the migration's lease.
        await plane.apply(node("gone-b"));
        await eventually("the Node without a machine is deleted", async () => {
          alive();
          const { items } = await plane.get<{ items: Node[] }>("nodes");
          return !items.some(({ metadata }) => metadata?.name === "gone-b");
        }, PATIENT);
        const holder = await holderOf(plane, "cloud-controller-manager");
        assert(holder !== "");
        assertEquals(await holderOf(plane, "cloud-provider-extraction-migration"), holder);
      } catch (error) {
        throw new Error(`${error}\n${manager.output.slice(-6000)}`);
      }
      assert(!/forbidden/i.test(manager.output), manager.output.slice(-6000));
      const server = { port, ca: plane.authority.cert };
      const healthz = await rawRequest(server, { line: "GET /healthz?verbose" });
      assertEquals(healthz.status, 200);
      for (const check of ["leaderElection", "service-lb-controller", "cloud-node-controller"]) {
        assert(healthz.body.includes(`[+]${check} ok`), healthz.body);
      }
      await plane.kubectl(["create", "serviceaccount", "operator", "-n", "default"]);
      await plane.kubectl([
        "create",
        "clusterrolebinding",
        "operator",
        "--clusterrole=cluster-admin",
        "--serviceaccount=default:operator",
      ]);
      const token = (await plane.kubectl(["create", "token", "operator", "-n", "default"])).trim();
      const configz = await rawRequest(server, { line: "GET /configz", token });
      const { "cloudcontrollermanager.config.k8s.io": document } = JSON.parse(configz.body);
      assertEquals(document.kind, "CloudControllerManagerConfiguration");
      assertEquals(document.KubeCloudShared.CloudProvider, { Name: "own", CloudConfigFile: config });
      const metrics = await rawRequest(server, { line: "GET /metrics", token });
      assertEquals(metrics.status, 200);
      for (const lease of ["cloud-controller-manager", "cloud-provider-extraction-migration"]) {
        assert(metrics.body.includes(`leader_election_master_status{name="${lease}"} 1`), lease);
      }
      assert(manager.output.includes('"The cloud may begin"') && manager.output.includes('config="region: here"'));
      const { code } = await manager.stop();
      assertEquals(code, 0, manager.output.slice(-3000));
      assertEquals(await holderOf(plane, "cloud-controller-manager"), "");
    },
  );
}
