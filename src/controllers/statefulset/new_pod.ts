import {
  CONTROLLER_REVISION_HASH_LABEL,
  newControllerRef,
  type Pod,
  type PodTemplateSpec,
  type StatefulSet,
  STATEFULSETS,
} from "../../api/mod.ts";
import { podFromTemplate } from "../pods/mod.ts";
import { podName, withIdentity } from "./identity.ts";
import { withStorage } from "./storage.ts";

/** A pod's template, and the name of its revision. */
export interface VersionedTemplate {
  readonly template: PodTemplateSpec | undefined;
  readonly revision: string;
}

/** The set's pod to create for this number. */
export function newPod(set: StatefulSet, ordinal: number, { template, revision }: VersionedTemplate): Pod {
  const pod = podFromTemplate({
    namespace: set.metadata?.namespace,
    template,
    parent: set,
    controllerRef: newControllerRef(set, STATEFULSETS),
  });
  const name = podName(set, ordinal);
  const identified = withIdentity(set, { ...pod, metadata: { ...pod.metadata, name } });
  const labels = { ...identified.metadata?.labels, [CONTROLLER_REVISION_HASH_LABEL]: revision };
  return withStorage(set, {
    ...identified,
    metadata: { ...identified.metadata, labels },
    // Neither can be changed later, so a repair leaves them alone.
    spec: { ...pod.spec!, hostname: name, subdomain: set.spec?.serviceName || undefined },
  });
}
