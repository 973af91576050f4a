import type { Service } from "../../../../api/mod.ts";
import type { Environment, Stored } from "../../traits/mod.ts";

const FIRST = 30000;
const LAST = 32767;

/** The node ports of a Service, including the one for health checks. */
function nodePortsOf({ spec }: Service): number[] {
  const ports = (spec?.ports ?? []).map(({ nodePort }) => nodePort ?? 0);
  return [...ports, spec?.healthCheckNodePort ?? 0].filter((port) => port !== 0);
}

/** A node port that is not available. */
export class PortError extends Error {
  override readonly name = "PortError";
}

/**
 * The node ports of all Services, while one of them is given some.
 *
 * Contract:
 * 1. A port is refused if another Service has it or the operation has assigned it.
 * 2. A Service may keep the ports it had before.
 */
export class NodePorts {
  readonly #taken = new Set<number>();
  readonly #own: ReadonlySet<number>;

  constructor({ store }: Environment, old?: Stored<Service>) {
    this.#own = new Set(old ? nodePortsOf(old) : []);
    for (const { object } of store.list("services") ?? []) {
      for (const port of nodePortsOf(object as Service)) this.#taken.add(port);
    }
  }

  isOwn(port: number): boolean {
    return this.#own.has(port);
  }

  /** @throws {PortError} If the port is taken or outside the range. */
  take(port: number): void {
    if (port < FIRST || port > LAST) throw new PortError(`the valid ports are ${FIRST}-${LAST}`);
    if (this.#taken.has(port)) throw new PortError("provided port is already allocated");
    this.#taken.add(port);
  }

  /** The lowest free port. */
  next(): number {
    for (let port = FIRST; port <= LAST; port++) {
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      return port;
    }
    throw new PortError("range is full");
  }
}
