import { type Endpoint, type Node, type Pod, type Service, TOPOLOGY_ZONE_LABEL } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { isPodReady } from "../../rules/mod.ts";
import { endpointKey, inHashOrder, portKey } from "../endpoint_slices/mod.ts";
import { hostnameFor, isPodInEndpoints, podAddresses, targetPortOf } from "../service_pods/mod.ts";
import type { AddressType } from "./slice_draft.ts";
import type { SliceKind } from "./service_slices.ts";

/** The endpoints of the pods on which a Service's ports have the same numbers. */
export interface PortGroup extends SliceKind {
  /** By {@link endpointKey}. */
  readonly endpoints: Map<string, Endpoint>;
}

/** The content of a Service's slices of one family. */
export interface Desired {
  /** By {@link portKey}. */
  readonly groups: ReadonlyMap<string, PortGroup>;
  /** Pods that had to be left out. */
  readonly errors: readonly Error[];
}

/**
 * Computes a Service's endpoints, one step per pod. A pod on an unknown node is left out, unless the Service publishes
 * unready pods. Upstream: `k8s.io/endpointslice/reconciler.go` (reconcileByAddressType).
 *
 * @param pods The selected pods.
 */
export function* desiredEndpoints(
  service: Service,
  pods: readonly Pod[],
  { addressType, nodes }: { readonly addressType: AddressType; readonly nodes: Pick<Lister<Node>, "get"> },
): Generator<void, Desired> {
  const groups = new Map<string, PortGroup>();
  const byNumbers = new Map<string, PortGroup>();
  const errors: Error[] = [];
  for (const pod of pods) {
    yield;
    if (!isPodInEndpoints(pod, { terminating: true })) continue;
    const numbers = targetPorts(pod, service);
    const text = numbers.join();
    let group = byNumbers.get(text);
    if (!group) byNumbers.set(text, group = groupFor(service, { numbers, addressType, groups }));
    const node = nodes.get(undefined, pod.spec?.nodeName ?? "");
    if (!node && !service.spec?.publishNotReadyAddresses) {
      errors.push(nodeMissing(pod, service));
      continue;
    }
    const endpoint = endpointOf(pod, { service, node, addressType });
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return { groups, errors };
}

/** A pod's port numbers in the order of the Service's ports; `undefined` for those it lacks. */
function targetPorts(pod: Pod, { spec }: Service): readonly (number | undefined)[] {
  return (spec?.ports ?? []).map((port) => targetPortOf(pod, port));
}

function groupFor(
  service: Service,
  { numbers, addressType, groups }: {
    readonly numbers: readonly (number | undefined)[];
    readonly addressType: AddressType;
    readonly groups: Map<string, PortGroup>;
  },
): PortGroup {
  const ports = (service.spec?.ports ?? []).flatMap(({ name = "", protocol, appProtocol }, i) => {
    const port = numbers[i];
    return port === undefined ? [] : [{ name, port, protocol, ...appProtocol !== undefined && { appProtocol } }];
  });
  const key = portKey(ports);
  let group = groups.get(key);
  if (!group) groups.set(key, group = { addressType, ports: inHashOrder(ports), endpoints: new Map() });
  return group;
}

function endpointOf(
  pod: Pod,
  { service, node, addressType }: {
    readonly service: Service;
    readonly node: Node | undefined;
    readonly addressType: AddressType;
  },
): Endpoint {
  const { namespace, name, uid, deletionTimestamp } = pod.metadata ?? {};
  const serving = isPodReady(pod);
  const terminating = Boolean(deletionTimestamp);
  const hostname = hostnameFor(pod, service);
  const zone = node?.metadata?.labels?.[TOPOLOGY_ZONE_LABEL];
  return {
    addresses: podAddresses(pod).filter(({ family }) => family === addressType).map(({ text }) => text),
    conditions: {
      ready: Boolean(service.spec?.publishNotReadyAddresses) || (serving && !terminating),
      serving,
      terminating,
    },
    ...hostname && { hostname },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...pod.spec?.nodeName && { nodeName: pod.spec.nodeName },
    ...zone && { zone },
  };
}

function nodeMissing({ metadata, spec }: Pod, service: Service): Error {
  const { namespace, name } = service.metadata ?? {};
  return new Error(
    `skipping Pod ${metadata?.name} for Service ${namespace}/${name}: Node ${spec?.nodeName ?? ""} Not Found`,
  );
}
