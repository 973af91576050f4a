/** Definitions of custom resources for scenarios. */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion, Resource } from "../../src/api/mod.ts";

/** The definition of a kind whose objects may hold anything, unless `version` says more. */
export function definitionOf(
  { group, version: name, plural, kind }: Pick<Resource, "group" | "version" | "plural" | "kind">,
  version: Partial<CustomResourceDefinitionVersion> = {},
): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name, served: true, storage: true, schema, ...version }],
    },
  };
}

/** What a version says of a kind that can be scaled, and whose status may say which its pods are. */
export function scalable({ hasSelector = false } = {}): Partial<CustomResourceDefinitionVersion> {
  const replicas = { type: "integer" };
  return {
    subresources: {
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: hasSelector ? ".status.selector" : undefined,
      },
    },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { replicas } },
          status: { type: "object", properties: { replicas, ...hasSelector ? { selector: { type: "string" } } : {} } },
        },
      },
    },
  };
}
