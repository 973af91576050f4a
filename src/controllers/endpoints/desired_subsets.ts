import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service, ServicePort } from "../../api/mod.ts";
import { isPodReady } from "../../rules/mod.ts";
import { repackSubsets } from "../endpoint_subsets/mod.ts";
import { canonicalAddress, hostnameFor, isPodInEndpoints, podAddresses, targetPortOf } from "../service_pods/mod.ts";

/** How many ports are processed between two checks of the clock. */
const STEP = 16;

/** Pods for which a Service's ports have the same numbers. */
interface Alike {
  readonly addresses: EndpointAddress[];
  readonly notReadyAddresses: EndpointAddress[];
  readonly ports: EndpointPort[];
}

/**
 * The subsets that a Service's Endpoints should have, in canonical form, before truncation.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (syncService).
 *
 * @param pods The selected pods.
 */
export function* desiredSubsets(service: Service, pods: readonly Pod[]): Generator<void, EndpointSubset[]> {
  const { ports: servicePorts = [], clusterIP, publishNotReadyAddresses = false } = service.spec ?? {};
  if (servicePorts.length === 0 && clusterIP !== "None") return [];
  const subsets = new Map<string, Alike>();
  for (const pod of pods) {
    yield;
    if (!isPodInEndpoints(pod, { terminating: publishNotReadyAddresses })) continue;
    const address = addressFor(pod, service);
    if (!address) continue;
    const numbers = yield* numbersFor(pod, servicePorts);
    if (servicePorts.length > 0 && numbers.every((number) => number === undefined)) continue;
    const alike = subsets.get(numbers.join());
    const { addresses, notReadyAddresses } = alike ?? newSubset(subsets, servicePorts, numbers);
    (publishNotReadyAddresses || isPodReady(pod) ? addresses : notReadyAddresses).push(address);
  }
  return yield* repackSubsets([...subsets.values()]);
}

/** The number of each port in the pod; none if the pod lacks it. */
function* numbersFor(pod: Pod, ports: readonly ServicePort[]): Generator<void, (number | undefined)[]> {
  const numbers: (number | undefined)[] = [];
  for (const port of ports) {
    if (numbers.push(targetPortOf(pod, port)) % STEP === 0) yield;
  }
  return numbers;
}

function newSubset(
  subsets: Map<string, Alike>,
  servicePorts: readonly ServicePort[],
  numbers: readonly (number | undefined)[],
): Alike {
  const ports: EndpointPort[] = [];
  for (const [i, { name, protocol, appProtocol }] of servicePorts.entries()) {
    const port = numbers[i];
    if (port !== undefined) {
      ports.push({ ...name && { name }, port, protocol, ...appProtocol !== undefined && { appProtocol } });
    }
  }
  const subset = { addresses: [], notReadyAddresses: [], ports };
  subsets.set(numbers.join(), subset);
  return subset;
}

/**
 * The pod's address of the Service's family; `undefined` if it has none. Nodes without IPv6 may have only some pods.
 */
function addressFor(pod: Pod, service: Service): EndpointAddress | undefined {
  const family = familyOf(service, pod);
  const ip = podAddresses(pod).find((address) => address.family === family)?.text;
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata ?? {};
  const hostname = hostnameFor(pod, service);
  return {
    ...hostname !== undefined && { hostname },
    ip,
    nodeName: pod.spec?.nodeName ?? "",
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** The family of a Service's first address. Fields that the API server has not defaulted are derived from others. */
function familyOf({ spec }: Service, pod: Pod): string {
  const [first] = spec?.ipFamilies ?? [];
  if (first) return first;
  const own = spec?.clusterIP && spec.clusterIP !== "None" ? spec.clusterIP : pod.status?.podIP;
  return canonicalAddress(own ?? "")?.family ?? "IPv4";
}
