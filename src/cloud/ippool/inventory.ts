import { isDns1123Subdomain, type Node, type NodeAddress } from "../../api/mod.ts";
import { CloudError, InstanceNotFoundError } from "../errors.ts";
import type { InstanceMetadata, Instances } from "../provider.ts";

/** A machine in the configuration. Texts that it lacks are empty. */
export interface Machine {
  readonly name: string;
  readonly addresses: readonly NodeAddress[];
  readonly zone: string;
  readonly region: string;
  readonly instanceType: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly shutdown: boolean;
}

const SCHEME = "ippool://";

/** The machines that the configuration lists. */
export class Inventory implements Instances {
  machines: ReadonlyMap<string, Machine>;

  constructor(machines: ReadonlyMap<string, Machine>) {
    this.machines = machines;
  }

  // deno-lint-ignore require-await
  async instanceExists(node: Node): Promise<boolean> {
    return this.#find(node) !== undefined;
  }

  // deno-lint-ignore require-await
  async instanceShutdown(node: Node): Promise<boolean> {
    return this.#get(node).shutdown;
  }

  // deno-lint-ignore require-await
  async instanceMetadata(node: Node): Promise<InstanceMetadata> {
    const { name, addresses, zone, region, instanceType, labels } = this.#get(node);
    return {
      providerID: `${SCHEME}${name}`,
      nodeAddresses: addresses.map(({ type, address }) => ({ type, address })),
      instanceType,
      zone,
      region,
      additionalLabels: { ...labels },
    };
  }

  #get(node: Node): Machine {
    const machine = this.#find(node);
    if (!machine) throw new InstanceNotFoundError();
    return machine;
  }

  /**
   * @throws {CloudError} If the Node's provider ID does not belong to an inventory: we cannot say whether its machine
   *   is gone.
   */
  #find({ metadata, spec }: Node): Machine | undefined {
    const { providerID } = spec ?? {};
    if (!providerID) return this.machines.get(metadata?.name ?? "");
    const name = providerID.startsWith(SCHEME) ? providerID.slice(SCHEME.length) : "";
    if (!isDns1123Subdomain(name)) {
      throw new CloudError(
        `Node ${metadata?.name} is another cloud's: its providerID is ${JSON.stringify(providerID)}, not ${SCHEME}NAME`,
      );
    }
    return this.machines.get(name);
  }
}
