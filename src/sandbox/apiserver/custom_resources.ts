import type { CustomResourceDefinition, CustomResourceDefinitionVersion, Resource } from "../../api/mod.ts";
import type { StoredObject, StoreEvent } from "../storage/mod.ts";
import { cleanUpInstances, needsCleanUp } from "./custom_resource_cleanup.ts";
import type { ServerState } from "./operation.ts";
import type { ServedResource } from "./served.ts";
import { subresourceOf } from "./subresources.ts";
import type { Traits } from "./traits.ts";

const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";
const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

type Definition = CustomResourceDefinition & StoredObject;

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

function collectionOf({ spec: { names, group } }: Definition): string {
  return `${names.plural}.${group}`;
}

function servedOf(definition: Definition, version: CustomResourceDefinitionVersion): ServedResource {
  const { names, group, scope } = definition.spec;
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
    collection: collectionOf(definition),
    traits: traitsOf(hasStatus),
    custom: {
      hasStatus,
      scale,
      selectableFields: version.selectableFields?.map(({ jsonPath }) => jsonPath.replace(/^\./, "")) ?? [],
      isTerminating: definition.metadata.deletionTimestamp !== undefined,
    },
  };
}

/**
 * Serves custom resources as their definitions come and go, from the store's present content on. The instances of a definition
 * that is being deleted are deleted before it.
 *
 * @returns A function that stops it.
 */
export function serveCustomResources(state: ServerState): () => void {
  const { store, resources } = state;
  const stop = new AbortController();
  const cleaned = new Set<string>();
  const serve = (definition: Definition) => {
    const collection = collectionOf(definition);
    resources.removeCollection(collection);
    for (const version of definition.spec.versions) if (version.served) resources.add(servedOf(definition, version));
    const uid = definition.metadata.uid!;
    if (!needsCleanUp(definition) || cleaned.has(uid)) return;
    cleaned.add(uid);
    void cleanUpInstances(state, { definition, collection, signal: stop.signal });
  };
  for (const { object } of store.list(DEFINITIONS) ?? []) serve(object as Definition);
  const handle = ({ type, object }: StoreEvent) => {
    const definition = object as Definition;
    if (type !== "DELETED") return serve(definition);
    cleaned.delete(definition.metadata.uid!);
    resources.removeCollection(collectionOf(definition));
  };
  const unsubscribe = store.subscribe(DEFINITIONS, handle);
  return () => {
    unsubscribe();
    stop.abort();
  };
}
