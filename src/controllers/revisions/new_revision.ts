import {
  type ControllerRevision,
  type KubeObject,
  newControllerRef,
  type PodTemplateSpec,
  type Resource,
} from "../../api/mod.ts";
import type { RevisionData } from "./revision_data.ts";
import { revisionName } from "./revision_names.ts";

/** What a revision is made from. */
export interface RevisionParts {
  readonly parent: KubeObject;
  readonly parentResource: Resource;
  readonly template: PodTemplateSpec;
  readonly data: RevisionData;
  readonly revision: number;
  readonly hash: string;
  /** The label that carries the hash. */
  readonly hashLabel: string;
}

/**
 * The revision to create: with the labels of the template, the annotations of its parent, and its hash in name and label.
 * Upstream: `pkg/controller/history` (NewControllerRevision).
 */
export function newRevision(
  { parent, parentResource, template, data, revision, hash, hashLabel }: RevisionParts,
): ControllerRevision {
  const { namespace, name = "", annotations } = parent.metadata ?? {};
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      namespace,
      name: revisionName(name, hash),
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      annotations,
      ownerReferences: [newControllerRef(parent, parentResource)],
    },
    data: data.value,
    revision,
  };
}
