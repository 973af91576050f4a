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

/**
 * The machines that the configuration lists. While it lists none at all, nothing is known of any machine: no Node is
 * initialized, marked as shut down or deleted.
 */
export class Inventory implements Instances {
  machines: ReadonlyMap<string, Machine> | undefined;

  constructor(machines: ReadonlyMap<string, Machine> | undefined) {
    this.machines = machines;
  }

  // deno-lint-ignore require-await
  async instanceExists(node: Node): Promise<boolean> {
    return !this.machines || find(this.machines, node) !== undefined;
  }

  // deno-lint-ignore require-await
  async instanceShutdown(node: Node): Promise<boolean> {
    return this.machines ? get(this.machines, node).shutdown : false;
  }

  // deno-lint-ignore require-await
  async instanceMetadata(node: Node): Promise<InstanceMetadata | null> {
    if (!this.machines) return null;
    const { name, addresses, zone, region, instanceType, labels } = get(this.machines, node);
    return {
      providerID: `${SCHEME}${name}`,
      nodeAddresses: addresses.map(({ type, address }) => ({ type, address })),
      instanceType,
      zone,
      region,
      additionalLabels: { ...labels },
    };
  }
}

function get(machines: ReadonlyMap<string, Machine>, node: Node): Machine {
  const machine = find(machines, node);
  if (!machine) throw new InstanceNotFoundError();
  return machine;
}

/**
 * @throws {CloudError} If the Node's provider ID does not belong to an inventory: we cannot say whether its machine is
 *   gone.
 */
function find(machines: ReadonlyMap<string, Machine>, { metadata, spec }: Node): Machine | undefined {
  const { providerID } = spec ?? {};
  if (!providerID) return machines.get(metadata?.name ?? "");
  const name = providerID.startsWith(SCHEME) ? providerID.slice(SCHEME.length) : "";
  if (!isDns1123Subdomain(name)) {
    throw new CloudError(
      `Node ${metadata?.name} is another cloud's: its providerID is ${JSON.stringify(providerID)}, not ${SCHEME}NAME`,
    );
  }
  return machines.get(name);
}
