import type { Node, NodeAddress } from "../../api/mod.ts";
import type { InstanceMetadata } from "../provider.ts";

/** A machine's state. A removed one never returns: a new one of its name is a different machine. */
export type MachineState = "running" | "stopped" | "removed";

/** A machine in memory. */
export interface Machine {
  /** Its provider ID, such as `simulated://node-1`. */
  readonly id: string;
  /** Also the name of its Node. */
  readonly name: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly region: string;
  /** Its address in the internal network. */
  readonly internalAddress: string;
  readonly externalAddress: string;
  readonly state: MachineState;
}

/** A machine's settings; everything except the name has a default. */
export type MachineSettings =
  & Pick<Machine, "name">
  & Partial<Pick<Machine, "instanceType" | "zone" | "internalAddress">>;

const REGION = "sim-1";
/** Machines are spread over these in turn. */
const ZONES = ["sim-1a", "sim-1b", "sim-1c"] as const;
const INSTANCE_TYPE = "sim.large";
/** How many names of removed machines are remembered. */
const MOST_REMOVED_NAMES = 1_000;
/** How many addresses a network of 16 bits has. */
const ADDRESSES = 65_534;

/**
 * The machines of a simulated cloud.
 *
 * Contract:
 * 1. A machine that was removed does not exist, and no other ever gets its ID.
 * 2. A Node is one of the cloud's if its provider ID says so, or if it has none and the name of a machine that there is
 *    or was. Any other Node is somebody else's.
 */
export class Machines {
  readonly #scheme: string;
  readonly #byName = new Map<string, Machine>();
  readonly #removed = new Set<string>();
  /** How many machines have had each name. */
  readonly #lives = new Map<string, number>();
  #made = 0;

  /** @param scheme The provider's name. */
  constructor(scheme: string) {
    this.#scheme = scheme;
  }

  get all(): readonly Machine[] {
    return [...this.#byName.values()];
  }

  get(name: string): Machine | undefined {
    return this.#byName.get(name);
  }

  /** @throws {Error} If there is a machine of this name. */
  add({ name, zone, instanceType = INSTANCE_TYPE, internalAddress }: MachineSettings): Machine {
    if (this.#byName.has(name)) throw new Error(`Cannot make machine "${name}": there is one of this name`);
    const life = (this.#lives.get(name) ?? 0) + 1;
    const number = this.#made++;
    const machine: Machine = {
      id: `${this.#scheme}://${name}${life > 1 ? `-${life}` : ""}`,
      name,
      instanceType,
      zone: zone ?? ZONES[number % ZONES.length],
      region: REGION,
      internalAddress: internalAddress ?? addressIn("10.0", number),
      externalAddress: addressIn("198.18", number),
      state: "running",
    };
    this.#byName.set(name, machine);
    this.#removed.delete(name);
    this.#lives.set(name, life);
    return machine;
  }

  /**
   * @returns The changed machine; `undefined` if it was in that state already.
   * @throws {Error} If there is no machine of this name.
   */
  change(name: string, state: MachineState): Machine | undefined {
    const machine = this.#byName.get(name);
    if (!machine) {
      const known = [...this.#byName.keys()].join(", ") || "none at all";
      throw new Error(`There is no machine "${name}" in the simulated cloud, only ${known}`);
    }
    if (machine.state === state) return undefined;
    const changed = { ...machine, state };
    if (state === "removed") this.#remove(name);
    else this.#byName.set(name, changed);
    return changed;
  }

  /** The machine of a Node: `undefined` if it is gone, `"foreign"` if the Node is somebody else's. */
  of({ metadata, spec }: Node): Machine | "foreign" | undefined {
    const name = metadata?.name ?? "";
    const machine = this.#byName.get(name);
    const { providerID } = spec ?? {};
    if (!providerID) return machine ?? (this.#removed.has(name) ? undefined : "foreign");
    const [scheme, id = "", ...rest] = providerID.split("://");
    if (scheme !== this.#scheme || id === "" || id.includes("/") || rest.length > 0) return "foreign";
    return machine?.id === providerID ? machine : this.all.find((each) => each.id === providerID);
  }

  #remove(name: string): void {
    this.#byName.delete(name);
    this.#removed.add(name);
    if (this.#removed.size <= MOST_REMOVED_NAMES) return;
    const [oldest] = this.#removed;
    this.#removed.delete(oldest);
  }
}

/** The cloud's metadata for a machine. The host name is left to the kubelet. */
export function metadataOf(machine: Machine): InstanceMetadata {
  const { id, instanceType, zone, region, internalAddress, externalAddress } = machine;
  const nodeAddresses: NodeAddress[] = [
    { type: "InternalIP", address: internalAddress },
    { type: "ExternalIP", address: externalAddress },
  ];
  return { providerID: id, instanceType, zone, region, nodeAddresses };
}

/** The `index`th address of a network, such as `198.18.0.7`. They repeat after 65,534. */
function addressIn(network: string, index: number): string {
  const number = index % ADDRESSES + 1;
  return `${network}.${Math.floor(number / 256)}.${number % 256}`;
}
