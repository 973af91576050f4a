import { errorText, InvariantError, sleep, whenAborted } from "../base/mod.ts";
import {
  type Controller,
  type ControllerContext,
  type ControllerDebug,
  type ControllerDescriptor,
  needsOf,
  type Supplies,
} from "../controllers/mod.ts";
import type { Health } from "./health.ts";
import { SharedContext, type SharedContextOptions } from "./shared_context.ts";
import { OpenSupplies } from "./supplies/mod.ts";

/** Options of {@link ControllerManager}. Times in milliseconds. */
export interface ControllerManagerOptions extends Omit<SharedContextOptions, "supplies"> {
  /** The controllers to run. */
  readonly controllers: readonly ControllerDescriptor[];
  /** Supplies for their declared needs. By default no flag names a file. */
  readonly supplies?: Supplies;
  /** Called once the informers run, with the names of the controllers that were built. */
  readonly onStarted?: (controllers: readonly string[]) => void;
  /** Called when a controller was stopped by sentence 6 of the contract. */
  readonly onStopped?: (controller: string, reason: string) => void;
  /** When controllers may begin to work; until then only their caches are filled. By default at once. */
  readonly whenLeading?: Promise<void>;
  /** Receives the debug pages of built controllers, by name. */
  readonly debug?: Map<string, ControllerDebug>;
  /** Receives one check per running controller. */
  readonly health?: Health;
  readonly startIntervalMs?: number;
  /** How long controllers may take to end; 0 for no limit. */
  readonly shutdownTimeoutMs?: number;
}

/**
 * Builds the controllers, starts their shared informers and events, and runs them.
 *
 * Contract:
 * 1. Every controller is built before any informer starts, so that each index and handler is there from the first
 *    object on.
 * 2. One informer, and so one watch, exists per resource, however many controllers read it.
 * 3. `run` resolves after every controller has ended, or after the shutdown timeout; informers and events end after
 *    them. With no controller at all it waits for its signal.
 * 4. Caches are filled before `whenLeading`; no controller works before it, nor at all if the run is stopped earlier.
 * 5. A controller that cannot be built, or ends by an error, ends the whole run with that error.
 * 6. A controller that finds an invariant violated is stopped, and the others go on.
 *
 * Upstream: `cmd/kube-controller-manager/app/controllermanager.go`.
 */
export class ControllerManager {
  readonly #options: ControllerManagerOptions;

  constructor(options: ControllerManagerOptions) {
    this.#options = options;
  }

  /**
   * Runs until `signal` aborts.
   *
   * @returns Whether every controller ended within the shutdown timeout.
   * @throws {Error} By sentence 5 of the contract.
   */
  async run(signal: AbortSignal): Promise<boolean> {
    const { world, controllers, health, onStarted, whenLeading } = this.#options;
    const { supplies = new OpenSupplies(world, needsOf(controllers)) } = this.#options;
    await using shared = new SharedContext({ ...this.#options, supplies });
    const built = await Promise.race([this.#build(shared.context), whenAborted(signal)]);
    if (!built) return true; // nothing is working yet, so there is nothing to wait for
    health?.add(...built.map(([name]) => ({ name, run: () => undefined })));
    shared.start();
    onStarted?.(built.map(([name]) => name));
    await Promise.race([whenLeading, whenAborted(signal)]);
    if (signal.aborted) return true;
    return await this.#runAll(built, signal);
  }

  async #build(context: ControllerContext): Promise<[name: string, controller: Controller][]> {
    const { log } = context.world;
    const { controllers, controllerOptions: { values, gates } } = this.#options;
    const built: [string, Controller][] = [];
    for (const descriptor of controllers) {
      if (built.some(([name]) => name === descriptor.name)) {
        throw new TypeError(`Cannot run two controllers called "${descriptor.name}": give one a name with .named()`);
      }
      const requiredFeatureGates = descriptor.gates ?? [];
      if (!requiredFeatureGates.every((gate) => gates.has(gate))) {
        log.info("Controller is disabled by a feature gate", { controller: descriptor.name, requiredFeatureGates });
        continue;
      }
      const controller = await descriptor.build(context, values[descriptor.name] ?? {});
      if (controller?.debug) this.#options.debug?.set(descriptor.name, controller.debug);
      if (controller) built.push([descriptor.name, controller]);
      else this.#reportSkipped(descriptor.name);
    }
    return built;
  }

  /** Upstream's programs log this differently. */
  #reportSkipped(controller: string): void {
    const { world: { log }, controllerOptions: { program } } = this.#options;
    if (program === "cloud-controller-manager") log.warn(`Skipping ${JSON.stringify(controller)}`);
    else log.info("Skipping controller", { controller });
  }

  async #runAll(built: readonly [string, Controller][], signal: AbortSignal): Promise<boolean> {
    const running = new Set(built.map(([name]) => name));
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) stop.abort();
    let failure: Error | undefined;
    const runs = built.map(async ([name, controller]) => {
      try {
        await this.#runOne(name, controller, stop.signal);
      } catch (error) {
        if (error instanceof InvariantError) return this.#stopOne(name, error, running);
        failure ??= new Error(`Controller ${name} failed: ${errorText(error)}`, { cause: error });
        stop.abort();
      }
      running.delete(name);
    });
    const all = Promise.all(runs);
    try {
      // Without controllers there is nothing to do, which is not an error.
      await (built.length === 0 ? whenAborted(stop.signal) : Promise.race([whenAborted(stop.signal), all]));
      await this.#drain(all);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
    if (failure) throw failure;
    const { log } = this.#options.world;
    if (running.size > 0) log.error("Controller shutdown timeout reached", { stillRunning: [...running].join(",") });
    return running.size === 0;
  }

  /** Its state in memory is corrupt, so it must not act again. */
  #stopOne(name: string, err: InvariantError, running: Set<string>): void {
    const { world: { log }, onStopped } = this.#options;
    log.error("Controller stopped because its state in memory is wrong; the others go on", { controller: name, err });
    onStopped?.(name, err.message);
    running.delete(name);
  }

  async #runOne(name: string, controller: Controller, signal: AbortSignal): Promise<void> {
    const { world, startIntervalMs = 0 } = this.#options;
    await sleep(world.clock, startIntervalMs * (1 + world.random.float()), signal);
    world.log.verbose(1, "Controller starting", { controller: name });
    await controller.run(signal);
    if (!signal.aborted) throw new Error("it ended although nobody asked it to");
    world.log.verbose(1, "Controller terminated", { controller: name });
  }

  /** Waits until the controllers have ended, or for the shutdown timeout. */
  async #drain(all: Promise<unknown>): Promise<void> {
    const { world, shutdownTimeoutMs = 10_000 } = this.#options;
    if (shutdownTimeoutMs === 0) return void await all;
    const wait = new AbortController();
    await Promise.race([all, sleep(world.clock, shutdownTimeoutMs, wait.signal)]);
    wait.abort();
  }
}
