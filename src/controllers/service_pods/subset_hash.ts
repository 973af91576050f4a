import { Fnv1a128 } from "../../base/mod.ts";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../api/mod.ts";

const ENCODER = new TextEncoder();

/** The hash by which upstream sorts the ports of Endpoints: of Go's dump of the port. Upstream: `pkg/util/hash`. */
export function portHash(port: EndpointPort): string {
  const hash = new Fnv1a128();
  hash.update(ENCODER.encode(`(v1.EndpointPort)${portText(port)}`));
  return hash.hex;
}

/** The hash by which upstream sorts subsets, a step an address. */
export function* subsetHash({ addresses, notReadyAddresses, ports = [] }: EndpointSubset): Generator<void, string> {
  const hash = new Fnv1a128();
  const add = (text: string) => hash.update(ENCODER.encode(text));
  add("(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)");
  yield* addAddresses(addresses ?? [], add);
  add(" NotReadyAddresses:([]v1.EndpointAddress)");
  yield* addAddresses(notReadyAddresses ?? [], add);
  add(` Ports:([]v1.EndpointPort)${ports.length === 0 ? "<nil>" : `[${ports.map(portText).join(" ")}]`}}`);
  return hash.hex;
}

function* addAddresses(addresses: readonly EndpointAddress[], add: (text: string) => void): Generator<void, void> {
  if (addresses.length === 0) return add("<nil>");
  for (const [i, address] of addresses.entries()) {
    add(`${i === 0 ? "[" : " "}${addressText(address)}`);
    yield;
  }
  add("]");
}

function portText({ name = "", port, protocol = "", appProtocol = "<nil>" }: EndpointPort): string {
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} ` +
    `AppProtocol:(*string)${appProtocol}}`;
}

function addressText({ ip, hostname = "", nodeName = "<nil>", targetRef }: EndpointAddress): string {
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:(*string)${nodeName} ` +
    `TargetRef:(*v1.ObjectReference)${targetRef ? referenceText(targetRef) : "<nil>"}}`;
}

function referenceText(reference: NonNullable<EndpointAddress["targetRef"]>): string {
  const { kind = "", namespace = "", name = "", uid = "", apiVersion = "", resourceVersion = "", fieldPath = "" } =
    reference;
  return `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} ` +
    `APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
}
