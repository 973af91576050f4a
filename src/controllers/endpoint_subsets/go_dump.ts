import type { EndpointAddress, EndpointPort, EndpointSubset, ObjectReference } from "../../api/mod.ts";

/** A port as Go's `spew` prints it, which is what upstream hashes. Upstream: `k8s.io/utils/dump` (ForHash). */
export function dumpPort(port: EndpointPort): string {
  return `(v1.EndpointPort)${portFields(port)}`;
}

/** A subset as Go's `spew` prints it, a piece for each address. */
export function* dumpSubset({ addresses, notReadyAddresses, ports }: EndpointSubset): Generator<string> {
  yield "(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)";
  yield* list(addresses, addressFields);
  yield " NotReadyAddresses:([]v1.EndpointAddress)";
  yield* list(notReadyAddresses, addressFields);
  yield " Ports:([]v1.EndpointPort)";
  yield* list(ports, portFields);
  yield "}";
}

function* list<T>(items: readonly T[] = [], fields: (item: T) => string): Generator<string> {
  if (items.length === 0) return yield NIL;
  for (const [i, item] of items.entries()) yield `${i === 0 ? "[" : " "}${fields(item)}`;
  yield "]";
}

const NIL = "<nil>";

function portFields({ name = "", port, protocol = "", appProtocol = NIL }: EndpointPort): string {
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:(*string)${appProtocol}}`;
}

function addressFields({ ip, hostname = "", nodeName = NIL, targetRef }: EndpointAddress): string {
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:(*string)${nodeName} ` +
    `TargetRef:(*v1.ObjectReference)${targetRef ? referenceFields(targetRef) : NIL}}`;
}

function referenceFields(reference: ObjectReference): string {
  const { kind = "", namespace = "", name = "", uid = "" } = reference;
  const { apiVersion = "", resourceVersion = "", fieldPath = "" } = reference;
  return `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} ` +
    `APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
}
