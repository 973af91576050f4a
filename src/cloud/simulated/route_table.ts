import { CloudError } from "../errors.ts";
import type { CloudRoute } from "../provider.ts";
import type { Machines } from "./machines.ts";

/** A route to a range of pods, and the ID of the machine that it was created for. */
interface Route {
  readonly destinationCIDR: string;
  readonly targetNode: string;
  /** Absent if the Node is not of this cloud. */
  readonly machine?: string;
}

/**
 * The routes of a simulated cloud.
 *
 * Contract:
 * 1. A range leads to one node.
 * 2. A route whose machine is gone stays, and leads nowhere.
 */
export class RouteTable {
  readonly #machines: Machines;
  readonly #byRange = new Map<string, Route>();
  #changes = 0;

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  /** How often a route was made or removed. */
  get changes(): number {
    return this.#changes;
  }

  get all(): readonly CloudRoute[] {
    return [...this.#byRange.values()].map(({ destinationCIDR, targetNode, machine }) => {
      const isThere = machine === undefined || this.#machines.get(targetNode)?.id === machine;
      return {
        name: destinationCIDR,
        destinationCIDR,
        targetNode: isThere ? targetNode : "",
        ...isThere ? {} : { blackhole: true },
      };
    });
  }

  /** @throws {CloudError} If the range leads elsewhere, or the node's machine is gone. */
  create({ destinationCIDR, targetNode }: CloudRoute): void {
    const machine = this.#machines.of({ metadata: { name: targetNode } });
    if (!machine) throw new CloudError(`the machine of node "${targetNode}" is gone`);
    const id = machine === "foreign" ? undefined : machine.id;
    const before = this.#byRange.get(destinationCIDR);
    if (before?.targetNode === targetNode && before.machine === id) return;
    if (before) throw new CloudError(`${destinationCIDR} already leads to another machine`);
    this.#byRange.set(destinationCIDR, { destinationCIDR, targetNode, machine: id });
    this.#changes++;
  }

  delete({ destinationCIDR, targetNode }: CloudRoute): void {
    const listed = this.all.find((route) => route.destinationCIDR === destinationCIDR);
    if (listed?.targetNode !== targetNode) return;
    this.#byRange.delete(destinationCIDR);
    this.#changes++;
  }
}
