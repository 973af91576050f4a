import {
  type Deployment,
  DEPLOYMENTS,
  newControllerRef,
  POD_TEMPLATE_HASH_LABEL,
  type ReplicaSet,
} from "../../api/mod.ts";
import { podTemplateHashSteps } from "../../rules/mod.ts";
import { currentAnnotations, replicasAnnotations } from "./annotations.ts";
import { totalSize } from "./replica_sets.ts";
import { currentSize } from "./rolling_update.ts";

/** Longest name of an object. */
const NAME_LIMIT = 253;

/**
 * The ReplicaSet to create for the Deployment's present template. Its name is derived from the template and the
 * collision count, so that creating it twice fails. It is made in steps, because template and annotations may have a megabyte.
 *
 * @param old The Deployment's existing ReplicaSets.
 * @param revision The revision it gets.
 * @throws {Error} If `maxSurge` is missing or not a number, or the strategy is unknown.
 */
export function* newReplicaSet(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  revision: bigint,
): Generator<void, ReplicaSet> {
  const { template, selector, minReadySeconds } = deployment.spec!;
  const { name = "", namespace } = deployment.metadata ?? {};
  const hash = yield* podTemplateHashSteps(template, deployment.status?.collisionCount);
  yield;
  const { annotations } = currentAnnotations(deployment, undefined, revision);
  yield;
  const labels = { ...template.metadata?.labels, [POD_TEMPLATE_HASH_LABEL]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: replicaSetName(name, hash),
      namespace,
      labels,
      annotations: { ...annotations, ...replicasAnnotations(deployment) },
      ownerReferences: [newControllerRef(deployment, DEPLOYMENTS)],
    },
    spec: {
      replicas: currentSize(deployment, { size: 0, total: totalSize(old) }),
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [POD_TEMPLATE_HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** `<deployment>-<hash>`, with the first part truncated if the name would be too long. */
export function replicaSetName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, NAME_LIMIT - hash.length - 1)}-${hash}`;
}
