import type { ControlPlane } from "../../controlplane/control_plane.ts";
import type { Process } from "../../controlplane/process.ts";
import { ConnectionCounter, connectionsTo } from "./connection_counter.ts";
import { cpuSeconds } from "./process_figures.ts";
import { type Requests, requestsOf, without } from "./requests.ts";

/** What a part of a run cost. */
export interface Cost {
  readonly seconds: number;
  /** Processor time of the manager, and of kube-apiserver, which serves the bench as well. */
  readonly cpuS: number;
  readonly serverCpuS: number;
  /** That the manager opened to kube-apiserver. */
  readonly connections: number;
  /** That kube-apiserver answered, but for the bench's own; its own few to itself are among them. */
  readonly requests: Requests;
}

/** Measures what a manager and its kube-apiserver spend in each part of a run. */
export class Meter implements AsyncDisposable {
  readonly #plane: ControlPlane;
  /** The bench's own requests, which it counts as it sends them. */
  readonly #own: Requests;
  readonly #before: ReadonlyMap<string, string>;
  #manager: { readonly process: Process; readonly connections: ConnectionCounter } | undefined;

  private constructor(plane: ControlPlane, own: Requests, before: ReadonlyMap<string, string>) {
    this.#plane = plane;
    this.#own = own;
    this.#before = before;
  }

  /** For a manager that has not been started yet. */
  static async of(plane: ControlPlane, own: Requests): Promise<Meter> {
    return new Meter(plane, own, await connectionsTo(plane.port));
  }

  /** From now on `process` is the manager; what it has done since it began counts. */
  watch(process: Process): void {
    const connections = ConnectionCounter.start(process, this.#plane.port, this.#before);
    this.#manager = { process, connections };
  }

  /** What `part` costs; within it the manager may start. */
  async cost(part: () => Promise<void>): Promise<Cost> {
    const connections = await this.#manager?.connections.opened() ?? 0;
    const [requests, own] = [await this.#requests(), { ...this.#own }];
    const serverCpuS = await cpuSeconds(this.#plane.apiserver.pid);
    const cpuS = this.#manager ? await cpuSeconds(this.#manager.process.pid) : 0;
    const began = performance.now();
    await Promise.race([part(), this.#end()]);
    const seconds = (performance.now() - began) / 1000;
    const manager = this.#manager!;
    return {
      seconds,
      cpuS: await cpuSeconds(manager.process.pid) - cpuS,
      serverCpuS: await cpuSeconds(this.#plane.apiserver.pid) - serverCpuS,
      requests: without(without(await this.#requests(), requests), without(this.#own, own)),
      connections: await manager.connections.opened() - connections,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager?.connections[Symbol.asyncDispose]();
  }

  /** Throws once the manager has ended: nobody would do the work any more. */
  async #end(): Promise<void> {
    const process = this.#manager?.process;
    if (!process) return await new Promise(() => {});
    const { code } = await process.exited;
    throw new Error(`${process.name} ended with ${code}: ${process.output.slice(-3000)}`);
  }

  async #requests(): Promise<Requests> {
    return requestsOf(await this.#plane.ask("/metrics") ?? "");
  }
}
