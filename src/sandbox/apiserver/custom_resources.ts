import type { CustomResourceDefinition, CustomResourceDefinitionVersion, Resource } from "../../api/mod.ts";
import { deepCopy, deepEqual } from "../../base/mod.ts";
import type { Store, StoredObject, StoreEvent } from "../storage/mod.ts";
import { nowText, type ServerState } from "./operation.ts";
import type { ServedResource } from "./served.ts";
import { subresourceOf } from "./subresources.ts";
import type { Traits } from "./traits.ts";

const CRDS = "customresourcedefinitions.apiextensions.k8s.io";
const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** A change outside metadata counts; status does not where it has a subresource. */
function traitsOf(hasStatus: boolean): Traits {
  return {
    needsResourceVersion: true,
    answersDeleted: false,
    generation({ metadata: _metadata, status, ...rest }) {
      return hasStatus ? rest : { ...rest, status };
    },
  };
}

function servedOf({ spec }: CustomResourceDefinition, version: CustomResourceDefinitionVersion): ServedResource {
  const { names, group, scope } = spec;
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const resource: Resource = {
    group,
    version: version.name,
    plural: names.plural,
    kind: names.kind,
    namespaced: scope === "Namespaced",
  };
  const subresources = [...hasStatus ? ["status"] : [], ...scale ? ["scale"] : []];
  return {
    ...resource,
    verbs: VERBS,
    subresources,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    served: new Map(subresources.map((name) => [name, subresourceOf(resource, name)])),
    collection: `${names.plural}.${group}`,
    traits: traitsOf(hasStatus),
    custom: {
      hasStatus,
      scale,
      selectableFields: version.selectableFields?.map(({ jsonPath }) => jsonPath.replace(/^\./, "")) ?? [],
    },
  };
}

/**
 * Serves custom resources as their definitions come and go, from `store`'s present content on. Their instances are removed
 * with the definition.
 *
 * @returns A function that stops it.
 */
export function serveCustomResources(state: ServerState): () => void {
  const { store, resources } = state;
  const serve = (object: StoredObject) => {
    const definition = object as StoredObject & CustomResourceDefinition;
    const collection = `${definition.spec.names.plural}.${definition.spec.group}`;
    resources.removeCollection(collection);
    for (const version of definition.spec.versions) if (version.served) resources.add(servedOf(definition, version));
  };
  for (const { object } of store.list(CRDS) ?? []) serve(object);
  const handle = ({ type, object }: StoreEvent) => {
    if (type !== "DELETED") return serve(object);
    const { names, group } = (object as StoredObject & CustomResourceDefinition).spec;
    resources.removeCollection(`${names.plural}.${group}`);
    removeInstances(store, `${names.plural}.${group}`);
  };
  return store.subscribe(CRDS, handle);
}

function removeInstances(store: Store, collection: string): void {
  for (const { key } of [...store.list(collection) ?? []]) store.remove(collection, key);
}

/** The status of a definition that is served: names accepted and established. Upstream's controllers write it a moment later. */
export function establishedStatus(
  state: ServerState,
  definition: CustomResourceDefinition,
): CustomResourceDefinition["status"] {
  const { names, versions } = definition.spec;
  const old = definition.status;
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: "True",
    lastTransitionTime: old?.conditions?.find((one) => one.type === type)?.lastTransitionTime ?? nowText(state),
    reason,
    message,
  });
  const storage = versions.filter((version) => version.storage).map(({ name }) => name);
  const stored = [...old?.storedVersions ?? [], ...storage.filter((name) => !old?.storedVersions?.includes(name))];
  const status = {
    conditions: [
      condition("NamesAccepted", "NoConflicts", "no conflicts found"),
      condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
    ],
    acceptedNames: deepCopy(names),
    storedVersions: stored,
  };
  return deepEqual(status, old) ? old : status;
}
