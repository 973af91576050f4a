import {
  DAEMONSETS,
  DEPLOYMENTS,
  ENDPOINTSLICES,
  findCondition,
  JOBS,
  type KubeObject,
  NAMESPACES,
  NODES,
  PERSISTENTVOLUMECLAIMS,
  PODS,
  REPLICASETS,
  type Resource,
  SERVICES,
  STATEFULSETS,
} from "../../api/mod.ts";
import { isPodReady } from "../../rules/mod.ts";

/** An object's standing. */
export interface Standing {
  readonly ready: boolean;
  /** Its text, such as `2/3 ready`. */
  readonly text: string;
}

/** A kind that the progress shows. */
export interface ShownKind {
  readonly resource: Resource;
  /** The controller that its objects need to become ready. */
  readonly controller?: string;
  /** Whether each change of an object gets a line if there is no terminal. */
  readonly isTold: boolean;
  standing(object: KubeObject): Standing;
}

function shown<T extends KubeObject>(
  resource: Resource<T>,
  standing: (object: T) => Standing,
  { controller, isTold = false }: { readonly controller?: string; readonly isTold?: boolean } = {},
): ShownKind {
  return { resource, controller, isTold, standing: (object) => standing(object as T) };
}

function replicas(wanted = 1, ready = 0, isObserved = true): Standing {
  return { ready: isObserved && ready >= wanted, text: `${ready}/${wanted} ready` };
}

const yesNo = (ready: boolean, text: string): Standing => ({ ready, text });

/** The taint of nodes that no cloud has initialized yet. */
const UNINITIALIZED_TAINT = "node.cloudprovider.kubernetes.io/uninitialized";

/** The kinds, in display order. */
export const SHOWN_KINDS: readonly ShownKind[] = [
  shown(NODES, ({ spec, status }) => {
    if (spec?.taints?.some(({ key }) => key === UNINITIALIZED_TAINT)) return yesNo(false, "waits for its cloud");
    const isReady = findCondition(status?.conditions, "Ready")?.status === "True";
    return yesNo(isReady, isReady ? "ready" : "not ready");
  }),
  shown(NAMESPACES, ({ status }) => yesNo(status?.phase === "Active", status?.phase ?? "made"), { isTold: true }),
  shown(DEPLOYMENTS, ({ metadata, spec, status }) => {
    const { readyReplicas, updatedReplicas = 0, replicas: all = 0, observedGeneration } = status ?? {};
    const wanted = spec?.replicas ?? 1;
    const isCurrent = observedGeneration === metadata?.generation && updatedReplicas === wanted && all === wanted;
    const { ready, text } = replicas(wanted, readyReplicas, isCurrent);
    return { ready, text: `${text}, ${updatedReplicas} up to date, ${all} in all` };
  }, { controller: "deployment-controller", isTold: true }),
  shown(
    STATEFULSETS,
    ({ metadata, spec, status }) =>
      replicas(spec?.replicas, status?.readyReplicas, status?.observedGeneration === metadata?.generation),
    {
      controller: "statefulset-controller",
      isTold: true,
    },
  ),
  shown(
    DAEMONSETS,
    ({ metadata, status }) =>
      replicas(
        status?.desiredNumberScheduled ?? 0,
        status?.numberReady,
        status?.observedGeneration === metadata?.generation,
      ),
    { controller: "daemonset-controller", isTold: true },
  ),
  shown(REPLICASETS, ({ spec, status }) => replicas(spec?.replicas, status?.readyReplicas), {
    controller: "replicaset-controller",
  }),
  shown(JOBS, ({ spec, status }) => {
    const isComplete = findCondition(status?.conditions, "Complete")?.status === "True";
    const failed = findCondition(status?.conditions, "Failed");
    const why = failed?.status === "True" ? `, failed: ${failed.reason}` : "";
    return yesNo(isComplete, `${status?.succeeded ?? 0}/${spec?.completions ?? 1} succeeded${why}`);
  }, { controller: "job-controller", isTold: true }),
  shown(PODS, (pod) => yesNo(isPodReady(pod) || pod.status?.phase === "Succeeded", pod.status?.phase ?? "Pending")),
  shown(SERVICES, ({ spec, status }) => {
    const waits = spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined;
    const addresses = status?.loadBalancer?.ingress?.map(({ ip, hostname }) => ip ?? hostname ?? "") ?? [];
    if (!waits) return yesNo(true, "made");
    return yesNo(addresses.length > 0, addresses.length > 0 ? `at ${addresses.join(", ")}` : "no address yet");
  }, { controller: "service-lb-controller", isTold: true }),
  shown(ENDPOINTSLICES, ({ endpoints }) => {
    const all = endpoints ?? [];
    const ready = all.filter(({ conditions }) => conditions?.ready !== false).length;
    return yesNo(ready === all.length, `${ready}/${all.length} endpoints ready`);
  }, { controller: "endpointslice-controller", isTold: true }),
  shown(
    PERSISTENTVOLUMECLAIMS,
    ({ status }) => yesNo(status?.phase === "Bound", status?.phase ?? "Pending"),
    { controller: "persistentvolume-binder-controller" },
  ),
];
