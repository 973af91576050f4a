/** A cluster beside a cloud that does as a test tells it, whichever manager asks. */
import { NODES } from "../../src/api/mod.ts";
import { CloudServer } from "../controlplane/cloud_server.ts";
import type { ManagerKind } from "../controlplane/manager.ts";
import { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import { Cluster } from "./cluster.ts";

/** What is looked at now and then is looked at each second, many at once. */
export const CLOUD_FLAGS: readonly string[] = [
  "--node-status-update-frequency=1s",
  "--concurrent-node-syncs=8",
  "--concurrent-node-status-updates=8",
  "--concurrent-service-syncs=8",
  "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
];

const BOTH_FAMILIES = ["--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112"];
const PROVIDERS: Readonly<Record<ManagerKind, string>> = { upstream: "judge", kubeloop: "webhook" };
/** The one of upstream's framework looks at nothing but the address. */
const WEBHOOK = { apiVersion: "kubeloop.dev/v1alpha1", kind: "WebhookProviderConfiguration" };

export class CloudCluster implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly cloud: ScriptedCloud = new ScriptedCloud();
  readonly #server: CloudServer;

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.#server = new CloudServer(this.cloud.provider);
  }

  static async start(): Promise<CloudCluster> {
    const made = new CloudCluster(await Cluster.start({ nodes: 0, apiserverFlags: BOTH_FAMILIES }));
    try {
      await Deno.writeTextFile(made.#config, JSON.stringify({ ...WEBHOOK, url: made.#server.url }));
      return made;
    } catch (error) {
      await made[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Flags by which a manager finds the cloud. */
  flagsOf(kind: ManagerKind): readonly string[] {
    return [`--cloud-provider=${PROVIDERS[kind]}`, `--cloud-config=${this.#config}`];
  }

  get #config(): string {
    return `${this.cluster.plane.folder}/cloud.json`;
  }

  /** Makes a node for balancers to lead to. */
  async addNode(name: string): Promise<void> {
    const providerID = `judge://${name}`;
    this.cloud.machines.set(name, { metadata: { providerID } });
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { providerID }, status };
    await this.cluster.client.create(NODES, node);
  }

  async removeNode(name: string): Promise<void> {
    await this.cluster.client.delete(NODES, { name });
    this.cloud.machines.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}
