import type { Service } from "../../api/mod.ts";
import { ImplementedElsewhereError } from "../../cloud/mod.ts";
import { byKey } from "../running/mod.ts";
import { addFinalizer, removeFinalizer, writeIngress } from "./actions.ts";
import type { BalancerContext } from "./context.ts";
import { sayNoNodes, tell, warn } from "./events.ts";
import { cloudText, failedTo } from "./failures.ts";
import type { KnownService } from "./known_services.ts";
import { updateTargets } from "./node_sync.ts";
import { ingressOf, isSameIngress } from "./status.ts";
import { isToHaveNone, wantsBalancer } from "./wants.ts";

/**
 * Ensures that a Service has the balancer that it wants, or none.
 * Upstream: `k8s.io/cloud-provider/controllers/service/controller.go` (syncService).
 *
 * @throws {ServiceBusyError} If the Service is being worked on.
 * @throws {StatusError} If a write failed.
 * @throws {Error} With the cloud's error as its cause.
 */
export async function syncService(key: string, context: BalancerContext, signal: AbortSignal): Promise<void> {
  const { known, services } = context;
  using hold = context.holds.take(key);
  const service = byKey(services, key);
  const last = known.get(key)?.service;
  if (last && (!service || last.metadata?.uid !== service.metadata?.uid)) {
    await removeVanished(last, context, signal);
    known.forget(key);
  }
  if (!service) return;
  const entry = known.set(key, service);
  try {
    if (isToHaveNone(service)) {
      await removeBalancer(service, context, signal);
      return known.forget(key);
    }
    await ensureBalancer(entry, context, signal);
  } catch (error) {
    if (!signal.aborted) {
      warn(service, context, "SyncLoadBalancerFailed", `Error syncing load balancer: ${cloudText(error)}`);
    }
    throw error;
  }
  if (hold.missedNodes) await updateTargets(key, context, signal);
}

/** Removes the balancer of a Service that was deleted without our finalizer. */
async function removeVanished(service: Service, context: BalancerContext, signal: AbortSignal): Promise<void> {
  if (!wantsBalancer(service)) return;
  tell(service, context, "DeletingLoadBalancer", "Deleting load balancer");
  try {
    await context.balancers.ensureLoadBalancerDeleted(context.clusterName, service, signal);
  } catch (error) {
    if (!signal.aborted) {
      warn(service, context, "DeleteLoadBalancerFailed", `Error deleting load balancer: ${cloudText(error)}`);
    }
    throw error;
  }
  tell(service, context, "DeletedLoadBalancer", "Deleted load balancer");
}

async function removeBalancer(service: Service, context: BalancerContext, signal: AbortSignal): Promise<void> {
  const { balancers, clusterName } = context;
  const status = await balancers.getLoadBalancer(clusterName, service, signal)
    .catch((error) => Promise.reject(failedTo("check if load balancer exists before cleanup", error)));
  if (status !== null) {
    tell(service, context, "DeletingLoadBalancer", "Deleting load balancer");
    await balancers.ensureLoadBalancerDeleted(clusterName, service, signal).catch((error) => {
      if (!(error instanceof ImplementedElsewhereError)) throw failedTo("delete load balancer", error);
    });
  }
  await removeFinalizer(service, context)
    .catch((error) => Promise.reject(failedTo("remove load balancer cleanup finalizer", error)));
  tell(service, context, "DeletedLoadBalancer", "Deleted load balancer");
  if (service.status?.loadBalancer?.ingress?.length) await writeStatus(() => writeIngress(service, null, context));
}

async function ensureBalancer(
  entry: KnownService,
  context: BalancerContext,
  signal: AbortSignal,
): Promise<void> {
  const { service } = entry;
  const { balancers, clusterName } = context;
  tell(service, context, "EnsuringLoadBalancer", "Ensuring load balancer");
  // Before anything is created in the cloud, so that the Service cannot disappear without clean-up.
  await addFinalizer(service, context)
    .catch((error) => Promise.reject(failedTo("add load balancer cleanup finalizer", error)));
  const { current } = context.targets;
  if (current.nodes.length === 0) sayNoNodes(service, context);
  entry.targets = current;
  let status;
  try {
    status = await balancers.ensureLoadBalancer(clusterName, service, current.nodes, signal);
  } catch (error) {
    if (error instanceof ImplementedElsewhereError) return;
    throw failedTo("ensure load balancer", error);
  }
  if (!status) throw new Error("service status returned by EnsureLoadBalancer is nil");
  const ingress = ingressOf(status);
  tell(service, context, "EnsuredLoadBalancer", "Ensured load balancer");
  if (isSameIngress(service.status?.loadBalancer?.ingress, ingress)) return;
  await writeStatus(() => writeIngress(service, ingress.length > 0 ? ingress : null, context));
}

async function writeStatus(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw failedTo("update load balancer status", error);
  }
}
