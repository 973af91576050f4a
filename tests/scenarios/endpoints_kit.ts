/** What scenarios of Endpoints begin with, and what they wait for. */
import {
  type Container,
  ENDPOINTS,
  type Endpoints,
  type EndpointSubset,
  NODES,
  type Pod,
  PODS,
  type PodSpec,
  type Service,
  SERVICES,
  type ServiceSpec,
} from "../../src/api/mod.ts";
import { isAlreadyExists } from "../../src/client/mod.ts";
import type { Kit } from "./kit.ts";

/** A Service `s` of pods labelled `app=a`, at port 80. */
export async function createService(
  kit: Kit,
  spec: Partial<ServiceSpec> = {},
  { name = "s", labels }: { readonly name?: string; readonly labels?: Record<string, string> } = {},
): Promise<Service> {
  return await kit.create(SERVICES, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, labels },
    spec: { selector: { app: "a" }, ports: [{ name: "http", port: 80 }], ...spec },
  });
}

/** A pod of a node without a kubelet, so that its status is what the scenario says. */
export interface ServedPod {
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly ports?: Container["ports"];
  readonly finalizers?: string[];
  /** None by default. */
  readonly ips?: readonly string[];
  readonly phase?: string;
  /** Whether it is ready, and the second since when. */
  readonly ready?: boolean;
  readonly since?: number;
}

const NODE = "nowhere";

/** Without it slices would tell of a node that is missing, in the order in which they find pods. */
async function ensureNode(kit: Kit): Promise<void> {
  try {
    await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Makes a pod, with its status. */
export async function createServedPod(
  kit: Kit,
  name: string,
  { labels = { app: "a" }, spec, ports, finalizers, ...status }: ServedPod = {},
): Promise<void> {
  await ensureNode(kit);
  await kit.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, finalizers },
    spec: {
      nodeName: NODE,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "c", image: "nginx:1", ports }],
      ...spec,
    },
  });
  await sayOfPod(kit, name, status);
}

/** Says something else of a pod. */
export async function sayOfPod(
  kit: Kit,
  name: string,
  { ips, phase = "Running", ready = true, since = 1 }: Pick<ServedPod, "ips" | "phase" | "ready" | "since">,
): Promise<void> {
  const lastTransitionTime = `2024-01-01T00:00:${String(since).padStart(2, "0")}Z`;
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime }];
  const addresses = ips && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) };
  await kit.merge(PODS, name, { status: { phase, conditions, ...addresses } }, "status");
}

/** Addresses of a subset and its ports, in order: `10.0.0.1 !10.0.0.2 :80/TCP:http`; `!` is not ready. */
export function textOfSubset({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): string {
  return [
    ...addresses.map(({ ip }) => ip),
    ...notReadyAddresses.map(({ ip }) => `!${ip}`),
    ...ports.map(({ port, protocol, name = "" }) => `:${port}/${protocol}:${name}`),
  ].join(" ");
}

/** Waits until Endpoints have these subsets, as {@link textOfSubset} says them, in any order. */
export async function untilEndpoints(
  kit: Kit,
  subsets: readonly string[],
  { name = "s", also = () => true }: { readonly name?: string; readonly also?: (endpoints: Endpoints) => unknown } = {},
): Promise<Endpoints> {
  const wanted = [...subsets].sort().join("; ");
  return await kit.until(
    ENDPOINTS,
    name,
    `have ${wanted}`,
    (endpoints) => (endpoints.subsets ?? []).map(textOfSubset).sort().join("; ") === wanted && also(endpoints),
  ).catch(async (error: Error) => {
    const last = await kit.find(ENDPOINTS, name);
    throw new Error(`${error.message}; in short: ${last?.subsets?.map(textOfSubset).join("; ")}`, { cause: error });
  });
}

/** Waits until there are Endpoints. */
export async function untilThereAreEndpoints(kit: Kit, name = "s"): Promise<void> {
  await kit.untilAll(ENDPOINTS, `${name} is there`, (all) => all.some(({ metadata }) => metadata?.name === name));
}

/** Waits until the Endpoints are not those with this uid. */
export async function untilMadeAnew(kit: Kit, { metadata }: Endpoints): Promise<Endpoints> {
  const [made] = await kit.untilAll(
    ENDPOINTS,
    `${metadata?.name} is another`,
    (all) => all.some((each) => each.metadata?.name === metadata?.name && each.metadata?.uid !== metadata?.uid),
  );
  return made;
}

/** Deletes a pod that has no finalizer. */
export async function removeServedPod(kit: Kit, name: string): Promise<void> {
  await kit.delete(PODS, name);
  await kit.untilGone(PODS, name);
}

/** A sidecar with ports. */
export function sidecar(ports: Container["ports"]): Partial<Pod["spec"]> {
  return { initContainers: [{ name: "side", image: "nginx:1", restartPolicy: "Always", ports }] };
}

/** Ends what keeps a pod from going. */
export async function letGo(kit: Kit, name: string): Promise<void> {
  await kit.merge(PODS, name, { metadata: { finalizers: null } });
  await kit.untilGone(PODS, name);
}
