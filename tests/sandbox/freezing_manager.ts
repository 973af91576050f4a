/** A manager that can be frozen, as SIGSTOP freezes its process, on a cluster that goes on. */
import { type Clock, FakeWorld, MetricsRegistry, type Timer } from "../../src/base/mod.ts";
import { Client, type Transport, TransportClientBuilder } from "../../src/client/mod.ts";
import { CONTROLLERS } from "../../src/controllers/mod.ts";
import { ControllerManager, managerFlags, managerOptions, runSettings } from "../../src/manager/mod.ts";
import { type ApiServer, createApiServer, NodeSimulator } from "../../src/sandbox/mod.ts";

const SERVER = "http://127.0.0.1";
/** How long watches take to tell what happened while the manager was frozen. */
const WATCHES_BEHIND_MS = 1_500;

/** Time that goes on while nobody is woken by it. */
class FreezingClock implements Clock {
  readonly #clock: Clock;
  readonly #gate: Gate;

  constructor(clock: Clock, gate: Gate) {
    this.#clock = clock;
    this.#gate = gate;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }

  setTimer(delayMs: number, fn: () => void): Timer {
    let isCancelled = false;
    const timer = this.#clock.setTimer(delayMs, () => {
      if (this.#gate.isOpen) fn();
      else void this.#gate.opened.then(() => isCancelled || fn());
    });
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  async nextTurn(): Promise<void> {
    await this.#gate.opened;
    await this.#clock.nextTurn();
  }
}

class Gate {
  opened: Promise<void> = Promise.resolve();
  isOpen = true;
  #open: () => void = () => {};

  close(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    this.isOpen = false;
    this.#open = resolve;
  }

  open(): void {
    this.isOpen = true;
    this.#open();
  }
}

export interface FreezingOptions {
  readonly flags: readonly string[];
  readonly nodes: number;
}

export class FreezingCluster implements AsyncDisposable {
  readonly world = new FakeWorld();
  readonly apiServer: ApiServer = createApiServer({ world: this.world });
  readonly client: Client = this.#clientOf("test");
  readonly nodes: NodeSimulator;
  readonly #gate = new Gate();
  /** What watches have to tell. */
  readonly #wire = new Gate();
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor({ flags, nodes }: FreezingOptions) {
    const { world } = this;
    const options = managerOptions(managerFlags(flags));
    this.nodes = new NodeSimulator({ world, client: this.#clientOf("kubelet"), nodeCount: nodes, untaint: false });
    const manager = new ControllerManager({
      world: { ...world, clock: new FreezingClock(world.clock, this.#gate) },
      metrics: new MetricsRegistry(),
      clients: new TransportClientBuilder({
        program: "kube-controller-manager",
        world: { ...world, clock: new FreezingClock(world.clock, this.#gate) },
        transport: this.#frozenTransport,
        server: SERVER,
      }),
      controllers: CONTROLLERS.filter(({ name }) => options.controllers.has(name)),
      ...runSettings(options),
    });
    const { signal } = this.#stop;
    this.#running = Promise.all([manager.run(signal), this.nodes.run(signal)]);
  }

  /** Freezes the manager for so long; it hears what happened meanwhile a little later. */
  async freezeFor(ms: number, meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.#gate.close();
    this.#wire.close();
    await meanwhile();
    await this.world.clock.advance(ms);
    this.#gate.open();
    await this.world.clock.advance(WATCHES_BEHIND_MS);
    this.#wire.open();
    await this.world.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.world.clock.advance(120_000);
    this.apiServer.close();
    await this.#running;
  }

  #clientOf(userAgent: string): Client {
    const transport: Transport = (request) => this.apiServer.fetch(request);
    return new Client({ world: this.world, transport, server: SERVER, userAgent });
  }

  /** Nothing is sent and nothing read while the manager is frozen. */
  readonly #frozenTransport: Transport = async (request) => {
    await this.#gate.opened;
    const response = await this.apiServer.fetch(request);
    await this.#gate.opened;
    if (!response.body) return response;
    const held = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: async (chunk, controller) => {
        await this.#wire.opened;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(held), response);
  };
}
