import type { CustomResourceDefinition } from "../../../api/mod.ts";
import { definitionWarnings, validateDefinition, validateNames, withCondition } from "../definitions/mod.ts";
import { nowText, type Traits } from "../traits/mod.ts";

/** Keeps a definition that is being deleted until its instances are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/**
 * Upstream: `apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go` and
 * `pkg/registry/customresourcedefinition`. Controllers write the rest of the status; see `custom_resources.ts`.
 */
export const customResourceDefinitions: Traits<CustomResourceDefinition> = {
  hasPlainMetadata: true,
  needsResourceVersion: true,
  finalizersOnDelete: [CLEANUP_FINALIZER],
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    spec.names.singular ||= spec.names.kind.toLowerCase();
    if (spec.names.kind) spec.names.listKind ||= `${spec.names.kind}List`;
    if (spec.names.singular === "") delete spec.names.singular;
    spec.conversion ??= { strategy: "None" };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service) service.port ??= 443;
  },
  prepareCreate(definition) {
    definition.status = { storedVersions: storedVersions(definition, []) };
  },
  prepareUpdate(definition, { status }) {
    definition.status = { ...status, storedVersions: storedVersions(definition, status?.storedVersions ?? []) };
  },
  prepareDelete(definition, { state }) {
    const { metadata, status = {} } = definition;
    // Unlike other kinds, definitions get no grace period when they are deleted, and keep their generation.
    delete metadata.deletionGracePeriodSeconds;
    if (status.conditions?.some(({ type }) => type === "Terminating")) return;
    if (metadata.generation) metadata.generation--;
    const pending = {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    };
    definition.status = withCondition(status, pending, nowText(state));
  },
  validate: validateDefinition,
  validateStatus({ status }, _old, errors) {
    if (status?.acceptedNames) validateNames(status.acceptedNames, "status.acceptedNames", errors);
  },
  warnings: definitionWarnings,
};

/** `known` plus the current storage version. */
function storedVersions({ spec }: CustomResourceDefinition, known: readonly string[]): string[] {
  const storage = spec.versions?.find((version) => version.storage)?.name;
  return storage === undefined || known.includes(storage) ? [...known] : [...known, storage];
}
