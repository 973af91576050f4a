import { type Service, SERVICES } from "../../api/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import type { Address } from "../../ip/mod.ts";
import { parseAddress } from "./address.ts";
import type { Claimant } from "./claims.ts";
import { SHARING_ANNOTATION } from "./wish.ts";

/** A Service whose status shows addresses. */
export interface ShownAddresses {
  readonly claimant: Claimant;
  readonly addresses: readonly Address[];
  readonly service: Service;
}

/** All Services whose status shows an address, oldest first, read from the API server instead of a cache. */
export async function listShown(client: Client, signal: AbortSignal): Promise<ShownAddresses[]> {
  const { items } = await client.listPages(SERVICES, { signal });
  return items.map(shownBy).filter(({ addresses }) => addresses.length > 0).sort(byAge);
}

/** The Service's current addresses on the API server; `undefined` if there is no Service with that UID. */
export async function getShown(
  client: Client,
  { uid, namespace, name }: Claimant,
  signal: AbortSignal,
): Promise<ShownAddresses | undefined> {
  try {
    const service = await client.get(SERVICES, { namespace, name }, { signal });
    return service.metadata?.uid === uid ? shownBy(service) : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function shownBy(service: Service): ShownAddresses {
  const { metadata, spec, status } = service;
  const { uid = "", namespace = "", name = "" } = metadata ?? {};
  const sharingKey = metadata?.annotations?.[SHARING_ANNOTATION]?.trim() || undefined;
  const ports = (spec?.ports ?? []).map(({ protocol = "TCP", port }) => `${protocol}/${port}`);
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip = "" }) => parseAddress(ip))
    .filter((address) => address !== undefined);
  return { service, addresses, claimant: { uid, namespace, name, sharingKey, ports } };
}

function byAge({ service: a }: ShownAddresses, { service: b }: ShownAddresses): number {
  const [left, right] = [a, b].map(({ metadata }) => `${metadata?.creationTimestamp ?? ""} ${metadata?.uid ?? ""}`);
  return left < right ? -1 : left > right ? 1 : 0;
}
