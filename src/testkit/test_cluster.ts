import { Deferred, errorText, FakeWorld } from "../base/mod.ts";
import { NAMESPACES, SERVICEACCOUNTS } from "../api/mod.ts";
import { applyManifests, type Client, type Manifests } from "../client/mod.ts";
import { SimulatedCloud } from "../cloud/mod.ts";
import type { ControllerDescriptor } from "../controllers/mod.ts";
import { type CrashOptions, LocalCluster, type NodeOptions, serverSettings, splitFlags } from "../embedded/mod.ts";
import { managerFlags } from "../manager/mod.ts";
import {
  type ApiServer,
  createApiServer,
  type Fault,
  type FaultHandle,
  type MetricsApi,
  type NodeSimulator,
} from "../sandbox/mod.ts";
import { TEST_AUTHORITY } from "./authority.ts";
import { History } from "./history.ts";

/** Options of a test's cluster; all have defaults. */
export interface TestClusterOptions {
  /** Your own controllers, in addition to the built-in ones. */
  readonly controllers?: readonly ControllerDescriptor[];
  /**
   * Flags of kube-controller-manager: `--controllers=*,-namespace-controller` chooses among the built-in ones. The file
   * that `--service-account-private-key-file` names holds the API server's own key.
   */
  readonly flags?: readonly string[];
  /** Simulated nodes: their number or options. Three by default. */
  readonly nodes?: number | NodeOptions;
  /**
   * Whether the nodes' machines are in a simulated cloud. Kubelets then run with `--cloud-provider=external`, and the
   * controllers that call a cloud also run; `--controllers` may name them.
   */
  readonly cloud?: boolean;
  /** Applied before anything runs, such as definitions of custom resources: YAML, objects, or a list of either. */
  readonly manifests?: Manifests;
  /** The seed of all randomness: the same seed gives the same run. */
  readonly seed?: number;
  /** The clock's time at the start; midnight UTC on 1 January 2026 by default. */
  readonly startsAt?: Date;
}

/** How long to wait. */
export interface EventuallyOptions {
  /** Virtual time after which to give up, in milliseconds; half an hour by default. */
  readonly withinMs?: number;
}

const WITHIN_MS = 30 * 60_000;
/** Virtual time between two checks of a condition, if anything happens. */
const STEP_MS = 250;
/** How many steps in which nothing happens pass between two checks, for conditions that depend on something else. */
const IDLE_STEPS = 8;
/** How many checks to wait at the end until everything has stopped. */
const MOST_STEPS_TO_STOP = 400;
/** How many entries of the history an error contains. */
const DUMPED = 60;

/**
 * A cluster in the process of a test: an API server, nodes, a scheduler and controllers on a clock that moves only when
 * told to.
 *
 * Contract:
 * 1. No socket is opened, no file read, no real time waited for.
 * 2. Time passes only in `advance`, `eventually`, `settle` and at the end; ten minutes take milliseconds.
 * 3. The same seed and the same calls give the same run.
 * 4. An `eventually` that gives up says what was wrong last and what happened recently.
 * 5. After disposal nothing of the cluster runs any more.
 */
export class TestCluster implements AsyncDisposable {
  /** The cluster's clock, randomness and log, for the test's own informers and queues. */
  readonly world: FakeWorld;
  /** The API server; `cluster.apiServer.fetch` answers a request of any kind. */
  readonly apiServer: ApiServer;
  /** Everything that happened. */
  readonly history: History;
  /** A client for the test itself. */
  readonly client: Client;
  readonly #cluster: LocalCluster;
  readonly #cloud: SimulatedCloud | undefined;
  readonly #stop = new AbortController();
  readonly #ended = new Deferred();
  readonly #unfollow: () => void;
  readonly #keyPath: string;
  #failure: unknown;

  constructor({ controllers, flags = [], nodes = 3, cloud = false, seed = 1, startsAt }: TestClusterOptions) {
    this.world = new FakeWorld({ seed, startWallMs: startsAt?.getTime() });
    const { managerFlags: own } = splitFlags(flags, cloud);
    this.apiServer = createApiServer({ world: this.world, ...serverSettings(own) });
    this.#cloud = cloud ? new SimulatedCloud({ world: this.world }) : undefined;
    this.#keyPath = managerFlags(own).string("service-account-private-key-file");
    this.history = new History(this.world.clock);
    this.#cluster = new LocalCluster({
      world: this.world,
      apiServer: this.apiServer,
      controllers,
      flags,
      nodes: typeof nodes === "number" ? { nodeCount: nodes } : nodes,
      cloud: this.#cloud,
      files: { "root-ca-file": TEST_AUTHORITY },
      transport: (direct) => this.history.around(direct),
      journal: this.history,
    });
    // The history does not include the cluster's set-up.
    this.#unfollow = this.history.follow(this.apiServer);
    this.client = this.#cluster.client("test");
  }

  /** Applies `manifests` and starts everything. */
  async start(manifests?: TestClusterOptions["manifests"]): Promise<void> {
    if (manifests !== undefined) await this.apply(manifests);
    if (this.#keyPath !== "") this.world.fileContents.set(this.#keyPath, await this.apiServer.serviceAccountKey());
    this.#cluster.run(this.#stop.signal).catch((error) => void (this.#failure = error)).finally(() =>
      this.#ended.resolve()
    );
    await this.advance(1);
  }

  /** The simulated nodes: they can be stopped and started. */
  get nodes(): NodeSimulator {
    return this.#cluster.nodes;
  }

  /**
   * The simulated cloud, whose machines can be stopped, started and removed and whose calls can be made to fail or be
   * slow.
   *
   * @throws {Error} If the cluster has none.
   *
   * @example A machine that is removed
   * ```ts
   * import { NODES } from "kubeloop/api";
   * import { startTestCluster } from "kubeloop/testing";
   *
   * await using cluster = await startTestCluster({ cloud: true });
   * await cluster.settle();
   * cluster.cloud.setMachine("node-1", "removed");
   * await cluster.eventually("its Node is deleted", async () => {
   *   const { items } = await cluster.client.list(NODES);
   *   return items.length === 2;
   * });
   * ```
   */
  get cloud(): SimulatedCloud {
    if (!this.#cloud) throw new Error("This cluster has no cloud: start it with the option cloud");
    return this.#cloud;
  }

  /**
   * The usage of pods and nodes, and custom and external metrics, for tests of autoscaling.
   *
   * @example An autoscaler that reads more than it wants
   * ```ts
   * import { startTestCluster } from "kubeloop/testing";
   *
   * await using cluster = await startTestCluster();
   * cluster.metrics.setPodUsage({ namespace: "shop", labelSelector: "app=web", usage: { cpu: "900m" } });
   * ```
   */
  get metrics(): MetricsApi {
    return this.#cluster.metrics;
  }

  /** Lets `ms` milliseconds of virtual time pass. */
  async advance(ms: number): Promise<void> {
    await this.world.clock.advance(ms);
    this.#throwFailure();
  }

  /**
   * Lets time pass until `condition` returns something other than `undefined` and `false`, and returns that.
   *
   * @param condition Called every quarter of a virtual second if a timer has fired or something was written since, and
   *   every two seconds in any case; if it throws, it does not hold yet.
   * @throws {Error} If it never holds, with the last reason and the last lines of the history.
   */
  async eventually<T>(
    what: string,
    condition: () => T | Promise<T>,
    { withinMs = WITHIN_MS }: EventuallyOptions = {},
  ): Promise<Exclude<T, undefined | false>> {
    const { clock } = this.world;
    const endMs = clock.monotonicMs() + withinMs;
    let last: unknown;
    do {
      try {
        const value = await condition();
        if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>;
        last = undefined;
      } catch (error) {
        last = error;
      }
      await this.#advanceUntilActive(Math.min(IDLE_STEPS * STEP_MS, endMs - clock.monotonicMs()));
    } while (clock.monotonicMs() < endMs);
    const why = last === undefined ? "it never held" : errorText(last);
    throw new Error(
      `Not within ${withinMs} ms of virtual time: ${what}: ${why}\n\n${this.history.dump({ last: DUMPED })}`,
      { cause: last },
    );
  }

  /** Lets time pass until nothing but leases was written for `quietMs` (5 seconds by default). */
  async settle(
    { quietMs = 5_000, withinMs = WITHIN_MS }: EventuallyOptions & { quietMs?: number } = {},
  ): Promise<void> {
    const { clock } = this.world;
    const endMs = clock.monotonicMs() + withinMs;
    let lastWriteMs = clock.monotonicMs();
    const unsubscribe = this.apiServer.onWrite(({ collection }) => {
      if (collection !== "leases.coordination.k8s.io") lastWriteMs = clock.monotonicMs();
    });
    try {
      while (clock.monotonicMs() - lastWriteMs < quietMs) {
        if (clock.monotonicMs() >= endMs) {
          throw new Error(`Still busy after ${withinMs} ms of virtual time\n\n${this.history.dump({ last: DUMPED })}`);
        }
        await this.advance(STEP_MS);
      }
    } finally {
      unsubscribe();
    }
  }

  /**
   * Makes requests fail, stall, repeat or lag until the handle is disposed.
   *
   * @example Controllers whose third write of a Deployment's status meets a conflict
   * ```ts
   * import { startTestCluster } from "kubeloop/testing";
   *
   * await using cluster = await startTestCluster();
   * cluster.fault({ verb: "update", resource: "deployments.apps/status", after: 2, times: 1, status: { code: 409 } });
   * ```
   */
  fault(fault: Fault): FaultHandle {
    this.history.note(`fault ${JSON.stringify(fault)}`);
    return this.apiServer.faults.add(fault);
  }

  /** The number of controllers' writes that reached the API server. */
  get managerWrites(): number {
    return this.#cluster.managerWrites;
  }

  /**
   * Ends all controllers as SIGKILL would end their process, at once or at a later write.
   *
   * @returns Resolves when they are dead and nothing of them can reach the API server.
   * @throws {Error} If they are dead already.
   *
   * @example Controllers that die when the first pod is stored, and never hear of it
   * ```ts
   * import { PODS, REPLICASETS } from "kubeloop/api";
   * import { objects, startTestCluster } from "kubeloop/testing";
   * import { assertEquals } from "@std/assert";
   *
   * await using cluster = await startTestCluster({ flags: ["--controllers=replicaset"] });
   * await cluster.namespace("shop");
   * const died = cluster.crashManager({ atWrite: 1 });
   * const set = objects.replicaSet("web", { metadata: { namespace: "shop" }, replicas: 2 });
   * await cluster.client.create(REPLICASETS, set);
   * await cluster.settle();
   * await died;
   * const pods = async () => (await cluster.client.list(PODS, { namespace: "shop" })).items.length;
   * assertEquals(await pods(), 1);
   * cluster.startManager();
   * await cluster.settle();
   * assertEquals(await pods(), 2);
   * ```
   */
  async crashManager(options: CrashOptions = {}): Promise<void> {
    await this.#cluster.crashManager(options);
    this.history.note(`the manager crashed after ${this.managerWrites} writes`);
  }

  /**
   * Restarts the controllers, as a new process would: they know only what they list.
   *
   * @throws {Error} If they have not crashed.
   */
  startManager(): void {
    this.history.note("a manager starts");
    this.#cluster.startManager();
  }

  /** Creates or changes the manifests' objects by server-side apply. */
  async apply(manifests: Manifests, { namespace }: { namespace?: string } = {}): Promise<void> {
    await applyManifests({ world: this.world, client: this.client }, manifests, { namespace });
  }

  /**
   * Explains an object's state: the syncs of it and those that wrote it, each with its causes.
   *
   * @param resource `pods`, `deploy`, `ReplicaSet`.
   */
  async why(resource: string, { namespace = "", name }: { namespace?: string; name: string }): Promise<string> {
    const query = new URLSearchParams({ resource, namespace, name });
    const headers = { accept: "text/plain" };
    return await (await this.#cluster.why(new Request(`http://cluster/debug/why?${query}`, { headers }))).text();
  }

  /** Creates a namespace and waits for its default ServiceAccount if its controller runs. */
  async namespace(name: string): Promise<string> {
    await this.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    if (this.#cluster.controllerNames.includes("serviceaccount-controller")) {
      const account = { namespace: name, name: "default" };
      await this.eventually(`namespace ${name} has an account`, () => this.client.get(SERVICEACCOUNTS, account));
    } else {
      await this.client.create(SERVICEACCOUNTS, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace: name },
      });
    }
    return name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    // Shutting down also waits for timers.
    for (let step = 0; step < MOST_STEPS_TO_STOP && !this.#ended.settled; step++) {
      await this.world.clock.advance(STEP_MS);
    }
    this.#unfollow();
    this.apiServer.close();
    await this.#ended.promise;
    this.#throwFailure();
  }

  /** Advances by steps, until something has happened in one. */
  async #advanceUntilActive(atMostMs: number): Promise<void> {
    const { clock } = this.world;
    const { firedTimers } = clock;
    const endMs = clock.monotonicMs() + atMostMs;
    let hasWritten = false;
    const unsubscribe = this.apiServer.onWrite(() => void (hasWritten = true));
    try {
      do await this.advance(STEP_MS); while (
        !hasWritten && clock.firedTimers === firedTimers && clock.monotonicMs() < endMs
      );
    } finally {
      unsubscribe();
    }
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
