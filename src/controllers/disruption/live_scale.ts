import { TurnBudget } from "../../base/mod.ts";
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  type Resource,
  type Scale,
} from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { SCALE_VERSIONS, scaleSelector } from "../pods/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { OwnerScale, ScaleContext } from "./context.ts";

/**
 * How many pods an owner wants, as its scale subresource says; `undefined` if there is no such owner.
 * Upstream: `pkg/controller/disruption/disruption.go` (getScaleController).
 *
 * @throws {Error} If the kind is not served, or has no scale, or the API server cannot be asked.
 */
export async function liveScale(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string | undefined,
  context: ScaleContext,
): Promise<OwnerScale | undefined> {
  const { world, client, mapper } = context;
  const { group, version } = parseApiVersion(apiVersion);
  const referred = await mapper.resourceFor({ group, version, kind });
  // The scale itself is requested in the group's preferred version.
  const { plural, version: preferred } = await mapper.resourceFor({ group, kind });
  // A cluster-scoped owner of pods (a Node) is requested as if it were namespaced, and so is not found, as upstream.
  const resource: Resource<Scale> = { group, version: preferred, plural, kind, namespaced: true };
  try {
    const { metadata, spec, status } = await client.get(resource, { namespace, name }, { subresource: "scale" });
    // Not requested here, but it must be valid.
    if (typeof status?.selector === "string") await scaleSelector(status.selector, new TurnBudget(world.clock));
    return metadata?.uid === uid ? { uid, replicas: spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (!serverSays(error, isNotFound)) throw error;
    if (await hasScale(referred, context)) return undefined;
    throw new Error(`${groupResource(referred)} does not implement the scale subresource`, { cause: error });
  }
}

interface ResourceList {
  readonly resources?: readonly (KubeObject & {
    readonly name: string;
    readonly group?: string;
    readonly version?: string;
    readonly kind: string;
  })[];
}

async function hasScale(resource: Resource, { client }: ScaleContext): Promise<boolean> {
  const apiVersion = apiVersionOf(resource);
  const path = resource.group ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources = [] } = await client.request<ResourceList>("GET", path);
  return resources.some(({ name, group = "", version = "", kind }) =>
    name === `${resource.plural}/scale` && kind === "Scale" && SCALE_VERSIONS.has(apiVersionOf({ group, version }))
  );
}
