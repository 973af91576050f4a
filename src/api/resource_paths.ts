import { BUILT_IN_RESOURCES } from "./generated_resources.ts";
import type { ObjectReference } from "./generated_types.ts";
import type { KubeObject, Resource } from "./resource.ts";

/** A group and a version apart; the core group is empty. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** What `apiVersion` says for objects of this resource: `apps/v1`, or `v1` in the core group. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group ? `${group}/${version}` : version;
}

/**
 * The group and version in an `apiVersion`. An empty text gives both empty.
 *
 * @throws {Error} `unexpected GroupVersion string: a/b/c` if there is more than one slash.
 */
export function parseApiVersion(text: string): GroupVersion {
  const parts = text.split("/");
  if (parts.length > 2) throw new Error(`unexpected GroupVersion string: ${text}`);
  return parts.length === 2 ? { group: parts[0], version: parts[1] } : { group: "", version: text };
}

/** How messages and metrics name a resource: `deployments.apps`, or `pods` in the core group. */
export function groupResource({ group, plural }: Pick<Resource, "group" | "plural">): string {
  return group ? `${plural}.${group}` : plural;
}

/** Which part of a resource a path leads to. */
export interface PathTarget {
  /** Ignored for a cluster-scoped resource. Absent or empty for a namespaced one: all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/**
 * The path of a resource on the API server.
 *
 * @throws {TypeError} If a namespaced object is named without its namespace.
 *
 * @example
 * ```ts
 * import { DEPLOYMENTS, resourcePath } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   resourcePath(DEPLOYMENTS, { namespace: "x", name: "y", subresource: "status" }),
 *   "/apis/apps/v1/namespaces/x/deployments/y/status",
 * );
 * ```
 */
export function resourcePath(resource: Resource, { namespace, name, subresource }: PathTarget = {}): string {
  if (resource.namespaced && name && !namespace) {
    throw new TypeError(`Cannot make the path of ${groupResource(resource)} "${name}": it has no namespace`);
  }
  let path = `${groupVersionPath(resource)}/`;
  if (resource.namespaced && namespace) path += `namespaces/${segment(namespace)}/`;
  path += resource.plural;
  if (name) path += `/${segment(name)}`;
  if (subresource) path += `/${subresource}`;
  return path;
}

/** The path under which discovery describes a group's version: `/api/v1` or `/apis/apps/v1`. */
export function groupVersionPath({ group, version }: GroupVersion): string {
  return group ? `/apis/${group}/${version}` : `/api/${version}`;
}

/** One segment of a path; the colon of names like `system:node` stays as it is. */
function segment(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":");
}

/** Which built-in resource is meant; the best version is taken when none is given. */
export interface ResourceQuery {
  /** Any group if absent. */
  readonly group?: string;
  readonly version?: string;
  /** Give this or `kind`. */
  readonly plural?: string;
  readonly kind?: string;
}

/**
 * The built-in resource with this plural or kind, in its best version: stable before beta before alpha, then the higher
 * number. Of several groups the core group wins, since it comes first in the table.
 */
export function findResource({ group, version, plural, kind }: ResourceQuery): Resource | undefined {
  let best: Resource | undefined;
  for (const resource of BUILT_IN_RESOURCES) {
    if (group !== undefined && resource.group !== group) continue;
    if (version !== undefined && resource.version !== version) continue;
    if (plural !== undefined ? resource.plural !== plural : resource.kind !== kind) continue;
    if (kind !== undefined && resource.kind !== kind) continue;
    if (best && best.group !== resource.group) continue;
    if (!best || compareVersions(resource.version, best.version) > 0) best = resource;
  }
  return best;
}

/**
 * Orders API versions: positive if `a` comes before `b` in preference. `v2`, `v1`, `v2beta1`, `v1beta2`, `v1alpha1`,
 * then other names alphabetically. Upstream: `k8s.io/apimachinery/pkg/version/helpers.go`
 * (CompareKubeAwareVersionStrings).
 */
export function compareVersions(a: string, b: string): number {
  const left = versionRank(a);
  const right = versionRank(b);
  if (!left || !right) return left ? 1 : right ? -1 : a === b ? 0 : a < b ? 1 : -1;
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

function versionRank(version: string): [stability: number, major: number, minor: number] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const [, major, stage, minor = "0"] = match;
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
}

/** A full reference to `object`, for events and messages; kind and version come from `resource`. */
export function referenceTo(object: KubeObject, resource: Resource): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata ?? {};
  const reference: ObjectReference = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  if (namespace) reference.namespace = namespace;
  if (name) reference.name = name;
  if (uid) reference.uid = uid;
  if (resourceVersion) reference.resourceVersion = resourceVersion;
  return reference;
}
