import {
  apiVersionOf,
  compareVersions,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type Resource,
} from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { CustomVersion } from "../custom/mod.ts";
import { type ServedResource, subresourceOf } from "../resources/mod.ts";
import type { FeatureGates, Traits } from "../traits/mod.ts";
import { isTrue } from "../definitions/mod.ts";
import { PLAIN_FINALIZERS } from "../validation/mod.ts";

/** No feature gate changes custom resources. */
const NO_GATES: FeatureGates = new Set();

/** In upstream's order. */
const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** Where the instances of a definition are stored. */
export function collectionOf({ spec: { names, group } }: CustomResourceDefinition): string {
  return `${names.plural}.${group}`;
}

/** The resource in its storage version, whether or not that is served. */
export function storageVersion(definition: CustomResourceDefinition): ServedResource | undefined {
  const version = definition.spec.versions.find(({ storage }) => storage);
  return version && servedOf(definition, version);
}

/** The resources for the served versions of a definition. */
export function servedVersions(definition: CustomResourceDefinition): ServedResource[] {
  return definition.spec.versions.filter(({ served }) => served).map((version) => servedOf(definition, version));
}

function servedOf(definition: CustomResourceDefinition, version: CustomResourceDefinitionVersion): ServedResource {
  const { group, scope } = definition.spec;
  const names = definition.status?.acceptedNames ?? definition.spec.names;
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const custom = new CustomVersion(definition, version);
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
    singular: names.singular ?? "",
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    served: new Map(subresources.map((name) => [name, subresourceOf(resource, name)])),
    collection: collectionOf(definition),
    traits: traitsOf(custom, hasStatus),
    gates: NO_GATES,
    custom: {
      version: custom,
      hasStatus,
      scale,
      selectableFields: custom.selectableFields,
      printerColumns: version.additionalPrinterColumns,
      isTerminating: isTrue(definition, "Terminating"),
      deprecation: deprecationOf(definition, version),
    },
  };
}

/** The warning for clients of a deprecated version. Upstream: defaultDeprecationWarning. */
function deprecationOf(
  { spec }: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): string | undefined {
  if (!deprecated || deprecationWarning !== undefined) return deprecationWarning;
  const named = (version: string) => `${apiVersionOf({ group: spec.group, version })} ${spec.names.kind}`;
  const newer = spec.versions.filter((one) => one.served && !one.deprecated && compareVersions(one.name, name) > 0)
    .map((one) => one.name).sort((a, b) => compareVersions(b, a));
  return `${named(name)} is deprecated${newer.length > 0 ? `; use ${named(newer[0])}` : ""}`;
}

/** Changes outside metadata increase the generation; those of the status do not if it is a subresource. */
function traitsOf(version: CustomVersion, hasStatus: boolean): Traits {
  return {
    hasPlainMetadata: true,
    needsResourceVersion: true,
    answersDeleted: false,
    generation({ metadata: _metadata, status, ...rest }) {
      return hasStatus ? rest : { ...rest, status };
    },
    validate: (object, errors, old) => version.validate(object, errors, old),
    validateStatus: (object, old, errors) => version.validateStatus(object, old, errors),
    warnings: finalizerWarnings,
  };
}

/** Finalizers of other kinds must be qualified by a domain; those of custom resources should be. */
function finalizerWarnings({ metadata }: StoredObject, old: StoredObject | undefined): string[] {
  const added = (metadata.finalizers ?? []).filter((finalizer) => !old?.metadata.finalizers?.includes(finalizer));
  return [...new Set(added)].sort().flatMap((finalizer) => {
    if (finalizer.includes("/") || PLAIN_FINALIZERS.includes(finalizer)) return [];
    const what = finalizer.includes(".")
      ? "prefer a domain-qualified finalizer name including a path (/)"
      : "prefer a domain-qualified finalizer name";
    const why = `${what} to avoid accidental conflicts with other finalizer writers`;
    return [`metadata.finalizers: ${JSON.stringify(finalizer)}: ${why}`];
  });
}
