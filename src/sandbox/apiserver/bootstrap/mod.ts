import { type ConfigMap, joinKey } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { nowText } from "../traits/mod.ts";
import { decodeObject, type Operation, type ServerState, systemOperation } from "../operations/mod.ts";
import { createNow, updateObject } from "../writes/mod.ts";
import { AUTHENTICATION, basicObjects, serviceCidr } from "./basics.ts";
import type { Body } from "./body.ts";
import { flowControlObjects } from "./flow_control.ts";
import { roleObjects } from "./roles.ts";

export { firstAddress } from "./basics.ts";

/** Options of {@link bootstrap}. */
export interface BootstrapOptions {
  /** The authority of client certificates, in PEM, so that aggregated servers trust them as well. */
  readonly clientCertificateAuthority?: string;
  /** Whether aggregated ClusterRoles get their rules at the start, instead of from a controller. True by default. */
  readonly aggregatesRoles?: boolean;
}

/**
 * Creates the objects that every cluster has, if they are missing; existing ones stay as they are. Upstream:
 * `pkg/controlplane` and the post-start hooks of `pkg/registry/<group>/rest`.
 */
export function bootstrap(
  state: ServerState,
  { clientCertificateAuthority, aggregatesRoles = true }: BootstrapOptions = {},
): void {
  for (const [collection, bodies] of basicObjects(state)) {
    for (const body of bodies) createIfMissing(state, collection, body);
  }
  if (clientCertificateAuthority) publishAuthority(state, clientCertificateAuthority);
  const plain = [
    ["servicecidrs.networking.k8s.io", [serviceCidr(state)]] as const,
    ...roleObjects({ aggregatesRoles }),
    ...flowControlObjects(nowText(state)),
  ];
  for (const [collection, bodies] of plain) storeMissing(state, collection, bodies);
}

function isMissing({ store }: ServerState, collection: string, { metadata }: Body): boolean {
  return store.get(collection, joinKey(metadata.namespace, metadata.name!)) === undefined;
}

function createIfMissing(state: ServerState, collection: string, body: Body): void {
  if (!isMissing(state, collection, body)) return;
  const operation = systemOperation(state, collection, body.metadata.namespace);
  createNow(operation, decodeObject(operation, body));
}

/** Other servers must trust the client certificates that this server trusts today. */
function publishAuthority(state: ServerState, authority: string): void {
  const operation = systemOperation(state, "configmaps", AUTHENTICATION.namespace);
  updateObject(operation, AUTHENTICATION.name, (old) => {
    const published = deepCopy(old!) as StoredObject & ConfigMap;
    published.data = { ...published.data, "client-ca-file": authority };
    return published;
  });
}

/** Stores objects without defaults or checks, because there are many and the start must be quick. */
function storeMissing(state: ServerState, collection: string, bodies: readonly Body[]): void {
  const operation = systemOperation(state, collection);
  const creationTimestamp = nowText(state);
  for (const body of bodies) {
    if (!isMissing(state, collection, body)) continue;
    const object = copyOf(operation, body);
    object.metadata.uid = state.world.random.uuid();
    object.metadata.creationTimestamp = creationTimestamp;
    if (operation.served.traits.generation) object.metadata.generation = 1;
    state.store.put(collection, joinKey(object.metadata.namespace, object.metadata.name!), object);
  }
}

const decoded = new WeakMap<Body, StoredObject>();

/** The decoded body with metadata of its own. The rest is shared by the servers that get the same body. */
function copyOf(operation: Operation, body: Body): StoredObject {
  let object = decoded.get(body);
  if (!object) decoded.set(body, object = decodeObject(operation, body));
  return { ...object, metadata: { ...object.metadata } };
}
