import type { Answer } from "./answers.ts";
import { addressText, hostAddress } from "./addresses.ts";
import { HcloudAnswerError } from "./answers.ts";

/** A machine's attachment to a network. */
export interface PrivateNet {
  /** The network's ID. */
  readonly network: number;
  readonly ip: string;
}

/** The used fields of a server. */
export interface Server {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly type: string;
  readonly location: string;
  /** Empty if it has none. */
  readonly ipv4: string;
  /** The first address of its network; empty if it has none. */
  readonly ipv6: string;
  readonly privateNets: readonly PrivateNet[];
}

/** @throws {HcloudAnswerError} If a field is missing. */
export function readServer(answer: Answer): Server {
  const publicNet = answer.object("public_net");
  // Older versions of the API gave the location only through the data centre.
  const place = answer.has("location") ? answer : answer.object("datacenter");
  return {
    id: answer.id("id"),
    name: answer.text("name"),
    status: answer.text("status"),
    type: answer.object("server_type").text("name"),
    location: place.object("location").text("name"),
    ipv4: addressIn(publicNet.objectIfAny("ipv4"), addressText),
    ipv6: addressIn(publicNet.objectIfAny("ipv6"), hostAddress),
    privateNets: readPrivateNets(answer),
  };
}

/** The networks of a server or load balancer. */
export function readPrivateNets(answer: Answer): PrivateNet[] {
  if (!answer.has("private_net")) return [];
  return answer.objects("private_net").map((net) => ({ network: net.id("network"), ip: addressIn(net, addressText) }));
}

/** The address under `ip`; empty if there is none. */
export function addressIn(net: Answer | undefined, read: (text: string) => string | undefined): string {
  const text = net?.textIfAny("ip") ?? "";
  if (text === "") return "";
  const address = read(text);
  if (address === undefined) {
    throw new HcloudAnswerError("cannot use the answer of the Hetzner Cloud API: an ip is not an address");
  }
  return address;
}
