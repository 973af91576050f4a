/** What scenarios of ServiceCIDRs begin with, and what they wait for. */
import { stringifyJson } from "../../src/base/mod.ts";
import {
  CONFIGMAPS,
  findCondition,
  type IPAddress,
  IPADDRESSES,
  type KubeObject,
  type Resource,
  type ServiceCIDR,
  SERVICECIDRS,
} from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import type { Kit } from "./kit.ts";

/** They are of no namespace, and scenarios are played side by side. */
const nameOf = (kit: Kit, name: string) => `${kit.namespace}-${name}`;

/** Makes a ServiceCIDR. */
export async function createCidr(kit: Kit, name: string, cidrs: string[]): Promise<void> {
  await kit.create(SERVICECIDRS, {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: nameOf(kit, name) },
    spec: { cidrs },
  });
}

/** Makes an address as the API server does when a Service gets it, or as a user may. */
export async function createAddress(kit: Kit, name: string, managedBy = "ipallocator.k8s.io"): Promise<void> {
  await kit.create<IPAddress>(IPADDRESSES, {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: {
      name,
      labels: {
        "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
        "ipaddress.kubernetes.io/managed-by": managedBy,
      },
    },
    spec: { parentRef: { resource: "services", namespace: kit.namespace, name: "s" } },
  });
}

export async function deleteCidr(kit: Kit, name: string): Promise<void> {
  await kit.client.delete(SERVICECIDRS, { name: nameOf(kit, name) });
}

export async function deleteAddress(kit: Kit, name: string): Promise<void> {
  await kit.client.delete(IPADDRESSES, { name });
}

/** Waits until the condition says this, and the finalizer is there; writes down what else is. */
export async function untilCidrSays(kit: Kit, name: string, status: "True" | "False", moment: string): Promise<void> {
  const cidr = await kit.until(SERVICECIDRS, nameOf(kit, name), `says ${status}`, (cidr) => {
    return findCondition(cidr.status?.conditions, "Ready")?.status === status && cidr.metadata?.finalizers?.length;
  });
  await writeDown(kit, moment, cidr);
}

/** Waits until ServiceCIDRs are gone. */
export async function untilCidrsAreGone(kit: Kit, ...names: string[]): Promise<void> {
  const wanted = new Set(names.map((name) => nameOf(kit, name)));
  await kit.untilAll(
    SERVICECIDRS as Resource<ServiceCIDR>,
    `${names} are gone`,
    (all) => !all.some(({ metadata }) => wanted.has(metadata!.name!)),
  );
}

/** Waits until the API server's own ServiceCIDR is as the controller leaves it, and writes it down. */
export async function untilDefaultIsReady(kit: Kit): Promise<void> {
  const cidr = await kit.until(
    SERVICECIDRS,
    "kubernetes",
    "has the controller's message",
    ({ status }) => findCondition(status?.conditions, "Ready")?.message === "Kubernetes Service CIDR is ready",
  );
  await writeDown(kit, "default", cidr);
}

/** What the controller's writes carry. */
const MANAGERS = ["kube-controller-manager", "service-cidr-controller"];

/** Keeps in the namespace, where managers are compared, what an object without one was like. */
async function writeDown(kit: Kit, moment: string, { metadata, spec, status }: ServiceCIDR): Promise<void> {
  const { finalizers, managedFields = [] } = metadata ?? {};
  const conditions = status?.conditions?.map(({ lastTransitionTime: _time, ...said }) => said);
  // They are sorted by time, in seconds.
  const managers = managedFields.filter(({ manager = "" }) => MANAGERS.includes(manager))
    .map(({ manager, operation, subresource, fieldsV1 }) => ({ manager, operation, subresource, fieldsV1 }))
    .sort((a, b) => a.manager! < b.manager! ? -1 : 1);
  const seen: KubeObject & { data: Record<string, string> } = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: moment },
    data: { seen: stringifyJson({ finalizers, spec, conditions, managers }) },
  };
  await kit.create(CONFIGMAPS, seen);
}

/** Removes what a scenario may have left behind, whatever came of it. */
export async function removeAddress(kit: Kit, name: string): Promise<void> {
  await deleteAddress(kit, name).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}
