import {
  type ControllerRevision,
  type KubeObject,
  newControllerRef,
  type PodTemplateSpec,
  type Resource,
  safeEncode,
} from "../../api/mod.ts";
import { fnv1_32 } from "../../base/mod.ts";
import type { RevisionData } from "./revision_data.ts";

/** Leaves room in a name of 253 bytes for a dash and a hash. */
const LONGEST_PREFIX = 223;
const encoder = new TextEncoder();

/**
 * The hash that names a StatefulSet's revision. (A DaemonSet's is the hash of its pod template.)
 * Upstream: `pkg/controller/history` (HashControllerRevision).
 *
 * @param collisionCount How many names other data had already taken.
 */
export function revisionHash({ text }: RevisionData, collisionCount: number): string {
  return safeEncode(String(fnv1_32(encoder.encode(`${text}${collisionCount}`))));
}

/** The name of the revision with this hash. */
export function revisionName(parentName: string, hash: string): string {
  return `${parentName.slice(0, LONGEST_PREFIX)}-${hash}`;
}

/** What a revision is made from. */
export interface RevisionParts {
  readonly parent: KubeObject;
  readonly parentResource: Resource;
  readonly template: PodTemplateSpec;
  readonly data: RevisionData;
  readonly revision: number;
  readonly hash: string;
  /** The label that holds the hash. */
  readonly hashLabel: string;
}

/**
 * The revision to create, with the template's labels, the parent's annotations, and the hash in its name and label.
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
