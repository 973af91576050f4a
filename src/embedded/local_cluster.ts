import { MetricsRegistry, type World } from "../base/mod.ts";
import { InformerFactory } from "../cache/mod.ts";
import { Client, type ClientOptions, type Transport, TransportClientBuilder } from "../client/mod.ts";
import type { SimulatedCloud } from "../cloud/mod.ts";
import { type ControllerDescriptor, CONTROLLERS, type Journal, needsOf } from "../controllers/mod.ts";
import {
  answerFromJournal,
  type AskJournals,
  ControllerManager,
  managerFlags,
  managerOptions,
  OpenSupplies,
  runSettings,
  SyncJournal,
  whyAnswer,
} from "../manager/mod.ts";
import {
  type ApiServer,
  type ClientCertificate,
  METRICS_SERVICE,
  MetricsApi,
  metricsApiServices,
  NodeSimulator,
  type NodeSimulatorOptions,
  Scheduler,
  type SimulatedStorage,
} from "../sandbox/mod.ts";
import { bothManagers, CloudControllers, clusterCidrs, splitFlags } from "./cloud_controllers.ts";
import { followMachines, nodeMachines } from "./cloud_machines.ts";
import { type Connection, type CrashOptions, MortalManager } from "./mortal_manager.ts";
import { NodeJoins } from "./node_joins.ts";
import { standIns } from "./stand_ins.ts";
import { storageParts } from "./storage_parts.ts";

/** Options of simulated nodes; all have defaults. With `events`, scheduler and storage also write Events. */
export type NodeOptions = Omit<NodeSimulatorOptions, "world" | "client" | "informers">;

/** Options of {@link LocalCluster}. */
export interface LocalClusterOptions {
  readonly world: World;
  /** The cluster does not close it, so that its creator can inspect it afterwards. */
  readonly apiServer: ApiServer;
  /** Controllers in addition to those that `flags` select. */
  readonly controllers?: readonly ControllerDescriptor[];
  /** Flags of kube-controller-manager, such as `--controllers=*,-namespace-controller`. */
  readonly flags?: readonly string[];
  readonly nodes?: NodeOptions;
  /**
   * The contents of files that controllers' flags name, by flag; the flags themselves need not be given. For example,
   * without its key no controller puts tokens into Secrets.
   */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * The API server's client authority in PEM. Nodes then join with bootstrap tokens, if the controllers that approve
   * and sign their requests run; otherwise nodes are trusted without certificates.
   */
  readonly clientAuthority?: string;
  /**
   * The cloud of the nodes' machines. Kubelets then run with `--cloud-provider=external`, and the controllers that call
   * a cloud also run; `--controllers` may name them.
   */
  readonly cloud?: SimulatedCloud;
  /** Wraps the transport to the API server, for example to inject faults or to record. */
  readonly transport?: (direct: Transport) => Transport;
  /** Records every sync in addition to the cluster's own journal. */
  readonly journal?: Journal;
}

/** The API server is in this process: nothing listens at this address and no request leaves the process. */
const SERVER = "http://127.0.0.1";

/** Clients within the API server's process are trusted without credentials. */
const TRUSTED: ClientCertificate = {
  isVerified: true,
  commonName: "kubeloop",
  organizations: ["system:masters"],
  fingerprint: "",
};

/**
 * API server, nodes, storage, scheduler and controllers in one process.
 *
 * Contract:
 * 1. Controllers, nodes and clients reach the API server without a socket.
 * 2. When `run` resolves, no timer and no request of the cluster is left.
 * 3. The API server answers `/debug/why` as a manager does.
 * 4. The API server serves what pods and nodes use, and the metrics that were set.
 * 5. Controllers that crash leave everything else running.
 *
 * @throws {FlagError | UnknownControllerError} For flags that kube-controller-manager refuses.
 */
export class LocalCluster {
  readonly nodes: NodeSimulator;
  /** The metrics that autoscalers and `kubectl top` read. */
  readonly metrics: MetricsApi;
  /** Names of the running controllers. */
  readonly controllerNames: readonly string[];
  readonly #world: World;
  readonly #transport: Transport;
  readonly #manager: MortalManager;
  readonly #scheduler: Scheduler;
  readonly #storage: SimulatedStorage;
  readonly #cloud: SimulatedCloud | undefined;
  readonly #informers: InformerFactory;
  readonly #journal: SyncJournal;
  readonly #supplies: OpenSupplies;

  constructor(
    {
      world,
      apiServer,
      controllers = [],
      flags = [],
      nodes = {},
      files = {},
      clientAuthority,
      cloud,
      transport,
      journal,
    }: LocalClusterOptions,
  ) {
    const direct: Transport = (request) => apiServer.fetch(request, TRUSTED);
    this.#world = world;
    this.#transport = transport ? transport(direct) : direct;
    const fileFlags = Object.keys(files).map((flag) => `--${flag}=in memory`);
    const { managerFlags: kept, controllers: entries } = splitFlags(flags, cloud !== undefined);
    const parsed = managerFlags([...kept, ...fileFlags]);
    const options = managerOptions(parsed);
    const { gates } = options.controllerOptions;
    const selected = CONTROLLERS.filter((row) =>
      !row.needs?.cloud && options.controllers.has(row.name) && row.gates.every((gate) => gates.has(gate))
    );
    const cloudControllers = cloud && new CloudControllers({
      provider: cloud.provider.name,
      controllers: entries,
      clusterCidrs: clusterCidrs(parsed.string("cluster-cidr")),
    });
    const running = [...selected, ...controllers];
    const supplies = this.#supplies = new OpenSupplies(
      world,
      needsOf(running),
      (flag) => Object.hasOwn(files, flag) ? { text: files[flag] } : { path: parsed.string(flag) },
    );
    const ownNames = new Set(controllers.map(({ name }) => name));
    this.controllerNames = [...running.map(({ name }) => name), ...cloudControllers?.names ?? []];
    const own = this.#journal = new SyncJournal({ metrics: new MetricsRegistry() });
    // No one else uses this API server, so no rate limit is needed.
    const clients = (connection: Connection, program: string) =>
      new TransportClientBuilder({
        world,
        transport: connection.transport,
        server: SERVER,
        program,
        qps: -1,
        burst: 0,
        agentOf: (client) => ownNames.has(client) ? { program: client, version: "unknown" } : {},
      });
    this.#manager = new MortalManager({
      transport: this.#transport,
      cloud: cloud?.provider,
      journal: {
        record: (entry) => {
          own.record(entry);
          journal?.record(entry);
        },
      },
      build: (connection) => {
        const manager = new ControllerManager({
          world,
          journal: connection.journal,
          metrics: new MetricsRegistry(),
          clients: clients(connection, parsed.component.name),
          controllers: running,
          supplies,
          ...runSettings(options),
        });
        if (!cloudControllers || !connection.cloud) return manager;
        return bothManagers(
          manager,
          cloudControllers.build({
            world,
            journal: connection.journal,
            clients: clients(connection, "cloud-controller-manager"),
            cloud: connection.cloud,
            mayWrite: connection.isAlive,
          }),
        );
      },
    });
    apiServer.addPage("/debug/why", this.why);
    // Nodes and scheduler read the same resources.
    this.#informers = new InformerFactory({ world, client: this.client("informers"), name: "sandbox" });
    this.metrics = new MetricsApi({ world, client: this.client("metrics-server"), informers: this.#informers });
    apiServer.addService({ ...METRICS_SERVICE, fetch: this.metrics.fetch, apiServices: metricsApiServices() });
    const runs = new Set(this.controllerNames);
    const { nodes: stead, trustsNodes } = standIns(runs);
    const joins = clientAuthority !== undefined && !trustsNodes
      ? new NodeJoins({ world, apiServer, server: SERVER, authority: clientAuthority, admin: this.client("kubeadm") })
      : undefined;
    const storage = storageParts({
      world,
      client: this.client("simulated-storage"),
      informers: this.#informers,
      events: nodes.events,
    }, runs);
    this.#storage = storage.storage;
    this.nodes = new NodeSimulator({
      ...storage.nodes,
      ...stead,
      ...nodes,
      world,
      client: this.client("kubelet"),
      join: joins?.join,
      informers: this.#informers,
      machines: cloud && nodeMachines(cloud),
    });
    this.#cloud = cloud;
    this.#scheduler = new Scheduler({
      world,
      client: this.client("kube-scheduler"),
      informers: this.#informers,
      events: nodes.events,
    });
  }

  /** Answers `/debug/why`. */
  readonly why = (request: Request): Promise<Response> => {
    const ask: AskJournals = (query) => Promise.resolve([answerFromJournal(this.#journal, query)]);
    return whyAnswer(request, { clock: this.#world.clock, ask });
  };

  /** The number of controllers' writes that reached the API server. */
  get managerWrites(): number {
    return this.#manager.writes;
  }

  /** Ends the controllers as SIGKILL would end their process, now or at a later write; resolves when they are dead. */
  crashManager(options?: CrashOptions): Promise<void> {
    return this.#manager.crash(options);
  }

  /** Restarts crashed controllers, as a new process would. */
  startManager(): void {
    this.#manager.start();
  }

  /** A client of the API server, without a rate limit. */
  client(userAgent: string, options: Pick<ClientOptions, "onWarning"> = {}): Client {
    return new Client({ ...options, world: this.#world, transport: this.#transport, server: SERVER, userAgent });
  }

  /**
   * Runs until `signal` aborts.
   *
   * @throws {Error} If a controller cannot be built, or ends with an error.
   */
  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const until = (running: Promise<unknown>) => running.finally(() => failed.abort());
    await this.#supplies.read();
    const parts = [this.#manager, this.nodes, this.#scheduler, this.#storage];
    const following = this.#supplies.follow(either);
    const machines = this.#cloud && this.#followMachines(this.#cloud, either);
    const ends = await Promise.allSettled(parts.map((part) => until(part.run(either))));
    await Promise.all([this.#informers.shutdown(), following, machines]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }
  #followMachines(cloud: SimulatedCloud, signal: AbortSignal): Promise<void> {
    return followMachines({ world: this.#world, cloud, nodes: this.nodes, informers: this.#informers }, signal);
  }
}
