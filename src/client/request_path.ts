import { groupResource, type PathTarget, type Resource, resourcePath } from "../api/mod.ts";

/**
 * The path of one object.
 *
 * @throws {TypeError} If the name is empty or the namespace is missing, so that no request for a single object can ever
 *   reach the whole collection, or if either is not a valid path segment.
 */
export function objectPath(resource: Resource, target: PathTarget): string {
  const { namespace, name } = target;
  if (!name) throw refused(resource, "resource name may not be empty");
  if (resource.namespaced && !namespace) {
    throw refused(resource, "an empty namespace may not be set when a resource name is provided");
  }
  checkSegment(resource, "name", name);
  return collectionPath(resource, target);
}

/** The path of a collection, in one namespace or in all. */
export function collectionPath(resource: Resource, target: PathTarget): string {
  if (resource.namespaced && target.namespace) checkSegment(resource, "namespace", target.namespace);
  return resourcePath(resource, target);
}

/** The path to create an object at. */
export function creationPath(resource: Resource, target: PathTarget): string {
  if (resource.namespaced && !target.namespace) {
    throw refused(resource, "an empty namespace may not be set during creation");
  }
  if (target.subresource) return objectPath(resource, target);
  return collectionPath(resource, { namespace: target.namespace });
}

/** Upstream: `k8s.io/apimachinery/pkg/api/validation/path`. */
function checkSegment(resource: Resource, what: string, value: string): void {
  if (value === "." || value === "..") throw refused(resource, `${what} may not be '${value}'`);
  if (value.includes("/") || value.includes("%")) {
    throw refused(resource, `${what} "${value}" may not contain '/' or '%'`);
  }
}

function refused(resource: Resource, why: string): TypeError {
  return new TypeError(`Cannot send a request for ${groupResource(resource)}: ${why}`);
}
