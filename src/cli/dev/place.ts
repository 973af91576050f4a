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
import { trustSystemRoots } from "../system_roots.ts";

/** Each node has addresses for its pods; those that pods get before are others. */
const NETWORK = [
  "--allocate-node-cidrs=true",
  "--cluster-cidr=10.224.0.0/12",
  "--service-cluster-ip-range=10.96.0.0/16",
];

/** Of somebody else's API server, no more is asked. Requests a second. */
const CLOUD_QPS = 50;

/** Where `dev` happens. */
export interface Place extends AsyncDisposable {
  readonly client: Client;
  /** Whether it ends with this process, so that an example may be deployed there. */
  readonly isOurs: boolean;
  /** Names of the controllers that act there. */
  readonly controllers: readonly string[];
  readonly url: string;
  /** How kubectl gets there. */
  readonly kubectl: string;
  /** Runs what belongs there in this process until `signal` aborts. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** What a place is made with. */
export interface PlaceOptions {
  readonly world: World;
  readonly flags: Flags;
  /** Called with what the API server warns of when `client` changes something. */
  readonly onWarning: (text: string) => void;
}

/**
 * A whole cluster in this process.
 *
 * @throws {Error} For flags, a port or a data directory that cannot be used.
 */
export async function localPlace({ world, flags, onWarning }: PlaceOptions): Promise<Place> {
  const controllers = [`--controllers=${flags.strings("controllers").join(",")}`, ...NETWORK, ...gateFlags(flags)];
  const cloud = flags.bool("cloud") ? new SimulatedCloud({ world }) : undefined;
  const { managerFlags: own } = splitFlags(controllers, cloud !== undefined);
  managerOptions(managerFlags(own)); // a name that is not known is refused before anything starts
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
 * A cluster of somebody else's, whose nodes are simulated here, and the volumes of classes that ask for simulated ones.
 *
 * @throws {Error} If there is no usable configuration, or the server is not reached.
 */
export async function remotePlace({ world, flags, onWarning }: PlaceOptions): Promise<Place> {
  const kubeconfig = flags.given.includes("kubeconfig") ? flags.string("kubeconfig") : undefined;
  const server = flags.string("server");
  const config = await loadClientConfig(world, { kubeconfig, server });
  trustSystemRoots(config);
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
    // Somebody runs controllers there, or nothing would ever be ready.
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
