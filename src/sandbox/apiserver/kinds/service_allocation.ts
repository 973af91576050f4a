import type { Service } from "../../../api/mod.ts";
import type { Environment } from "../environment.ts";
import type { Stored } from "../traits.ts";

const FIRST_NODE_PORT = 30000;
const NODE_PORTS = 2768;

function allServices({ store }: Environment): Stored<Service>[] {
  return [...store.list("services") ?? []].map(({ object }) => object as Stored<Service>);
}

/** An IPv4 address as a number, or `undefined` for any other text. */
function addressNumber(text: string): number | undefined {
  const parts = text.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

function addressText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

function takenAddresses(state: Environment, except?: Stored<Service>): Set<string> {
  const others = allServices(state).filter(({ metadata }) => metadata.uid !== except?.metadata.uid);
  return new Set(others.flatMap(({ spec }) => spec?.clusterIPs ?? []));
}

/** Whether another Service has this cluster address. */
export function isAddressTaken(state: Environment, address: string, service: Stored<Service>): boolean {
  return takenAddresses(state, service).has(address);
}

/** The lowest address of the service range that is free; the first one is the API server's own. */
export function allocateAddress(state: Environment): string {
  const [base, bits] = state.options.serviceCidr.split("/");
  const start = addressNumber(base);
  if (start === undefined) {
    throw new Error(`Cannot allocate a service address: "${state.options.serviceCidr}" is no IPv4 range`);
  }
  const taken = takenAddresses(state);
  const last = start + 2 ** (32 - Number(bits)) - 2;
  for (let address = start + 2; address <= last; address++) {
    const text = addressText(address);
    if (!taken.has(text)) return text;
  }
  throw new Error(`Cannot allocate a service address: every address of ${state.options.serviceCidr} is in use`);
}

/** The lowest node port that no Service has, nor is in `taken`. */
export function allocateNodePort(state: Environment, taken: ReadonlySet<number | undefined>): number {
  const used = new Set(
    allServices(state).flatMap(({ spec }) => [
      spec?.healthCheckNodePort,
      ...spec?.ports?.map(({ nodePort }) => nodePort) ?? [],
    ]),
  );
  for (let port = FIRST_NODE_PORT; port < FIRST_NODE_PORT + NODE_PORTS; port++) {
    if (!used.has(port) && !taken.has(port)) return port;
  }
  throw new Error(`Cannot allocate a node port: all ${NODE_PORTS} are in use`);
}
