import type { World } from "../../base/mod.ts";
import { InformerFactory } from "../../cache/mod.ts";
import { Client, loadClientConfig, TransportClientBuilder, transportOf } from "../../client/mod.ts";
import { SimulatedCloud } from "../../cloud/mod.ts";
import { CONTROLLERS } from "../../controllers/mod.ts";
import {
  CloudControllers,
  clusterCidrs,
  followMachines,
  LocalCluster,
  nodeMachines,
  splitFlags,
} from "../../embedded/mod.ts";
import { type Flags, managerFlags, managerOptions } from "../../manager/mod.ts";
import { NodeSimulator, Scheduler, SimulatedStorage } from "../../sandbox/mod.ts";
import { startLocalServer } from "../local_server.ts";
import { gateFlags } from "../server_flags.ts";
import { trustAuthorityOf } from "../trusted_authorities.ts";

/** Each node has its own range for pods; pods that start earlier get other addresses. */
const NETWORK = [
  "--allocate-node-cidrs=true",
  "--cluster-cidr=10.224.0.0/12",
  "--service-cluster-ip-range=10.96.0.0/16",
];

/** The rate limit for somebody else's API server, in requests per second. */
const CLOUD_QPS = 50;

/** The cluster that `dev` works with. */
export interface Place extends AsyncDisposable {
  readonly client: Client;
  /** Whether it ends with this process, so that an example may be deployed. */
  readonly isOurs: boolean;
  /** Names of the controllers that run there. */
  readonly controllers: readonly string[];
  readonly url: string;
  /** The kubectl command line to use it. */
  readonly kubectl: string;
  /** Runs this process's parts of it until `signal` aborts. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** Options of a place. */
export interface PlaceOptions {
  readonly world: World;
  readonly flags: Flags;
  /** Called with the API server's warnings about changes by `client`. */
  readonly onWarning: (text: string) => void;
}

/**
 * A whole cluster in this process.
 *
 * @throws {Error} For invalid flags or an unusable port or data directory.
 */
export async function localPlace({ world, flags, onWarning }: PlaceOptions): Promise<Place> {
  const controllers = [`--controllers=${flags.strings("controllers").join(",")}`, ...NETWORK, ...gateFlags(flags)];
  const cloud = flags.bool("cloud") ? new SimulatedCloud({ world }) : undefined;
  const { managerFlags: own } = splitFlags(controllers, cloud !== undefined);
  managerOptions(managerFlags(own)); // refuses unknown names before anything starts
  const server = await startLocalServer(world, flags, own);
  try {
    const cluster = new LocalCluster({
      world,
      apiServer: server.apiServer,
      flags: controllers,
      cloud,
      nodes: { nodeCount: flags.number("nodes"), events: true },
      files: server.controllerFiles,
      clientAuthority: server.certificateAuthority,
    });
    return {
      client: cluster.client("kubeloop-dev", { onWarning }),
      isOurs: true,
      controllers: cluster.controllerNames,
      url: server.url,
      kubectl: `kubectl --kubeconfig ${server.kubeconfig}`,
      run: (signal) => cluster.run(signal),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * An existing cluster. Its nodes are simulated here, and the volumes of classes that request simulated ones.
 *
 * @throws {Error} If there is no usable configuration, or the server cannot be reached.
 */
export async function remotePlace({ world, flags, onWarning }: PlaceOptions): Promise<Place> {
  const kubeconfig = flags.given.includes("kubeconfig") ? flags.string("kubeconfig") : undefined;
  const server = flags.string("server");
  const config = await loadClientConfig(world, { kubeconfig, server });
  trustAuthorityOf(config);
  const transport = transportOf(world, config);
  const client = new Client({ world, transport, server: config.server, userAgent: "kubeloop-dev", onWarning });
  await client.request("GET", "/version");
  const storage = new SimulatedStorage({ world, client, events: true });
  const informers = new InformerFactory({ world, client, name: "kubeloop-dev" });
  const cloud = flags.bool("cloud") ? new SimulatedCloud({ world }) : undefined;
  const nodes = new NodeSimulator({
    world,
    client,
    nodeCount: flags.number("nodes"),
    events: true,
    storageDrivers: [storage.driver],
    informers,
    machines: cloud && nodeMachines(cloud),
  });
  const asking = cloud && new CloudControllers({ provider: cloud.provider.name, clusterCidrs: clusterCidrs("") });
  const runCloud = async (signal: AbortSignal) => {
    if (!cloud || !asking) return;
    const clients = new TransportClientBuilder({
      world,
      transport,
      server: config.server,
      program: "cloud-controller-manager",
      qps: CLOUD_QPS,
      burst: 2 * CLOUD_QPS,
    });
    const run = asking.build({ world, clients, cloud: cloud.provider, mayWrite: () => !signal.aborted });
    await Promise.all([run.run(signal), followMachines({ world, cloud, nodes, informers }, signal)]);
  };
  const scheduler = flags.bool("scheduler") ? new Scheduler({ world, client, events: true }) : undefined;
  return {
    client,
    isOurs: false,
    // The cluster runs its own controllers; otherwise nothing would ever be ready.
    controllers: [
      ...CONTROLLERS.filter(({ needs }) => !needs?.cloud).map(({ name }) => name),
      ...asking?.names ?? [],
    ],
    url: config.server,
    kubectl: `kubectl${kubeconfig ? ` --kubeconfig ${kubeconfig}` : ""} --server ${config.server}`,
    run: async (signal) => {
      const running = [nodes.run(signal), storage.run(signal), scheduler?.run(signal), runCloud(signal)];
      await Promise.all(running);
      await informers.shutdown();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(transport.close()),
  };
}
