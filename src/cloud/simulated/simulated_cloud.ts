import type { Node, Service } from "../../api/mod.ts";
import { sleep, type World } from "../../base/mod.ts";
import { callCloud, type CloudCall, describe, providerBehind } from "../calls.ts";
import { CloudError } from "../errors.ts";
import type { CloudProvider, CloudRoute } from "../provider.ts";
import { type Balancer, Balancers } from "./balancers.ts";
import { type CloudFault, CloudFaults } from "./faults.ts";
import { type Machine, Machines, type MachineSettings, type MachineState, metadataOf } from "./machines.ts";
import { outcomeOf, scriptFor } from "./outcomes.ts";
import { RouteTable } from "./route_table.ts";

/** The provider's name, and the scheme of its machines' IDs. */
const SIMULATED_CLOUD = "simulated";

/** Options of {@link SimulatedCloud}. */
export interface SimulatedCloudOptions {
  readonly world: Pick<World, "clock">;
}

/** How many Services' tries are remembered. */
const MOST_TRIED = 1_000;

/**
 * A cloud in memory: machines, load balancers and routes.
 *
 * Contract:
 * 1. Calls through `provider` complete at once and as a whole, unless an annotation or a fault says otherwise.
 * 2. It never reports a machine as gone that it did not make: Nodes of others count as running.
 * 3. A call ends when its signal aborts.
 *
 * Load balancers have addresses of the documentation network 203.0.113.0/24 (IPv6: 2001:db8::/120), machines external
 * ones of the benchmarking network 198.18.0.0/16. Nothing answers at any of them.
 *
 * @example
 * ```ts
 * import { SimulatedCloud } from "kubeloop/cloud";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const cloud = new SimulatedCloud({ world: new FakeWorld() });
 * cloud.addMachine({ name: "node-0" });
 * cloud.setMachine("node-0", "removed");
 * const node = { spec: { providerID: "simulated://node-0" } };
 * assertEquals(await cloud.provider.instances?.instanceExists(node, new AbortController().signal), false);
 * ```
 */
export class SimulatedCloud {
  /** The provider that controllers call. */
  readonly provider: CloudProvider;
  readonly #world: Pick<World, "clock">;
  readonly #machines = new Machines(SIMULATED_CLOUD);
  readonly #balancers = new Balancers();
  readonly #routes = new RouteTable(this.#machines);
  readonly #faults = new CloudFaults();
  readonly #calls = new Map<string, number>();
  /** How often an operation was tried, by Service. */
  readonly #tries = new Map<string, number>();
  readonly #listeners = new Set<(machine: Machine) => void>();

  constructor({ world }: SimulatedCloudOptions) {
    this.#world = world;
    const direct = this.#direct();
    this.provider = providerBehind(describe(direct), (call, signal) => this.#answer(direct, call, signal));
  }

  /** Existing machines, including stopped ones. */
  get machines(): readonly Machine[] {
    return this.#machines.all;
  }

  get balancers(): readonly Balancer[] {
    return this.#balancers.all;
  }

  get routes(): readonly CloudRoute[] {
    return this.#routes.all;
  }

  /** How often each method was called. */
  get calls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#calls);
  }

  /** How often load balancers and routes were created, changed or removed. */
  get changes(): number {
    return this.#balancers.changes + this.#routes.changes;
  }

  /**
   * Adds a running machine.
   *
   * @throws {Error} If there is one of this name.
   */
  addMachine(settings: MachineSettings): Machine {
    return this.#machines.add(settings);
  }

  /**
   * Stops, starts or permanently removes a machine.
   *
   * @throws {Error} If there is no machine of this name.
   */
  setMachine(name: string, state: MachineState): void {
    const machine = this.#machines.change(name, state);
    if (machine) { for (const listener of this.#listeners) listener(machine); }
  }

  machine(name: string): Machine | undefined {
    return this.#machines.get(name);
  }

  /** Calls `listener` with machines that stop, start or are removed, until the returned object is disposed. */
  onMachine(listener: (machine: Machine) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Makes calls fail or slow until the returned object is disposed. */
  fault(fault: CloudFault): Disposable {
    return this.#faults.add(fault);
  }

  async #answer(direct: CloudProvider, call: CloudCall, signal: AbortSignal): Promise<unknown> {
    const { method, args } = call;
    this.#calls.set(method, (this.#calls.get(method) ?? 0) + 1);
    const fault = this.#faults.take(method) ?? {};
    const { delayMs = 0, error, isDone = false } = fault;
    await this.#take(delayMs, signal);
    if (error && !isDone) throw error;
    if ("answer" in fault) return structuredClone(fault.answer);
    await this.#follow(method, args[1] as Service | undefined, signal);
    const answer = await callCloud(direct, call, signal);
    if (error) throw error;
    return structuredClone(answer);
  }

  /** Follows the Service's annotation. */
  async #follow(method: string, service: Service | undefined, signal: AbortSignal): Promise<void> {
    const script = scriptFor(method, service);
    if (!script) return;
    const key = `${service?.metadata?.uid} ${script.key} ${script.text}`;
    const tries = this.#tries.get(key) ?? 0;
    this.#tries.delete(key);
    this.#tries.set(key, tries + 1);
    if (this.#tries.size > MOST_TRIED) this.#tries.delete([...this.#tries.keys()][0]);
    const { afterMs, failure } = outcomeOf(script, tries);
    await this.#take(afterMs, signal);
    if (failure !== undefined) throw new CloudError(failure);
  }

  async #take(ms: number, signal: AbortSignal): Promise<void> {
    if (ms === Infinity) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    else if (ms > 0) await sleep(this.#world.clock, ms, signal);
    signal.throwIfAborted();
  }

  #direct(): CloudProvider {
    const stateOf = (node: Node): MachineState => {
      const machine = this.#machines.of(node);
      return machine === "foreign" ? "running" : machine?.state ?? "removed";
    };
    return {
      name: SIMULATED_CLOUD,
      hasClusterId: true,
      instances: {
        instanceExists: (node) => Promise.resolve(stateOf(node) !== "removed"),
        instanceShutdown: (node) => Promise.resolve(stateOf(node) === "stopped"),
        instanceMetadata: (node) => {
          const machine = this.#machines.of(node);
          return Promise.resolve(machine && machine !== "foreign" ? metadataOf(machine) : null);
        },
      },
      loadBalancers: {
        getLoadBalancer: (_, { metadata }) => Promise.resolve(this.#balancers.status(metadata?.uid ?? "")),
        // deno-lint-ignore require-await
        ensureLoadBalancer: async (_, service, nodes) => this.#balancers.ensure(service, nodes),
        // deno-lint-ignore require-await
        updateLoadBalancer: async (_, service, nodes) => this.#balancers.update(service, nodes),
        ensureLoadBalancerDeleted: (_, { metadata }) => Promise.resolve(this.#balancers.delete(metadata?.uid ?? "")),
      },
      routes: {
        listRoutes: () => Promise.resolve(this.#routes.all),
        // deno-lint-ignore require-await
        createRoute: async (_, _hint, route) => this.#routes.create(route),
        deleteRoute: (_, route) => Promise.resolve(this.#routes.delete(route)),
      },
    };
  }
}
