// deno-lint-ignore-file no-console -- it is there to print
/** One real control plane for a test file, with a client, a scheduler's stand-in and kubelets' stand-in. */
import { MemoryLogger, MetricsRegistry, systemWorld } from "../../src/base/mod.ts";
import { type KubeObject, NAMESPACES, type Resource, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { Client, type ClientConfig, loadClientConfig, transportOf } from "../../src/client/mod.ts";
import { NodeSimulator, type NodeSimulatorOptions, Scheduler, SimulatedStorage } from "../../src/sandbox/mod.ts";
import { ControlPlane, type ControlPlaneOptions, whyNoControlPlane } from "../controlplane/control_plane.ts";
import { eventually } from "../controlplane/process.ts";
import { type Eventually, Kit } from "../scenarios/kit.ts";

/** Why cluster tests are skipped here; printed once. */
export const SKIPPED = await whyNoControlPlane();
if (SKIPPED) console.warn(`cluster tests are skipped: ${SKIPPED}`);

/** How upstream's side of a comparison comes about: a `sample` is played and the rest recorded, all of it is `live`, or is to `record`. */
export const PARITY = Deno.env.get("KUBELOOP_PARITY") ?? "sample";

/** So that the tests of a process use one control plane after each other. Benchmarks have no tests. */
let isKeeping = false;
function keepUsedControlPlanes(): void {
  if (isKeeping) return;
  isKeeping = true;
  ControlPlane.keepUsed();
  Deno.test.afterAll(() => ControlPlane.endKept());
}

/** A test in whose process a control plane may be kept for others: its output, which is read all the time, would count as left behind. */
export function testBeside(name: string, fn: () => Promise<void>, ignore = false): void {
  Deno.test({ name, ignore, fn, sanitizeResources: false, sanitizeOps: false });
}

/** A test against a real control plane; skipped with a clear line where there is none, and silently while others record. */
export function clusterTest(
  name: string,
  fn: () => Promise<void>,
  { ignore = false, records = false }: { readonly ignore?: boolean; readonly records?: boolean } = {},
): void {
  keepUsedControlPlanes();
  const isSkipped = ignore || SKIPPED !== undefined || (PARITY === "record" && !records);
  testBeside(name, fn, isSkipped);
}

/** A generous deadline: a condition is waited for, never a time. */
const patiently: Eventually = (what, condition) => eventually(what, condition, { withinMs: 90_000 });

export interface ClusterOptions extends ControlPlaneOptions {
  /** Nodes whose pods come up by themselves; 0 leaves pods pending. Default 3. */
  readonly nodes?: number;
  /** Whether pods are put on these nodes; kube-scheduler can do that too. Default true. */
  readonly scheduler?: boolean;
  /** Whether there is a CSI driver, which the nodes have; its name is that of `SIMULATED_STORAGE_DRIVER`. Default false. */
  readonly storage?: boolean;
  /** What the nodes are like. */
  readonly simulated?: Partial<NodeSimulatorOptions>;
}

export class Cluster implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly config: ClientConfig;
  readonly simulator: NodeSimulator;
  readonly #stop = new AbortController();
  readonly #running: readonly Promise<void>[];

  private constructor(
    plane: ControlPlane,
    { client, config }: { client: Client; config: ClientConfig },
    { nodes = 3, scheduler = true, storage = false, simulated }: ClusterOptions,
  ) {
    this.plane = plane;
    this.client = client;
    this.config = config;
    const world = systemWorld(new MemoryLogger());
    const driver = storage ? new SimulatedStorage({ world, client, events: true }) : undefined;
    const storageDrivers = driver ? [driver.driver] : [];
    // Managers are to take away the taint of new nodes.
    this.simulator = new NodeSimulator({
      world,
      client,
      nodeCount: nodes,
      untaint: false,
      storageDrivers,
      ...simulated,
    });
    const parts = nodes > 0 ? [this.simulator, ...scheduler ? [new Scheduler({ world, client })] : []] : [];
    this.#running = [...parts, ...driver ? [driver] : []].map((part) => part.run(this.#stop.signal));
  }

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const plane = await ControlPlane.start(options);
    try {
      return new Cluster(plane, await clientOf(plane.kubeconfig), options);
    } catch (error) {
      await plane[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** One more, whose objects cannot be told from this one's: whom pods trust is in each namespace. */
  beside(options: ClusterOptions = {}): Promise<Cluster> {
    return Cluster.start({ ...options, authority: this.plane.authority });
  }

  /** Makes a namespace and waits until pods can be created in it, unless no manager runs that makes its `account`. */
  async namespace(name: string, { account = true }: { readonly account?: boolean } = {}): Promise<Kit> {
    await this.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    if (!account) return this.kit(name);
    await eventually(
      `namespace ${name} has its default ServiceAccount`,
      () => this.client.get(SERVICEACCOUNTS, { namespace: name, name: "default" }),
    );
    return this.kit(name);
  }

  kit(namespace: string): Kit {
    const store = (resource: Resource, object: KubeObject) => this.plane.store(resource, object);
    return new Kit({ client: this.client, namespace, eventually: patiently, store });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.plane[Symbol.asyncDispose]();
  }
}

/** A client as the user of `kubeconfig`, without a rate limit. */
export async function clientOf(kubeconfig: string): Promise<{ client: Client; config: ClientConfig }> {
  const world = systemWorld(new MemoryLogger());
  const config = await loadClientConfig(world, { kubeconfig });
  const transport = transportOf(world, config);
  return {
    config,
    client: new Client({
      world,
      transport,
      server: config.server,
      userAgent: "cluster-tests",
      metrics: new MetricsRegistry(),
    }),
  };
}
