import { type Answer, HcloudAnswerError } from "./answers.ts";
import { addressText, rangeText } from "./addresses.ts";
import type { HcloudApi } from "./api.ts";

/** A route of a network. */
export interface NetworkRoute {
  /** In Kubernetes' format. */
  readonly destination: string;
  readonly gateway: string;
}

/** The used fields of a network. */
export interface Network {
  readonly id: number;
  readonly name: string;
  readonly routes: readonly NetworkRoute[];
  /** IDs of the servers in it. */
  readonly servers: readonly number[];
}

/** @throws {HcloudAnswerError} If a field is missing. */
function readNetwork(answer: Answer): Network {
  return {
    id: answer.id("id"),
    name: answer.text("name"),
    routes: answer.objects("routes").map((route) => {
      const destination = rangeText(route.text("destination"));
      const gateway = addressText(route.text("gateway"));
      if (destination && gateway) return { destination, gateway };
      throw new HcloudAnswerError(
        "cannot use the answer of the Hetzner Cloud API: a route is not from a range to an address",
      );
    }),
    servers: answer.has("servers") ? answer.ids("servers") : [],
  };
}

/**
 * The network with an ID.
 * @throws {HcloudError} If there is none.
 */
export async function networkById(api: HcloudApi, id: number, signal: AbortSignal): Promise<Network> {
  return readNetwork((await api.get(`/networks/${id}`, signal)).object("network"));
}

/**
 * The network with that ID or, failing that, name.
 *
 * @throws {Error} If there is none.
 */
export async function findNetwork(api: HcloudApi, idOrName: string, signal: AbortSignal): Promise<Network> {
  if (/^\d{1,15}$/.test(idOrName)) {
    const { value } = await api.getIfAny(`/networks/${idOrName}`, signal);
    if (value) return readNetwork(value.object("network"));
  }
  const { value } = await api.list("networks", { name: idOrName }, signal);
  const network = value.map(readNetwork).find(({ name }) => name === idOrName);
  if (!network) throw new Error(`Network ${idOrName} not found`);
  return network;
}
