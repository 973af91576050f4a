import { apiVersionOf } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import {
  type FieldSet,
  hasPath,
  isSameOwner,
  LEAF,
  type Owner,
  readOwners,
  setEntries,
  withoutPath,
} from "../apply/mod.ts";
import type { ScalePaths } from "../custom/mod.ts";
import type { Operation } from "../operations/mod.ts";
import type { ServedResource } from "../resources/mod.ts";

const SCALE_VERSION = "autoscaling/v1";
const REPLICAS = ["f:spec", "f:replicas"];

/** Where a kind's replicas are. */
export function pathsOf({ custom }: ServedResource): ScalePaths {
  return custom?.scale ?? { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
}

/** The path of a kind's replicas among the fields that have owners. */
function replicasPath({ served }: Operation): readonly string[] {
  return pathsOf(served).specReplicasPath.split(".").filter((step) => step !== "").map((step) => `f:${step}`);
}

function setOf(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((node, step) => ({ [step]: node }), LEAF);
}

/** The owners of an object's replicas in its Scale. Upstream: `managedfields/scalehandler.go` (ToSubresource). */
export function scaleOwners(operation: Operation, { metadata }: StoredObject): Owner[] {
  const path = replicasPath(operation);
  return (readOwners(metadata.managedFields) ?? []).filter(({ fields }) => hasPath(fields, path))
    .map((owner) => ({ ...owner, apiVersion: SCALE_VERSION, fields: setOf(REPLICAS) }));
}

/** Gives an object the owners in its Scale: whoever lost the replicas there loses them here. Upstream: ToParent. */
export function withScaleOwners(operation: Operation, object: StoredObject, scale: readonly Owner[]): void {
  const path = replicasPath(operation);
  const left = [...scale];
  const owners: Owner[] = [];
  for (const owner of readOwners(object.metadata.managedFields) ?? []) {
    const at = left.findIndex((other) => isSameManager(owner, other));
    if (!hasPath(owner.fields, path)) owners.push(owner);
    else if (at >= 0) owners.push(left.splice(at, 1) && owner);
    else {
      const fields = withoutPath(owner.fields, path);
      if (fields) owners.push({ ...owner, fields });
    }
  }
  for (const owner of left) {
    if (!hasPath(owner.fields, REPLICAS)) continue;
    // Upstream sets no time for owners that only the Scale has.
    owners.push({ ...owner, apiVersion: apiVersionOf(operation.served), time: "", fields: setOf(path) });
  }
  setEntries(object, owners);
}

/** Like {@link isSameOwner}, for an owner in the object and one in its Scale, whose versions differ. */
function isSameManager(owner: Owner, other: Owner): boolean {
  return isSameOwner({ ...owner, apiVersion: SCALE_VERSION }, other);
}
