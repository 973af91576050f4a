import type { ServedResource } from "../resources/mod.ts";
import { type FieldSet, withoutBelow } from "./field_set.ts";

/** Paths that a write cannot change, whatever it sends; so it does not come to own them. */
type Paths = ReadonlyArray<readonly string[]>;

const NONE: Paths = [];
const STATUS: Paths = [["f:status"]];
const SPEC: Paths = [["f:spec"]];
const ALL_BUT_STATUS: Paths = [["f:metadata"], ["f:spec"]];

/**
 * Writes that reset other fields than the status (or, for a write to the status, the spec), by kind and subresource.
 * Upstream: GetResetFields of the kinds' strategies.
 */
const RESETS: Readonly<Record<string, Paths>> = {
  "certificatesigningrequests.certificates.k8s.io/": [["f:spec"], ["f:status"]],
  "certificatesigningrequests.certificates.k8s.io/status": [["f:spec"], ["f:status", "f:conditions"]],
  "certificatesigningrequests.certificates.k8s.io/approval": [["f:spec"], ["f:status", "f:certificate"]],
  "deployments.apps/status": [["f:spec"], ["f:metadata", "f:labels"]],
  "namespaces/finalize": STATUS,
  "podcertificaterequests.certificates.k8s.io/": NONE,
  "podcertificaterequests.certificates.k8s.io/status": SPEC,
  "podgroups.scheduling.k8s.io/": NONE,
  "pods/status": [["f:spec"], ["f:metadata", "f:deletionTimestamp"], ["f:metadata", "f:ownerReferences"]],
};

function resetsOf({ collection, served, custom, traits }: ServedResource, subresource: string): Paths {
  const special = RESETS[`${collection}/${subresource}`];
  if (special) return special;
  if (!served.has("status")) return NONE;
  if (subresource === "status") return custom || traits.keepsMetadataOnStatus ? ALL_BUT_STATUS : SPEC;
  return subresource === "" ? STATUS : NONE;
}

/** The part of `fields` that a write through `subresource` can change. */
export function writableFields(
  fields: FieldSet | undefined,
  served: ServedResource,
  subresource: string,
): FieldSet | undefined {
  return resetsOf(served, subresource).reduce(withoutBelow, fields);
}
