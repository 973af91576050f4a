import { compareUtf8, Fnv1a128 } from "../../base/mod.ts";
import type { DiscoveryV1EndpointPort } from "../../api/mod.ts";

const ENCODER = new TextEncoder();

/** A key that is equal for equal ports in any order; empty without ports. */
export function portKey(ports: readonly DiscoveryV1EndpointPort[] | null | undefined): string {
  const keys = (ports ?? []).map(({ name, protocol, port, appProtocol }) =>
    JSON.stringify([name ?? null, protocol ?? null, port ?? null, appProtocol ?? null])
  );
  return keys.sort().join();
}

/**
 * Ports in upstream's order, which is by hashes of Go's dumps. Upstream: `k8s.io/endpointslice/util` (NewPortMapKey).
 */
export function inHashOrder(ports: readonly DiscoveryV1EndpointPort[]): DiscoveryV1EndpointPort[] {
  if (ports.length < 2) return [...ports];
  const hashed = ports.map((port) => ({ port, hash: hashOf(port) }));
  return hashed.sort((a, b) => compareUtf8(a.hash, b.hash)).map(({ port }) => port);
}

function hashOf({ name = "<nil>", protocol = "<nil>", port, appProtocol = "<nil>" }: DiscoveryV1EndpointPort): string {
  const hash = new Fnv1a128();
  hash.update(
    ENCODER.encode(
      `(v1.EndpointPort){Name:(*string)${name} Protocol:(*v1.Protocol)${protocol} ` +
        `Port:(*int32)${port ?? "<nil>"} AppProtocol:(*string)${appProtocol}}`,
    ),
  );
  return hash.hex;
}
