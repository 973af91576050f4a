import { controllerOf, type KubeObject, type OwnerReference, parseApiVersion, type Pod } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { OwnerContext, OwnerScale } from "./context.ts";
import { liveScale } from "./live_scale.ts";

/** How many pods the owners of pods want, all together. */
export interface ScaleSum {
  readonly replicas: number;
  /** Names of pods without a controller. */
  readonly unmanaged: readonly string[];
}

/** Any object with a number of replicas. */
type Scaled = KubeObject & { readonly spec?: { readonly replicas?: number } };

/** Both groups have served ReplicaSets and Deployments; references may be old. */
const WORKLOAD_GROUPS = ["apps", "extensions"];

/**
 * Adds up how many pods the owners of these pods want, each owner once: for a ReplicaSet of a Deployment, the
 * Deployment.
 *
 * @throws {Error} If the owner of a pod is not found, or cannot be asked; see {@link liveScale}.
 */
export async function scaleOf(pods: readonly Pod[], context: OwnerContext): Promise<ScaleSum> {
  const scales = new Map<string, number>();
  const asked = new Set<string>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { namespace, name = "" } = pod.metadata ?? {};
    const reference = controllerOf(pod);
    if (!reference) {
      unmanaged.push(name);
      continue;
    }
    if (asked.has(reference.uid)) continue;
    asked.add(reference.uid);
    const owner = cachedScale(reference, namespace, context) ?? await liveScale(reference, namespace, context);
    if (!owner) throw new Error(`found no controllers for pod "${name}"`);
    scales.set(owner.uid, owner.replicas);
  }
  // Upstream counts in 32 bits, so a larger sum becomes negative and allows nothing.
  return { replicas: [...scales.values()].reduce((sum, replicas) => (sum + replicas) | 0, 0), unmanaged };
}

/**
 * How many pods a built-in owner wants according to the caches; `undefined` if they lack it. A ReplicaSet whose
 * Deployment they lack counts as missing. Upstream: `pkg/controller/disruption/disruption.go` (finders).
 *
 * @throws {Error} If the reference's apiVersion cannot be read.
 */
function cachedScale(
  reference: OwnerReference,
  namespace: string | undefined,
  context: OwnerContext,
): OwnerScale | undefined {
  const find = <T extends Scaled>(lister: Pick<Lister<T>, "get">, kind: string, groups: readonly string[]) => {
    const owner = isOfKind(reference, kind, groups) ? lister.get(namespace, reference.name) : undefined;
    return owner?.metadata?.uid === reference.uid ? owner : undefined;
  };
  const replicaSet = find(context.replicaSets, "ReplicaSet", WORKLOAD_GROUPS);
  if (replicaSet) return scaleOfReplicaSet(replicaSet, context);
  const owner = find(context.replicationControllers, "ReplicationController", [""]) ??
    find(context.statefulSets, "StatefulSet", ["apps"]);
  return owner && ownScale(owner);
}

function scaleOfReplicaSet(replicaSet: Scaled, { deployments }: OwnerContext): OwnerScale | undefined {
  const reference = controllerOf(replicaSet);
  // With another group it is still a Deployment, and the ReplicaSet itself does not count.
  if (reference?.kind !== "Deployment") return ownScale(replicaSet);
  if (!isOfKind(reference, "Deployment", WORKLOAD_GROUPS)) return undefined;
  const deployment = deployments.get(replicaSet.metadata?.namespace, reference.name);
  return deployment?.metadata?.uid === reference.uid ? ownScale(deployment) : undefined;
}

function ownScale({ metadata, spec }: Scaled): OwnerScale {
  return { uid: metadata?.uid ?? "", replicas: spec?.replicas ?? 1 };
}

function isOfKind({ apiVersion, kind }: OwnerReference, wanted: string, groups: readonly string[]): boolean {
  const { group } = parseApiVersion(apiVersion);
  return kind === wanted && groups.includes(group);
}
